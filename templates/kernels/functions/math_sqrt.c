/* Square root, rounded to nearest: one bit of the root per step, the remainder decides the rounding. */
static double math_sqrt(double x)
{
    uint64_t rest, root = 0, twice = 0, bit, trial;
    int32_t e = 0;

    if (x != x || x == 0.0 || x == __builtin_inf())
        return x;
    if (x < 0.0)
        return __builtin_nan("");
    if (x < 2.2250738585072014e-308) { /* subnormal */
        x *= 18014398509481984.0;
        e = -54;
    }
    rest = math_bits(x);
    e += (int32_t)(rest >> 52) - 1023;
    rest = (rest & 0xfffffffffffff) | ((uint64_t)1 << 52);
    if (e & 1) {
        rest += rest;
        --e;
    }
    rest += rest;
    for (bit = (uint64_t)1 << 53; bit != 0; bit >>= 1) {
        trial = twice + bit;
        if (trial <= rest) {
            twice = trial + bit;
            rest -= trial;
            root += bit;
        }
        rest += rest;
    }
    root += root & 1 & (uint64_t)(rest != 0);
    return math_of_bits((root >> 1) + ((uint64_t)(e / 2 + 1022) << 52));
}
