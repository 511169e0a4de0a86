/*
 * literal.h - numbers as they are written: digits [. digits] [e [sign] digits].
 */
#ifndef INPLA_LITERAL_H
#define INPLA_LITERAL_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *end;     /* behind the last byte of the number */
    uint8_t is_float;    /* has a point or an exponent */
    uint8_t is_exact;    /* digits is all there is, without a point: no more than 19 of them */
    uint64_t digits;     /* the first 19 digits */
    int64_t exponent;    /* of ten, to multiply `digits` with */
} literal;

/* Reads the number that starts at `text`, which starts with a digit. */
literal literal_read(const char *text, const char *end);

/* Its value, read as a double and rounded to single. 0 if memory is exhausted (numbers of more than 19 digits). */
int literal_real(const literal *number, const char *text, float *value);

#endif
