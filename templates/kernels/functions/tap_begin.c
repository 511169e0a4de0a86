/* First output o >= 0 with o * stride + shift >= 0. */
static inpla_int tap_begin(inpla_int shift, inpla_int stride)
{
    return shift < 0 ? (stride - 1 - shift) / stride : 0;
}
