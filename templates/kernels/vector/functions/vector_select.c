/* The lanes of `yes` where the mask has ones, else those of `no`. */
static INLINE KERNEL floats vector_select(ints mask, floats yes, floats no)
{
    return (floats)((mask & (ints)yes) | (~mask & (ints)no));
}
