/* The bits of a number. */
static uint64_t math_bits(double x)
{
    union {
        double number;
        uint64_t bits;
    } word;

    word.number = x;
    return word.bits;
}
