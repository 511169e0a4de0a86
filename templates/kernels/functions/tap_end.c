/* End of the outputs o < count with o * stride + shift < size. */
static inpla_int tap_end(inpla_int shift, inpla_int stride, inpla_int size, inpla_int count)
{
    const inpla_int end = shift < size ? (size - shift + stride - 1) / stride : 0;

    return end < count ? end : count;
}
