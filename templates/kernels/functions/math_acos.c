/* Angle from 0 to pi with the cosine x: twice the angle with the tangent sqrt((1 - x) / (1 + x)). */
static double math_acos(double x)
{
    return 2.0 * math_atan(math_sqrt((1.0 - x) / (1.0 + x)));
}
