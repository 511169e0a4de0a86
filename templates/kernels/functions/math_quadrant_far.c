/*
 * math_quadrant for large x = m * 2^exponent: the product of m with seven words of 2 / pi, from the first one that does
 * not only add multiples of 4. Above the point it is the quadrant, below it the rest, in units of pi / 2.
 */
static int32_t math_quadrant_far(double x, double *rest)
{
    static const uint32_t words[38] = {
        0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a,
        0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
        0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
        0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
        0x56033046, 0xfc7b6bab
    };
    uint64_t bits = math_bits(x), m = (bits & 0xfffffffffffff) | ((uint64_t)1 << 52), high, low, carry = 0, sum;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff) - 1075, skipped, point, quadrant, i;
    uint32_t limbs[10] = {0};
    double turn;

    if (exponent > 971) { /* infinite */
        *rest = __builtin_nan("");
        return 0;
    }
    skipped = exponent < 2 ? 0 : (exponent - 2) / 32;
    point = 224 - (exponent - 32 * skipped);
    for (i = 0; i < 7; ++i) { /* limbs, from the least, times the low word of m, then times the high one */
        sum = (m & 0xffffffff) * words[skipped + 6 - i] + limbs[i] + carry;
        limbs[i] = (uint32_t)sum;
        carry = sum >> 32;
    }
    limbs[7] = (uint32_t)carry;
    for (carry = 0, i = 0; i < 7; ++i) {
        sum = (m >> 32) * words[skipped + 6 - i] + limbs[i + 1] + carry;
        limbs[i + 1] = (uint32_t)sum;
        carry = sum >> 32;
    }
    limbs[8] = (uint32_t)carry;
    high = math_window(limbs, point - 62);
    low = math_window(limbs, point - 126);
    quadrant = (int32_t)(high >> 62);
    high = high << 2 | low >> 62;
    low <<= 2;
    quadrant += (int32_t)(high >> 63);
    turn = (high >> 63 ? -(double)(~high) - 1.0 : (double)high) * 5.421010862427522e-20;
    turn += (double)low * 2.938735877055719e-39;
    *rest = turn * 1.5707963267948966;
    if (bits >> 63) {
        *rest = -*rest;
        quadrant = -quadrant;
    }
    return quadrant & 3;
}
