/*
 * Natural logarithm, within 2 units of the last place. x = m 2^k with m from sqrt(1/2) to sqrt(2); with f = m - 1,
 * log(m) = f - f^2/2 + f^3 P(f), P of degree 8 (relative error 1e-9).
 */
static INLINE KERNEL floats vector_log(floats x)
{
    const floats zero = {0}, infinity = __builtin_inff() - zero;
    const ints is_small = x < 1.17549435e-38f;
    const floats normal = vector_select(is_small, x * 8388608.0f, x);
    const words above = (words)normal - 0x3f3504f3u; /* sqrt(1/2) */
    const words exponent = (words)((ints)above >> 23);
    const floats f = (floats)((above & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
    const floats shift = vector_select(is_small, 23.0f - zero, zero);
    /* exponent as a number: its bits added to those of 1.5 * 2^23 */
    const floats k = ((floats)(exponent + 0x4b400000u) - 12582912.0f) - shift;
    const floats square = f * f;
    floats p = f * 0.0691542476f - 0.117898352f;

    p = p * f + 0.118729658f;
    p = p * f - 0.123843431f;
    p = p * f + 0.142186582f;
    p = p * f - 0.16669251f;
    p = p * f + 0.200022265f;
    p = p * f - 0.249999866f;
    p = p * f + 0.333333105f;
    p = (p * f * square - k * 2.12194440e-4f) - square * 0.5f;
    p = (p + f) + k * 0.693359375f;
    p = vector_select(x == zero, -infinity, vector_select(x < zero, zero / zero, p));
    return vector_select((x == infinity) | (x != x), x, p);
}
