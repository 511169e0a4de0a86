/* x times the normal distribution of x. */
static double math_gelu(double x)
{
    return 0.5 * x * (1.0 + math_erf(x * 0.7071067811865476));
}
