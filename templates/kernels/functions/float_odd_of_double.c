/* x rounded to odd: what was cut off leaves a trace in the last bit, so that rounding once more is right. */
static float float_odd_of_double(double x)
{
    union {
        float number;
        uint32_t bits;
    } word;
    double rounded;

    word.number = (float)x;
    rounded = (double)word.number;
    if (rounded != x && x == x) {
        word.bits -= (x < 0.0 ? rounded < x : rounded > x);
        word.bits |= 1;
    }
    return word.number;
}
