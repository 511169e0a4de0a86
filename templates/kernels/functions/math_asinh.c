/* What x is the hyperbolic sine of. */
static double math_asinh(double x)
{
    double size = x < 0.0 ? -x : x, z = size * size, y;

    if (size > 268435456.0)
        y = math_log(size) + 0.6931471805599453;
    else
        y = math_log1p(size + z / (1.0 + math_sqrt(1.0 + z)));
    return x < 0.0 ? -y : x == 0.0 ? x : y;
}
