/*
 * Natural logarithm. log(m) = 2 artanh(s) with s = (m - 1) / (m + 1), a series in s^2 whose tail is a Chebyshev
 * interpolant (relative error 5e-16 of a term that is below 1 % of the whole).
 */
static double math_log(double x)
{
    int32_t k;
    double f, s, z, p;

    if (x != x || x == __builtin_inf())
        return x;
    if (x <= 0.0)
        return x < 0.0 ? __builtin_nan("") : -__builtin_inf();
    f = math_split(x, &k) - 1.0;
    s = f / (2.0 + f);
    z = s * s;
    p = 0.14617807153417325;
    p = p * z + 0.15331611722055008;
    p = p * z + 0.1818289243253687;
    p = p * z + 0.22222211089379496;
    p = p * z + 0.28571428626253836;
    p = p * z + 0.3999999999989889;
    p = p * z + 0.666666666666667;
    return k * 0.6931471803691238 + (2.0 * s + (s * z * p + k * 1.9082149292705877e-10));
}
