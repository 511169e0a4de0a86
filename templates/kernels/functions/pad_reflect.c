/* Position p of an axis of n elements that is mirrored at its first and last, as often as needed. */
static inpla_int pad_reflect(inpla_int p, inpla_int n)
{
    const inpla_int period = n > 1 ? 2 * (n - 1) : 1;

    p %= period;
    if (p < 0)
        p += period;
    return p < n ? p : period - p;
}
