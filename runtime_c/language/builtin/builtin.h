/*
 * builtin.h - the rules of the language's own agents (tuples, lists, numbers, function values), as C functions in the
 * form of inpla_rule.h. The dispatcher counts one interaction per call.
 */
#ifndef INPLA_BUILTIN_H
#define INPLA_BUILTIN_H

#include "inpla_value.h"
#include "run/language.h"

/* Enters all of them into the table of rules, for the pairs that are known by their agents. 0: memory is exhausted. */
int builtin_add_rules(language *run);

/* builtin_list.c, builtin_merger.c, builtin_function.c, builtin_number.c: the same, of each part. */
int builtin_add_list_rules(language *run);
int builtin_add_merger_rules(language *run);
int builtin_add_function_rules(language *run);
int builtin_add_number_rules(language *run);

/* A rule of two agents. */
typedef struct {
    uint32_t left;
    uint32_t right;
    inpla_rule call;
} builtin_rule;

int builtin_add_table(language *run, const builtin_rule *table, uint32_t count);

/* The connections a ~ b, c ~ d. */
static inline inpla_status builtin_connect_two(inpla_worker *worker, inpla_cell *a, inpla_cell *b, inpla_cell *c,
                                               inpla_cell *d)
{
    const inpla_status status = inpla_connect(worker, a, b);
    return status != INPLA_OK ? status : inpla_connect(worker, c, d);
}

/* A new agent of two ports, or NULL. */
static inline inpla_cell *builtin_new_2(inpla_worker *worker, uint32_t agent, inpla_cell *a, inpla_cell *b)
{
    inpla_cell *made = inpla_new(worker, agent, 2);
    if (made != NULL) {
        inpla_ports(made)[0].cell = a;
        inpla_ports(made)[1].cell = b;
    }
    return made;
}

/* Two equal agents meet, and their ports are connected one by one: tuples, list cells. */
inpla_status builtin_unify(inpla_worker *worker, inpla_cell *left, inpla_cell *right);

#endif
