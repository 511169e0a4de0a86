/*
 * compiled_rule.h - what the functions of compiled rules use, besides inpla_rule.h and compiled.h.
 *
 * Ints are computed with as they lie in values: n is the word 2n + 1, an inpla_int. Whoever may fail sets `failed`.
 *
 * An agent's function reduces a pair of the agent and what comes of it. It returns what the agent's first port is to be
 * connected to, NULL when the net is lost, or COMPILED_DONE when nothing is left to connect: it has used `into`, what
 * the port leads to, where that is known.
 */
#ifndef INPLA_COMPILED_RULE_H
#define INPLA_COMPILED_RULE_H

#include "agents.h"
#include "compiled.h"
#include "number.h"

/* --- numbers ----------------------------------------------------------------------------------------------------- */

static inline inpla_int int_quotient(inpla_int a, inpla_int b, int *failed)
{
    if (inpla_unlikely(b == 1)) {
        *failed = 1;
        return 1;
    }
    return (inpla_int)((uintptr_t)((a >> 1) / (b >> 1)) << 1 | 1u);
}

static inline inpla_int int_remainder(inpla_int a, inpla_int b, int *failed)
{
    if (inpla_unlikely(b == 1)) {
        *failed = 1;
        return 1;
    }
    return (inpla_int)((uintptr_t)((a >> 1) % (b >> 1)) << 1 | 1u);
}

static inline inpla_int int_random(inpla_int limit, int *failed)
{
    if (limit <= 1) {
        *failed = 1;
        return 1;
    }
    return (inpla_int)((uintptr_t)compiled_rand(limit >> 1) << 1 | 1u);
}

/* By the integer part of `limit`. */
static inline float float_random(float limit, int *failed)
{
    if (!(limit >= 1)) {
        *failed = 1;
        return 0;
    }
    return (float)compiled_rand(limit < 0x1p62f ? (int64_t)limit : INPLA_INT_MAX);
}

/* --- agents' functions ------------------------------------------------------------------------------------------- */

#define COMPILED_DONE ((inpla_cell *)(uintptr_t)4)

/* So many rounds does a loop make before it looks whether another worker waits. */
#define COMPILED_PATIENCE 1024u

/* How deep functions may call each other. With other workers at the net, what is deeper is better left to them. */
static inline unsigned compiled_depth(const inpla_worker *worker)
{
    return worker->sharing ? 24 : 2000;
}

/* The failure of a rule in an agent's function, where the pair is no more. Returns NULL. */
inpla_cell *compiled_stop(inpla_worker *worker, failure_kind kind, uint32_t rule, uint32_t what);

/* Connects what an agent's function has returned to where its first port leads. */
inpla_status compiled_lost(const inpla_worker *worker);

static inline inpla_status compiled_give(inpla_worker *worker, inpla_cell *into, inpla_cell *value)
{
    if (inpla_unlikely(value == NULL))
        return compiled_lost(worker);
    return value == COMPILED_DONE ? compiled_end(worker) : compiled_last(worker, into, value);
}

/* What a wire leads to by now, which then is freed; anything else is returned as it is. */
static inline inpla_cell *compiled_reach(inpla_worker *worker, inpla_cell *value)
{
    while (!inpla_is_number(value) && inpla_agent_of(value) == INPLA_WIRE) {
        inpla_cell *const first = inpla_first_of(value);
        if (first == NULL)
            break;
        inpla_free(worker, value, 1);
        value = first;
    }
    return value;
}

/* Eraser ~ value. */
inpla_status compiled_erase_cell(inpla_worker *worker, inpla_cell *value);

static inline inpla_status compiled_erase(inpla_worker *worker, inpla_cell *value)
{
    if (!inpla_is_number(value))
        return compiled_erase_cell(worker, value);
    worker->interactions++;
    return INPLA_OK;
}

/* Add(into, b) ~ m and so on: `b op m`, two interactions, if both are there. */
inpla_cell *compiled_operate(inpla_worker *worker, inpla_cell *into, number_operation operation, inpla_cell *b,
                             inpla_cell *m);

static inline int compiled_are_ints(const inpla_cell *a, const inpla_cell *b)
{
    return (int)((uintptr_t)a & (uintptr_t)b & 1u);
}

#define COMPILED_OPERATION(name, operation, function, is_possible)                                                \
    static inline inpla_cell *name(inpla_worker *worker, inpla_cell *into, inpla_cell *b, inpla_cell *m)           \
    {                                                                                                             \
        if (inpla_unlikely(!compiled_are_ints(b, m) || !(is_possible)))                                           \
            return compiled_operate(worker, into, operation, b, m);                                               \
        worker->interactions += 2;                                                                                \
        return function(b, m);                                                                                    \
    }
COMPILED_OPERATION(compiled_Add_2, NUMBER_ADD, number_add, 1)
COMPILED_OPERATION(compiled_Sub_2, NUMBER_SUBTRACT, number_subtract, 1)
COMPILED_OPERATION(compiled_Mul_2, NUMBER_MULTIPLY, number_multiply, 1)
COMPILED_OPERATION(compiled_Div_2, NUMBER_DIVIDE, number_divide, inpla_int_of(m) != 0)
COMPILED_OPERATION(compiled_Mod_2, NUMBER_REMAINDER, number_remainder, inpla_int_of(m) != 0)
#undef COMPILED_OPERATION

/* What a function value `%f` has in its port; `number` is that of f with any port count. */
static inline inpla_cell *compiled_function(const inpla_worker *worker, uint32_t number)
{
    return inpla_of_int(agents_get((const language *)worker->user, number)->symbol);
}

#endif
