/* e to the power x. */
static double math_exp(double x)
{
    return math_exp_sum(x, 0.0);
}
