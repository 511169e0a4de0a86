/*
 * e to the power x + tail, |tail| tiny beside 1. With k = round(x / ln 2) the rest r lies within ln(2) / 2, and
 * e^r = 1 + r + r^2 P(r), P a Chebyshev interpolant of degree 10 (relative error 5e-18). The scaling by 2^k is done in
 * two exact steps, so that a subnormal result is rounded once.
 */
static double math_exp_sum(double x, double tail)
{
    int32_t k;
    double r, p;

    if (x != x)
        return x;
    if (x > 710.0)
        x = 710.0;
    if (x < -750.0)
        x = -750.0;
    k = (int32_t)(x * 1.4426950408889634 + (x < 0.0 ? -0.5 : 0.5));
    r = ((x - k * 0.6931471803691238) - k * 1.9082149292705877e-10) + tail;
    p = 2.0914686968086876e-09;
    p = p * r + 2.5105217004720745e-08;
    p = p * r + 2.75572736431103e-07;
    p = p * r + 2.7557255400206422e-06;
    p = p * r + 2.4801587325547743e-05;
    p = p * r + 0.00019841269874820627;
    p = p * r + 0.0013888888888883748;
    p = p * r + 0.008333333333326136;
    p = p * r + 0.04166666666666667;
    p = p * r + 0.1666666666666667;
    p = p * r + 0.5;
    return (1.0 + (r + r * r * p)) * math_power_of_2(k / 2) * math_power_of_2(k - k / 2);
}
