/* Half precision, rounded to nearest even. Adding 0.5 rounds what becomes subnormal to a multiple of 2^-24. */
static uint16_t float16_of_float(float x)
{
    union {
        float number;
        uint32_t bits;
    } word;
    uint32_t sign;

    word.number = x;
    sign = word.bits >> 16 & 0x8000;
    word.bits &= 0x7fffffff;
    if (word.bits > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (word.bits >= 0x477ff000)
        return (uint16_t)(sign | 0x7c00);
    if (word.bits < 0x38800000) {
        word.number += 0.5f;
        return (uint16_t)(sign | (word.bits - 0x3f000000));
    }
    return (uint16_t)(sign | (word.bits - 0x38000000 + 0xfff + (word.bits >> 13 & 1)) >> 13);
}
