/* Hyperbolic tangent by e^(2|x|) - 1, within 3 units of the last place; 1 from 10 on. */
static INLINE KERNEL floats vector_tanh(floats x)
{
    const words sign = (words)x & 0x80000000u;
    const floats zero = {0}, size = (floats)((words)x ^ sign), high = 10.0f - zero;
    const floats e = vector_expm1(2.0f * vector_select(size > high, high, size));

    return (floats)((words)(e / (e + 2.0f)) | sign);
}
