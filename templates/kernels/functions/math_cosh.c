/* Hyperbolic cosine. */
static double math_cosh(double x)
{
    double size = x < 0.0 ? -x : x, p = math_exp(size > 22.0 ? 0.5 * size : size);

    return size > 22.0 ? 0.5 * p * p : 0.5 * (p + 1.0 / p);
}
