/*
 * number.h - arithmetic on values: 63-bit integers that wrap around as two's complement, IEEE singles that round at
 * every operation. Who divides looks for zero first.
 */
#ifndef INPLA_NUMBER_H
#define INPLA_NUMBER_H

#include <math.h>
#include <stdint.h>

#include "inpla_value.h"

/* ORDER NUMBER_OPERATION (builtin_number.c) */
typedef enum { NUMBER_ADD, NUMBER_SUBTRACT, NUMBER_MULTIPLY, NUMBER_DIVIDE, NUMBER_REMAINDER } number_operation;

/* The tag bit is 1: an integer n is the word 2n + 1. */

static inline inpla_cell *number_add(const inpla_cell *a, const inpla_cell *b)
{
    return (inpla_cell *)((uintptr_t)a + (uintptr_t)b - 1);
}

static inline inpla_cell *number_subtract(const inpla_cell *a, const inpla_cell *b)
{
    return (inpla_cell *)((uintptr_t)a - (uintptr_t)b + 1);
}

static inline inpla_cell *number_multiply(const inpla_cell *a, const inpla_cell *b)
{
    return (inpla_cell *)(((uintptr_t)a - 1) * (uintptr_t)inpla_int_of(b) + 1);
}

static inline inpla_cell *number_divide(const inpla_cell *a, const inpla_cell *b)
{
    return inpla_of_int(inpla_int_of(a) / inpla_int_of(b));
}

static inline inpla_cell *number_remainder(const inpla_cell *a, const inpla_cell *b)
{
    return inpla_of_int(inpla_int_of(a) % inpla_int_of(b));
}

static inline inpla_cell *number_negate(const inpla_cell *a)
{
    return (inpla_cell *)(2 - (uintptr_t)a);
}

/* Of a number, as a float: an integer by C's conversion. */
static inline float number_real(const inpla_cell *a)
{
    return inpla_is_int(a) ? (float)inpla_int_of(a) : inpla_float_of(a);
}

static inline inpla_cell *number_real_operation(number_operation operation, const inpla_cell *a, const inpla_cell *b)
{
    const float x = number_real(a), y = number_real(b);
    switch (operation) {
    case NUMBER_ADD:
        return inpla_of_float(x + y);
    case NUMBER_SUBTRACT:
        return inpla_of_float(x - y);
    case NUMBER_MULTIPLY:
        return inpla_of_float(x * y);
    case NUMBER_DIVIDE:
        return inpla_of_float(x / y);
    default:
        return inpla_of_float(fmodf(x, y));
    }
}

/* Both are integers. NULL: division by zero. */
static inline inpla_cell *number_int_operation(number_operation operation, const inpla_cell *a, const inpla_cell *b)
{
    switch (operation) {
    case NUMBER_ADD:
        return number_add(a, b);
    case NUMBER_SUBTRACT:
        return number_subtract(a, b);
    case NUMBER_MULTIPLY:
        return number_multiply(a, b);
    case NUMBER_DIVIDE:
        return inpla_int_of(b) == 0 ? NULL : number_divide(a, b);
    default:
        return inpla_int_of(b) == 0 ? NULL : number_remainder(a, b);
    }
}

/* Of any two numbers: an integer with a float gives a float. NULL: division of an integer by the integer zero. */
static inline inpla_cell *number_operate(number_operation operation, const inpla_cell *a, const inpla_cell *b)
{
    return inpla_is_int(a) && inpla_is_int(b) ? number_int_operation(operation, a, b)
                                              : number_real_operation(operation, a, b);
}

static inline int number_is_true(const inpla_cell *a)
{
    return inpla_is_int(a) ? inpla_int_of(a) != 0 : inpla_float_of(a) != 0;
}

/* A pseudo-random integer of 0 ... limit - 1, limit > 0: the C library's rand, never seeded. (builtin_number.c) */
int64_t number_random(int64_t limit);

/* The same for a number of either kind, of which the sign and what is behind the point do not count; as the same kind.
 * NULL: it is 0, or no number. (builtin_number.c) */
inpla_cell *number_random_below(const inpla_cell *limit);

#endif
