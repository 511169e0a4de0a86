/* The value of a bfloat16: the upper half of a float. */
static float float_of_bfloat16(uint16_t half)
{
    union {
        float number;
        uint32_t bits;
    } word;

    word.bits = (uint32_t)half << 16;
    return word.number;
}
