/* What x is the hyperbolic tangent of. */
static double math_atanh(double x)
{
    double size = x < 0.0 ? -x : x, y = 0.5 * math_log1p(2.0 * size / (1.0 - size));

    return x < 0.0 ? -y : x == 0.0 ? x : y;
}
