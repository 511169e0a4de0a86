/*
 * failure.h - why a pair could not be reduced, and the message that says so.
 *
 * Whoever reduces (machine.c, compiled rules) tells the core with inpla_fail; `detail` of inpla_failed is one of these
 * kinds and what it needs to know. Rules are named by their agents and line, pairs are printed.
 */
#ifndef INPLA_FAILURE_H
#define INPLA_FAILURE_H

#include "inpla_value.h"
#include "run/language.h"

struct rule; /* rule.h */

/* ORDER FAILURE (failure.c) */
typedef enum {
    FAILURE_NO_RULE,  /* the pair of inpla_failed */
    FAILURE_NUMBERS,  /* both sides are numbers */
    FAILURE_NO_PORTS, /* the left one is %f of an agent f without ports */
    FAILURE_DIVISION, /* by zero, rand(0) included; from here on with `rule`, or NULL for a built-in agent's */
    FAILURE_INT,      /* port `what` holds no int */
    FAILURE_FLOAT,    /* port `what` holds no number */
    FAILURE_NATIVE,   /* function `what` (a symbol) is unknown or has failed */
    FAILURE_MEMORY    /* in `rule`; NULL: in the pair of `agents`, of which one is Eraser or Dup */
} failure_kind;

typedef struct {
    failure_kind kind;
    uint32_t what;
    const struct rule *rule;
    uint32_t agents[2];
} failure;

/* Reports a failure of this pair to the core; returns the status. The first one of several workers counts. */
inpla_status failure_set(inpla_worker *worker, inpla_pair pair, failure reason);

/* After inpla_reduce has failed: prints the message, in the reference's words where it has one; the line of the
 * statement, which those lack, on standard error. */
void failure_print(language *run);

/* After inpla_reduce has run out of memory: prints the message, which names what was being reduced as far as it is
 * known. Returns OUTCOME_EXIT. */
outcome failure_print_memory(language *run);

#endif
