/* How many of `kernel` taps, at start, start + dilation and so on, lie from low up to high. */
static inpla_int pool_taps(inpla_int start, inpla_int kernel, inpla_int dilation, inpla_int low, inpla_int high)
{
    const inpla_int begin = start < low ? (low - start + dilation - 1) / dilation : 0;
    const inpla_int reach = start < high ? (high - start + dilation - 1) / dilation : 0;
    const inpla_int end = reach < kernel ? reach : kernel;

    return end > begin ? end - begin : 0;
}
