/*
 * calculate.h - what the operators of expressions yield.
 *
 * int op int is an int, which wraps around at 63 bits; with a float on either side it is a float, each operation
 * rounded to single. Comparisons and logic yield 1 or 0: ints, but floats where every number is one (`is_float`).
 */
#ifndef INPLA_CALCULATE_H
#define INPLA_CALCULATE_H

#include "inpla_value.h"
#include "syntax/syntax.h"

/* 1 or 0. */
inpla_cell *calculate_truth(int is_true, int is_float);

/* `left operation right`, of SYNTAX_ADD ... SYNTAX_GREATER_EQUAL, SYNTAX_AND, SYNTAX_OR. NULL: division by zero. */
inpla_cell *calculate_binary(syntax_kind operation, const inpla_cell *left, const inpla_cell *right, int is_float);

/* `operation operand`, of SYNTAX_NEGATE, SYNTAX_NOT, SYNTAX_RAND. NULL: rand(0). */
inpla_cell *calculate_unary(syntax_kind operation, const inpla_cell *operand, int is_float);

#endif
