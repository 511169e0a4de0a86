/* Sine of x radians. */
static double math_sin(double x)
{
    double rest, y;
    int32_t quadrant = math_quadrant(x, &rest);

    y = quadrant & 1 ? math_cos_near(rest) : math_sin_near(rest);
    return quadrant & 2 ? -y : y;
}
