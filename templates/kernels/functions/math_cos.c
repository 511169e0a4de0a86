/* Cosine of x radians. */
static double math_cos(double x)
{
    double rest, y;
    int32_t quadrant = math_quadrant(x, &rest);

    y = quadrant & 1 ? math_sin_near(rest) : math_cos_near(rest);
    return (quadrant + 1) & 2 ? -y : y;
}
