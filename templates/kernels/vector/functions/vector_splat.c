/* One number in all lanes; also of 0 the sign is kept. */
static INLINE KERNEL floats vector_splat(float x)
{
    const floats zero = {0};

    return x - zero;
}
