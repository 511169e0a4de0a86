/* Hyperbolic tangent: an odd Chebyshev interpolant (relative error 7e-17) near 0, else by the exponential. */
static double math_tanh(double x)
{
    double size = x < 0.0 ? -x : x, z = x * x, p;

    if (x != x)
        return x;
    if (size > 0.5625) {
        p = size > 22.0 ? 1.0 : 1.0 - 2.0 / (math_exp(2.0 * size) + 1.0);
        return x < 0.0 ? -p : p;
    }
    p = -2.0026740085317684e-05;
    p = p * z + 8.426522203958066e-05;
    p = p * z + -0.00023410556936672797;
    p = p * z + 0.0005887537111834804;
    p = p * z + -0.0014556239774192678;
    p = p * z + 0.003592105532132769;
    p = p * z + -0.008863234021529514;
    p = p * z + 0.021869488476962563;
    p = p * z + -0.0539682539670594;
    p = p * z + 0.13333333333332392;
    p = p * z + -0.3333333333333333;
    return x * (1.0 + z * p);
}
