/*
 * Error function, within 2 units of the last place. Below 0.9 x + x P(x^2), P of degree 6; from there on 1 - e^-Q(|x|),
 * Q of degree 7; 1 from 4 on.
 */
static INLINE KERNEL floats vector_erf(floats x)
{
    const words sign = (words)x & 0x80000000u;
    const floats zero = {0}, size = (floats)((words)x ^ sign), z = x * x, high = 4.0f - zero;
    const floats t = vector_select(size > high, high, size);
    floats p = z * 8.53884121e-05f - 0.000818192784f, q = t * 2.06291024e-05f - 0.000429083622f;

    p = p * z + 0.0052044359f;
    p = p * z - 0.0268607531f;
    p = p * z + 0.112837195f;
    p = p * z - 0.376126349f;
    p = p * z + 0.128379226f;
    q = q * t + 0.00414505741f;
    q = q * t - 0.0250511467f;
    q = q * t + 0.10817489f;
    q = q * t + 0.633442044f;
    q = q * t + 1.12946808f;
    q = q * t - 0.000165006408f;
    q = 1.0f - vector_exp(-q);
    q = (floats)((words)q | sign);
    return vector_select(size < 0.9f, x + x * p, q);
}
