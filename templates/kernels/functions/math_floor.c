/* The largest integer up to x. From 2^52 on all numbers are integers. */
static double math_floor(double x)
{
    double whole;

    if (!(x > -4503599627370496.0 && x < 4503599627370496.0))
        return x;
    whole = (double)(int64_t)x;
    return whole == x ? x : whole > x ? whole - 1.0 : whole;
}
