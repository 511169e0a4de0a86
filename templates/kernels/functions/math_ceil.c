/* The smallest integer from x on. */
static double math_ceil(double x)
{
    return -math_floor(-x);
}
