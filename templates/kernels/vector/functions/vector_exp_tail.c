/*
 * e^r - 1 for the rest r = x - k ln 2, within ln(2) / 2: r + r^2 P(r), P of degree 4 (relative error 4e-9). k times the
 * first part of ln 2 is exact.
 */
static INLINE KERNEL floats vector_exp_tail(floats x, floats k)
{
    const floats r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
    floats p = r * 0.00139517197f + 0.00836959854f;

    p = p * r + 0.0416661873f;
    p = p * r + 0.166665122f;
    p = p * r + 0.5f;
    return r + r * r * p;
}
