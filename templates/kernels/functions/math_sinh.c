/* Hyperbolic sine: an odd Chebyshev interpolant (relative error 3e-22) near 0, else by the exponential. */
static double math_sinh(double x)
{
    double size = x < 0.0 ? -x : x, z = x * x, p;

    if (size > 1.0) {
        p = math_exp(size > 22.0 ? 0.5 * size : size);
        p = size > 22.0 ? 0.5 * p * p : 0.5 * (p - 1.0 / p);
        return x < 0.0 ? -p : p;
    }
    p = 2.8445264169895285e-15;
    p = p * z + 7.646625361656657e-13;
    p = p * z + 1.6059048396350562e-10;
    p = p * z + 2.505210836405804e-08;
    p = p * z + 2.755731922404034e-06;
    p = p * z + 0.00019841269841269773;
    p = p * z + 0.008333333333333333;
    p = p * z + 0.16666666666666666;
    return x + x * z * p;
}
