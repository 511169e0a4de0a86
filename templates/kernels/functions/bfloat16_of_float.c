/* bfloat16, rounded to nearest even. */
static uint16_t bfloat16_of_float(float x)
{
    union {
        float number;
        uint32_t bits;
    } word;

    word.number = x;
    if (x != x)
        return (uint16_t)(word.bits >> 16 | 0x40);
    return (uint16_t)((word.bits + 0x7fff + (word.bits >> 16 & 1)) >> 16);
}
