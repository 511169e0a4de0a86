/* The number that has these bits. */
static double math_of_bits(uint64_t bits)
{
    union {
        double number;
        uint64_t bits;
    } word;

    word.bits = bits;
    return word.number;
}
