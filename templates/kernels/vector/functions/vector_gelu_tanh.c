/* x times the normal distribution of x, approximated by the hyperbolic tangent. */
static INLINE KERNEL floats vector_gelu_tanh(floats x)
{
    return 0.5f * x * (vector_tanh(0.797884561f * (x + 0.044715f * x * x * x)) + 1.0f);
}
