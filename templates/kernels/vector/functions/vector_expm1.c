/* e^x - 1 for x <= 44, within 2 units of the last place. */
static INLINE KERNEL floats vector_expm1(floats x)
{
    const floats zero = {0}, low = -26.0f - zero;
    const floats bounded = vector_select(x < low, low, x);
    const floats k = vector_power_of_e(bounded), scale = vector_power_of_2(k);
    const floats result = vector_exp_tail(bounded, k) * scale + (scale - 1.0f);

    return vector_select(x == zero, x, result);
}
