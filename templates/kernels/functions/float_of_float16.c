/* The value of a half precision number. */
static float float_of_float16(uint16_t half)
{
    union {
        float number;
        uint32_t bits;
    } word;
    const uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;

    if (exponent == 0)
        word.number = (float)mantissa * 5.9604644775390625e-08f;
    else if (exponent == 31)
        word.bits = 0x7f800000 | mantissa << 13;
    else
        word.bits = (exponent + 112) << 23 | mantissa << 13;
    word.bits |= (uint32_t)(half >> 15) << 31;
    return word.number;
}
