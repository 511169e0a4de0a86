/* Cosine within pi / 4 of 0: an even Chebyshev interpolant; what 1 - x^2 / 2 loses by rounding is added again. */
static double math_cos_near(double x)
{
    double z = x * x, half = 0.5 * z, first = 1.0 - half, p;

    p = -1.138254464534925e-11;
    p = p * z + 2.087614504941318e-09;
    p = p * z + -2.755731726587808e-07;
    p = p * z + 2.48015872987544e-05;
    p = p * z + -0.0013888888888887389;
    p = p * z + 0.041666666666666664;
    return first + (((1.0 - first) - half) + z * z * p);
}
