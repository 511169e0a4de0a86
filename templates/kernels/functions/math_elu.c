/* x < 0 ? alpha * (e^x - 1) : x. */
static double math_elu(double x, double alpha)
{
    return x < 0.0 ? alpha * (math_exp(x) - 1.0) : x;
}
