/* log(1 + x). The quotient takes back what 1 + x lost by rounding. */
static double math_log1p(double x)
{
    double u = 1.0 + x;

    if (u == 1.0)
        return x;
    return u == __builtin_inf() || u == 0.0 ? math_log(u) : math_log(u) * (x / (u - 1.0));
}
