/*
 * literal.c - reads numbers, fast for the usual ones and exact for all.
 */
#include "number/literal.h"

#include <stdlib.h>
#include <string.h>

enum { EXACT_DIGITS = 19, LARGEST_EXACT_POWER = 22, BUFFER_BYTES = 64 };
#define LARGEST_EXACT_INTEGER (UINT64_C(1) << 53)
#define EXPONENT_BOUND INT64_C(1000000000)

/* A count of digits, leading zeros aside, that were taken into `digits`; others only move the exponent. */
typedef struct {
    literal *number;
    unsigned taken;
    uint8_t is_cut;
} digit_reader;

static int is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

static const char *read_digits(digit_reader *reader, const char *at, const char *end, int is_fraction)
{
    for (; is_digit(at, end); at++) {
        if (reader->taken < EXACT_DIGITS) {
            reader->number->digits = reader->number->digits * 10 + (uint64_t)(*at - '0');
            reader->taken += reader->number->digits != 0;
            reader->number->exponent -= is_fraction;
        } else {
            reader->number->exponent += !is_fraction;
            reader->is_cut = 1;
        }
    }
    return at;
}

static const char *read_exponent(literal *number, const char *at, const char *end)
{
    const char *digit = at + 1;
    int64_t exponent = 0;
    const int is_negative = digit < end && *digit == '-';
    if (digit < end && (*digit == '-' || *digit == '+'))
        digit++;
    if (!is_digit(digit, end))
        return at;
    for (; is_digit(digit, end); digit++)
        if (exponent < EXPONENT_BOUND)
            exponent = exponent * 10 + (*digit - '0');
    number->exponent += is_negative ? -exponent : exponent;
    number->is_float = 1;
    return digit;
}

literal literal_read(const char *text, const char *end)
{
    literal number = {0};
    digit_reader reader = {.number = &number};
    const char *at = read_digits(&reader, text, end, 0);
    if (at < end && *at == '.') {
        number.is_float = 1;
        at = read_digits(&reader, at + 1, end, 1);
    }
    if (at < end && (*at == 'e' || *at == 'E'))
        at = read_exponent(&number, at, end);
    number.is_exact = !reader.is_cut;
    number.end = at;
    return number;
}

/* By the C library, which needs a 0 behind the text. */
static int read_slowly(const literal *number, const char *text, double *value)
{
    char buffer[BUFFER_BYTES];
    const size_t length = (size_t)(number->end - text);
    char *copy = length < sizeof buffer ? buffer : malloc(length + 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, text, length);
    copy[length] = 0;
    *value = strtod(copy, NULL);
    if (copy != buffer)
        free(copy);
    return 1;
}

int literal_real(const literal *number, const char *text, float *value)
{
    static const double powers[LARGEST_EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int64_t power = number->exponent < 0 ? -number->exponent : number->exponent;
    double exact = (double)number->digits;
    /* Both operands are doubles without rounding, so the one operation rounds correctly. */
    if (number->is_exact && number->digits <= LARGEST_EXACT_INTEGER && power <= LARGEST_EXACT_POWER)
        exact = number->exponent < 0 ? exact / powers[power] : exact * powers[power];
    else if (!read_slowly(number, text, &exact))
        return 0;
    *value = (float)exact;
    return 1;
}
