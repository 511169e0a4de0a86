/* The larger of two numbers; NaN where the second one is. */
static INLINE KERNEL floats vector_larger(floats x, floats y)
{
    return vector_select((y > x) | (y != y), y, x);
}
