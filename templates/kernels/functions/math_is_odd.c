/* Whether y is an odd integer. From 2^53 on all numbers are even. */
static int math_is_odd(double y)
{
    return y > -9007199254740992.0 && y < 9007199254740992.0 && (double)(int64_t)y == y && (int64_t)y % 2 != 0;
}
