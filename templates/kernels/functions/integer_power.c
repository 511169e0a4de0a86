/* base to the power exponent, wrapped to 64 bits; a negative exponent truncates the true value (0 for base 0). */
static uint64_t integer_power(uint64_t base, int64_t exponent)
{
    uint64_t result = 1;

    if (exponent < 0) {
        if (base != 1 && base + 1 != 0)
            return 0;
        exponent = -(exponent % 2);
    }
    for (; exponent != 0; exponent /= 2) {
        if (exponent % 2 != 0)
            result *= base;
        base *= base;
    }
    return result;
}
