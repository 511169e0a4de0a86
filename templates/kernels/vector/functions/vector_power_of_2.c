/* 2 to the power k, an integer with -127 < k < 128. The integer stands in the last bits of k + 1.5 * 2^23. */
static INLINE KERNEL floats vector_power_of_2(floats k)
{
    return (floats)(((words)(k + 12582912.0f) + 127u) << 23);
}
