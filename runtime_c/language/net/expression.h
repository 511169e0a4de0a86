/*
 * expression.h - the expressions of a net: evaluated in its nodes, before anything is built.
 */
#ifndef INPLA_EXPRESSION_H
#define INPLA_EXPRESSION_H

#include "inpla_value.h"
#include "run/language.h"

/*
 * Replaces expressions, constants and attribute variables in `range` of the net's nodes by numbers, binds the variables
 * of BIND nodes, and counts the occurrences of names (locals.h). What is left at the start of the range, numbers and
 * terms, ends at range->end then. Prints a message unless the outcome is OUTCOME_OK.
 */
outcome expression_evaluate(language *run, const statement *net, syntax_range *range);

/* The value of a SYNTAX_INT or SYNTAX_FLOAT. */
static inline inpla_cell *expression_number(const syntax_node *node)
{
    return node->kind == SYNTAX_INT ? inpla_of_int(node->value.integer) : inpla_of_float(node->value.real);
}

#endif
