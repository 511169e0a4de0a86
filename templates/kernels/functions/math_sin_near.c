/* Sine within pi / 4 of 0: an odd Chebyshev interpolant (relative error 3e-17). */
static double math_sin_near(double x)
{
    double z = x * x, p;

    p = 1.5917988979397435e-10;
    p = p * z + -2.5051129896450185e-08;
    p = p * z + 2.7557316093198404e-06;
    p = p * z + -0.00019841269836740532;
    p = p * z + 0.008333333333330936;
    p = p * z + -0.16666666666666666;
    return x == 0.0 ? x : x + x * z * p;
}
