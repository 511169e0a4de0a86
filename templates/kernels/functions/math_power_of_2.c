/* 2 to the power k, -1022 <= k <= 1023. */
static double math_power_of_2(int32_t k)
{
    return math_of_bits((uint64_t)(k + 1023) << 52);
}
