/*
 * Natural logarithm of finite x > 0 as a sum *high + *low, good to about 65 bits: what math_pow multiplies by up to
 * 2^10. As in math_log, but s, s^3 and the sum are carried as pairs. Products are exact because their factors are short.
 */
static void math_log_sum(double x, double *high, double *low)
{
    int32_t k;
    double f = math_split(x, &k) - 1.0;
    double d = math_short(2.0 + f);
    double d_rest = f - (d - 2.0);
    double ratio = f / (2.0 + f), square = ratio * ratio;
    double s = math_short(ratio);
    double s_rest = ((f - s * d) - s * d_rest) / (2.0 + f);
    double z = s * s, z_short = math_short(z), z_rest = (2.0 * s + s_rest) * s_rest;
    double cube = s * z_short, cube_rest = s * (z - z_short) + s_rest * z + (s + s_rest) * z_rest;
    double third = cube * 0.6666666666666666; /* 2/3 s^3; what its rounding lost is exact: */
    double third_rest = 2.0 * ((cube - third) - 0.5 * third) / 3.0 + cube_rest * 0.6666666666666666;
    double p, a, b, sum, lost;

    p = 0.1291471218393509;
    p = p * square + 0.13285868837545742;
    p = p * square + 0.15385577463308145;
    p = p * square + 0.18181808210921882;
    p = p * square + 0.22222222271326808;
    p = p * square + 0.2857142857133801;
    p = p * square + 0.4000000000000003;
    a = k * 0.6931471803691238;
    b = a + 2.0 * s;
    lost = (a - (b - (b - a))) + (2.0 * s - (b - a));
    sum = b + third;
    lost += (b - (sum - (sum - b))) + (third - (sum - b));
    lost += (2.0 * s_rest + third_rest) + (ratio * square * square * p + k * 1.9082149292705877e-10);
    *high = sum + lost;
    *low = lost - (*high - sum);
}
