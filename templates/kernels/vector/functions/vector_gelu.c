/* x times the normal distribution of x. */
static INLINE KERNEL floats vector_gelu(floats x)
{
    return 0.5f * x * (vector_erf(x * 0.707106781f) + 1.0f);
}
