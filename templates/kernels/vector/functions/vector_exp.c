/* e to the power x, within 1 unit of the last place. Beyond the ends all results are alike. */
static INLINE KERNEL floats vector_exp(floats x)
{
    const floats zero = {0}, low = -104.0f - zero, high = 89.0f - zero;
    const floats bounded = vector_select(x < low, low, vector_select(x > high, high, x));
    const floats k = vector_power_of_e(bounded);
    const floats tail = vector_exp_tail(bounded, k);
    /* 2^k in two steps, so that a subnormal result is rounded once */
    const floats half = (k * 0.5f + 12582912.0f) - 12582912.0f;

    return (tail + 1.0f) * vector_power_of_2(half) * vector_power_of_2(k - half);
}
