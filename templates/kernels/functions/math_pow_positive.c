/* x to the power y for finite x > 0 and finite y. */
static double math_pow_positive(double x, double y)
{
    double high, low, product, y_short = math_short(y), high_short;

    math_log_sum(x, &high, &low);
    product = y * high;
    if (product > 1000.0 || product < -1000.0)
        return math_exp(product);
    high_short = math_short(high);
    low *= y;
    low += ((y_short * high_short - product) + y_short * (high - high_short)) + (y - y_short) * high;
    return math_exp_sum(product, low);
}
