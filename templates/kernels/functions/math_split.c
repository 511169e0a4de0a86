/* x = m * 2^exponent with sqrt(1/2) < m <= sqrt(2), for finite x > 0. Returns m. */
static double math_split(double x, int32_t *exponent)
{
    uint64_t bits;
    int32_t e = 0;
    double m;

    if (x < 2.2250738585072014e-308) { /* subnormal */
        x *= 18014398509481984.0;
        e = -54;
    }
    bits = math_bits(x);
    e += (int32_t)(bits >> 52) - 1023;
    m = math_of_bits((bits & 0xfffffffffffff) | ((uint64_t)1023 << 52));
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++e;
    }
    *exponent = e;
    return m;
}
