/*
 * Angle with the tangent x. Of x > 1 it is pi / 2 less that of 1 / x. Below 1 it is that of the next eighth, in two
 * parts, and of t, the rest, an odd Chebyshev interpolant (relative error 2e-19).
 */
static double math_atan(double x)
{
    static const double eighths[9][2] = {
        {0.0, 0.0},
        {0.12435499454676144, -3.1253241424539383e-18},
        {0.24497866312686414, 1.0698755618734451e-17},
        {0.35877067027057225, -2.4623815582638635e-17},
        {0.4636476090008061, 2.2698777452961687e-17},
        {0.5585993153435624, -5.4556305485916264e-18},
        {0.6435011087932844, 1.5834785051444286e-17},
        {0.7188299996216245, -2.1478388444456983e-17},
        {0.7853981633974483, 3.061616997868383e-17},
    };
    double size = x < 0.0 ? -x : x, y = size > 1.0 ? 1.0 / size : size, t, z, p;
    int32_t k;

    if (x != x)
        return x;
    k = (int32_t)(y * 8.0 + 0.5);
    t = (y - 0.125 * k) / (1.0 + y * (0.125 * k));
    z = t * t;
    p = 0.07606977574056302;
    p = p * z + -0.0909049755349406;
    p = p * z + 0.11111110195188974;
    p = p * z + -0.14285714284792397;
    p = p * z + 0.1999999999999966;
    p = p * z + -0.3333333333333333;
    p = t * z * p + eighths[k][1];
    if (size > 1.0)
        y = (1.5707963267948966 - eighths[k][0]) - (t + (p - 6.123233995736766e-17));
    else
        y = eighths[k][0] + (t + p);
    return x < 0.0 ? -y : x == 0.0 ? x : y;
}
