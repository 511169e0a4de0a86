/* What x is the hyperbolic cosine of, not below 0. */
static double math_acosh(double x)
{
    double t = x - 1.0;

    if (x < 1.0)
        return __builtin_nan("");
    if (x > 268435456.0)
        return math_log(x) + 0.6931471805599453;
    return math_log1p(t + math_sqrt(t * (x + 1.0)));
}
