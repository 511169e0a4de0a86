/* The integer k next to x / ln 2: adding 1.5 * 2^23 rounds to integers. */
static INLINE KERNEL floats vector_power_of_e(floats x)
{
    return (x * 1.44269504f + 12582912.0f) - 12582912.0f;
}
