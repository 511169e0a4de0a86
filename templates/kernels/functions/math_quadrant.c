/*
 * The multiple of pi / 2 next to x, modulo 4, and how far x is from it. The products with the first three pieces of
 * pi / 2, of 24 bits each, are exact; what the subtractions lose by rounding is added again.
 */
static int32_t math_quadrant(double x, double *rest)
{
    double size = x < 0.0 ? -x : x, n, a, b, c, d, e;

    *rest = x;
    if (size <= 0.7853981633974483 || x != x)
        return 0;
    if (size >= 1048576.0)
        return math_quadrant_far(x, rest);
    n = (double)(int32_t)(x * 0.6366197723675814 + (x < 0.0 ? -0.5 : 0.5));
    a = x - n * 1.570796251296997;
    b = n * 7.549789415861596e-08;
    c = a - b;
    d = n * 5.390302529957765e-15;
    e = c - d;
    *rest = e + ((((a - c) - b) + ((c - e) - d)) - n * 3.2820035428735005e-22);
    return (int32_t)n & 3;
}
