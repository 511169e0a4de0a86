/* 1 / (1 + e^-x), without overflow on either side. */
static double math_sigmoid(double x)
{
    double e = math_exp(x < 0.0 ? x : -x);

    return (x < 0.0 ? e : 1.0) / (1.0 + e);
}
