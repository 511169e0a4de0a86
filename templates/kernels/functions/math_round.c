/* The nearest integer, of two the even one. */
static double math_round(double x)
{
    double below = math_floor(x), rest = x - below;

    return rest > 0.5 || (rest == 0.5 && math_is_odd(below)) ? below + 1.0 : below;
}
