/* The larger of two numbers; NaN where the second one is. */
static float larger(float x, float y)
{
    return y > x || y != y ? y : x;
}
