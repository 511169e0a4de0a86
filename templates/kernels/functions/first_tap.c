/* The first of `taps` taps of a window from `start` on that lies at 0 or behind; `taps` if there is none. */
static inpla_int first_tap(inpla_int start, inpla_int dilation, inpla_int taps)
{
    const inpla_int outside = start >= 0 ? 0 : (-start + dilation - 1) / dilation;

    return outside < taps ? outside : taps;
}
