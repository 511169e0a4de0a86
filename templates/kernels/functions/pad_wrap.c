/* Position p of an axis of n elements that starts over after its last. */
static inpla_int pad_wrap(inpla_int p, inpla_int n)
{
    p %= n;
    return p < 0 ? p + n : p;
}
