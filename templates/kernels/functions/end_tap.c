/* One more than the last of `taps` taps of a window that starts at `start` and lies inside an image of `size`. */
static inpla_int end_tap(inpla_int start, inpla_int dilation, inpla_int taps, inpla_int size)
{
    const inpla_int inside = (size - start + dilation - 1) / dilation;

    return inside < 0 ? 0 : inside < taps ? inside : taps;
}
