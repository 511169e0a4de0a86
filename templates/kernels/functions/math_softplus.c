/* log(1 + e^x), without overflow. */
static double math_softplus(double x)
{
    return (x < 0.0 ? 0.0 : x) + math_log1p(math_exp(x < 0.0 ? x : -x));
}
