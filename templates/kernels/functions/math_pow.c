/* x to the power y, special cases as C's pow. */
static double math_pow(double x, double y)
{
    double size = x < 0.0 ? -x : x, result;
    int odd = math_is_odd(y);
    int infinite = y == __builtin_inf() || y == -__builtin_inf();

    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (x != x || y != y)
        return x + y;
    if (infinite && size == 1.0)
        return 1.0;
    if (size == 0.0 || size == __builtin_inf() || infinite)
        result = (size > 1.0) == (y > 0.0) ? __builtin_inf() : 0.0;
    else if (x < 0.0 && !odd && y > -9007199254740992.0 && y < 9007199254740992.0 && (double)(int64_t)y != y)
        return __builtin_nan("");
    else
        result = math_pow_positive(size, y);
    return odd && math_bits(x) >> 63 ? -result : result;
}
