/* The 64 bits from number `first` on of a number that is given by its words, the least first. */
static uint64_t math_window(const uint32_t *words, int32_t first)
{
    int32_t word = first / 32, shift = first % 32;
    uint64_t low = words[word] | (uint64_t)words[word + 1] << 32;

    return shift == 0 ? low : low >> shift | (uint64_t)words[word + 2] << (64 - shift);
}
