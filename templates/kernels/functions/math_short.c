/* x cut off after 26 significant bits: a product of two such numbers is exact. */
static double math_short(double x)
{
    return math_of_bits(math_bits(x) & ~(uint64_t)0x7ffffff);
}
