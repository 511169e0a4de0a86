/* x < 0 ? alpha * (e^x - 1) : x. */
static INLINE KERNEL floats vector_elu(floats x, float alpha)
{
    return vector_select(x < 0.0f, alpha * vector_expm1(vector_select(x < 0.0f, x, x - x)), x);
}
