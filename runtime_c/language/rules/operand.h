/*
 * operand.h - what the compiler knows of the value of an expression.
 */
#ifndef INPLA_OPERAND_H
#define INPLA_OPERAND_H

#include <stdint.h>

#include "inpla_value.h"

typedef enum {
    OPERAND_REGISTER,
    OPERAND_CONSTANT,
    OPERAND_CONDITION, /* whether `comparison` of left and right holds; nothing has been computed for it yet */
    OPERAND_LEFT_SIDE  /* of `and` or `or`, whose right side is being compiled: the label that it has jumped to */
} operand_kind;

/* Of floats only the first four. */
typedef enum { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE } comparison;

#define NO_LABEL UINT32_MAX

typedef struct {
    uint8_t kind; /* operand_kind */
    uint8_t is_real;
    uint8_t comparison;
    uint8_t is_negated; /* of floats: the comparison must not hold, which a NaN makes another thing than its opposite */
    uint32_t place;     /* the register; of a condition, the left side's */
    uint32_t right;     /* register of a condition's right side, or NO_REGISTER: `value` */
    inpla_cell *value;  /* of a constant; a condition's right side */
    uint32_t when_true; /* labels that jumps before the comparison go to, or NO_LABEL */
    uint32_t when_false;
} operand;

static inline operand operand_constant(const inpla_cell *value)
{
    inpla_cell *const number = (inpla_cell *)(uintptr_t)value;
    return (operand){.kind = OPERAND_CONSTANT, .is_real = !inpla_is_int(value), .value = number};
}

static inline operand operand_in_register(uint32_t place, int is_real)
{
    return (operand){.kind = OPERAND_REGISTER, .is_real = (uint8_t)is_real, .place = place};
}

#endif
