/*
 * calculate.c - operators on numbers. Must not know where operands come from.
 */
#include "number/calculate.h"

#include "number/number.h"

inpla_cell *calculate_truth(int is_true, int is_float)
{
    return is_float ? inpla_of_float((float)is_true) : inpla_of_int(is_true);
}

static int compare_ints(syntax_kind operation, int64_t left, int64_t right)
{
    switch (operation) {
    case SYNTAX_EQUAL:
        return left == right;
    case SYNTAX_UNEQUAL:
        return left != right;
    case SYNTAX_LESS:
        return left < right;
    case SYNTAX_LESS_EQUAL:
        return left <= right;
    case SYNTAX_GREATER:
        return left > right;
    default:
        return left >= right;
    }
}

static int compare_reals(syntax_kind operation, float left, float right)
{
    switch (operation) {
    case SYNTAX_EQUAL:
        return left == right;
    case SYNTAX_UNEQUAL:
        return left != right;
    case SYNTAX_LESS:
        return left < right;
    case SYNTAX_LESS_EQUAL:
        return left <= right;
    case SYNTAX_GREATER:
        return left > right;
    default:
        return left >= right;
    }
}

static int compare(syntax_kind operation, const inpla_cell *left, const inpla_cell *right)
{
    return inpla_is_int(left) && inpla_is_int(right)
               ? compare_ints(operation, inpla_int_of(left), inpla_int_of(right))
               : compare_reals(operation, number_real(left), number_real(right));
}

inpla_cell *calculate_binary(syntax_kind operation, const inpla_cell *left, const inpla_cell *right, int is_float)
{
    if (operation <= SYNTAX_REMAINDER) /* the same order as in number.h */
        return number_operate((number_operation)(operation - SYNTAX_ADD), left, right);
    if (operation == SYNTAX_AND)
        return calculate_truth(number_is_true(left) && number_is_true(right), is_float);
    if (operation == SYNTAX_OR)
        return calculate_truth(number_is_true(left) || number_is_true(right), is_float);
    return calculate_truth(compare(operation, left, right), is_float);
}

inpla_cell *calculate_unary(syntax_kind operation, const inpla_cell *operand, int is_float)
{
    if (operation == SYNTAX_NOT)
        return calculate_truth(!number_is_true(operand), is_float);
    if (operation == SYNTAX_RAND)
        return number_random_below(operand);
    return inpla_is_int(operand) ? number_negate(operand) : inpla_of_float(-inpla_float_of(operand));
}
