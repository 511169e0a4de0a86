/* 1 / (1 + e^-x), without overflow on either side, within 3 units of the last place. */
static INLINE KERNEL floats vector_sigmoid(floats x)
{
    const floats zero = {0}, e = vector_exp((floats)((words)x | 0x80000000u));

    return vector_select(x < zero, e, 1.0f - zero) / (e + 1.0f);
}
