/* Angle from -pi / 2 to pi / 2 with the sine x. */
static double math_asin(double x)
{
    return math_atan(x / math_sqrt((1.0 - x) * (1.0 + x)));
}
