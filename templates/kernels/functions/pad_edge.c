/* Position p of an axis of n elements that repeats its first and last. */
static inpla_int pad_edge(inpla_int p, inpla_int n)
{
    return p < 0 ? 0 : p < n ? p : n - 1;
}
