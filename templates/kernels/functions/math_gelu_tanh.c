/* x times the normal distribution of x, approximated by the hyperbolic tangent. */
static double math_gelu_tanh(double x)
{
    return 0.5 * x * (1.0 + math_tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}
