/*
 * compiled_rule.h - what the functions of compiled rules use, besides inpla_rule.h and compiled.h.
 *
 * Ints are computed with as they lie in values: n is the word 2n + 1, an inpla_int. Whoever may fail sets `failed`.
 *
 * An agent's function reduces a pair of the agent and what comes of it (nets/c_agent.py). One of one result returns what
 * the result port is to be connected to, NULL when the net is lost, or COMPILED_DONE when nothing is left to connect: it
 * has used `into`, what the port leads to, where that is known. One of several results is given a compiled_result for
 * each.
 */
#ifndef INPLA_COMPILED_RULE_H
#define INPLA_COMPILED_RULE_H

#include "executable/compiled.h"
#include "number/number.h"
#include "table/agents.h"

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

/* So many interactions are made before a function looks whether another worker waits. With fewer, functions stop all the
 * time; with more, who waits for a short list waits for as long as the list takes. For tests it may be less. */
#ifndef COMPILED_PATIENCE
#define COMPILED_PATIENCE 512u
#endif

/* Of the thread: the lowest address that the C stack may reach, NULL before it is known; the count of interactions from
 * which on other workers are attended to, 0 after a function has stopped for one. */
extern _Thread_local const char *compiled_floor;
extern _Thread_local uint64_t compiled_until;

const char *compiled_find_floor(void);

/* Before a function of a pair calls the agent's function: the latter's `floor`. */
static inline const char *compiled_start(const inpla_worker *worker)
{
    compiled_until = worker->sharing ? worker->interactions + COMPILED_PATIENCE : UINT64_MAX;
#ifdef COMPILED_STACK_BYTES /* for tests: calls are not nested deeper than this */
    return (const char *)__builtin_frame_address(0) - COMPILED_STACK_BYTES;
#endif
    return inpla_likely(compiled_floor != NULL) ? compiled_floor : compiled_find_floor();
}

/* If another worker waits for pairs, it gets what there is; if that is nothing, the function has to stop: what waits for
 * it to return becomes pairs. `rounds` interactions are not yet in the worker's count. */
int compiled_gives_way(inpla_worker *worker, uint64_t rounds);

/* Is the C stack used up, or has the function to stop for another worker? */
#define COMPILED_MUST_STOP(worker, floor, rounds)                                      \
    inpla_unlikely((const char *)__builtin_frame_address(0) < (floor) ||               \
                   ((worker)->interactions + (rounds) >= compiled_until &&             \
                    compiled_gives_way((worker), (rounds))))

/* The same for a function that calls no other one and looks at the end of every round. */
#define COMPILED_LEAF_MUST_STOP(worker, rounds) \
    inpla_unlikely((rounds) % COMPILED_PATIENCE == 0 && compiled_gives_way((worker), (rounds)))

/* Division by zero in a rule, in an agent's function, where the pair is no more. Returns NULL. */
inpla_cell *compiled_stop(inpla_worker *worker, uint32_t rule);

/* A number that a rule lacks: FAILURE_INT or FAILURE_FLOAT, the rule, the port. */
typedef struct {
    failure_kind kind;
    uint32_t rule;
    uint32_t port;
} compiled_lack;

/* The agent that a function has gone on with is a cell again and meets its partner, or waits for what it lacks; `count`
 * interactions of this pair are not yet in the worker's count then. */
inpla_status compiled_wait(inpla_worker *worker, inpla_cell *waiting, inpla_cell *right, const compiled_lack *lack,
                           unsigned count);

/* What a port holds once wires have been followed to a number, if there is one. */
static inline inpla_cell *compiled_look(inpla_worker *worker, inpla_cell **port)
{
    compiled_follow(worker, port);
    return *port;
}

/* What a rule's function returns after that. */
inpla_status compiled_lost(const inpla_worker *worker);

/* Connects what an agent's function has returned to where the result port leads. */
static inline inpla_status compiled_give(inpla_worker *worker, inpla_cell *into, inpla_cell *value)
{
    if (inpla_unlikely(value == NULL))
        return compiled_lost(worker);
    return value == COMPILED_DONE ? compiled_end(worker) : compiled_last(worker, into, value);
}

/* Where a result goes: `first` is what it is, up to a hole in it that waits for the rest; NULL if nothing is to be
 * connected to `into`, which is where the result port leads, NULL if the caller takes the value. */
typedef struct {
    inpla_cell *into;
    inpla_cell *first;
    inpla_cell **hole;
} compiled_result;

/* A value for a port that a name leads to. Dup copies a number that a port holds along with the cell, and meets one behind
 * a wire, as it is where a name leads to it: then the wire is there. NULL: memory is exhausted. */
static inline inpla_cell *compiled_behind_wire(inpla_worker *worker, inpla_cell *value)
{
    if (inpla_likely(!inpla_is_number(value)))
        return value;
    inpla_cell *const wire = inpla_wire(worker);
    if (wire != NULL)
        inpla_set_first(wire, value);
    return wire;
}

/* Puts the rest of a result into its hole. 0: memory is exhausted. */
static inline int compiled_fill(inpla_worker *worker, const compiled_result *of, inpla_cell *value)
{
    if (of->hole != &of->first)
        value = compiled_behind_wire(worker, value);
    *of->hole = value;
    return value != NULL;
}

#define COMPILED_RESULT(name, leads) compiled_result name = {(leads), NULL, &name.first}

/* Where the result leads, if nothing has been put there yet. */
static inline inpla_cell *compiled_into(const compiled_result *of)
{
    return of->hole == &of->first ? of->into : NULL;
}

/* The rest of the result as a connection: where it leads, or a wire. NULL: memory is exhausted. */
static inline inpla_cell *compiled_open_result(inpla_worker *worker, compiled_result *of)
{
    inpla_cell *const into = compiled_into(of);
    if (into != NULL)
        return into;
    inpla_cell *const wire = inpla_wire(worker);
    *of->hole = wire;
    return wire;
}

/* The one result, for a function that returns it. */
static inline inpla_cell *compiled_value(const compiled_result *of)
{
    return of->first != NULL ? of->first : COMPILED_DONE;
}

/* The same, where another function has returned the rest. */
static inline inpla_cell *compiled_pass_on(inpla_worker *worker, compiled_result *of, inpla_cell *value)
{
    if (value == NULL || value == COMPILED_DONE)
        return value;
    return compiled_fill(worker, of, value) ? of->first : NULL;
}

/* Connects the result to where it leads. */
static inline inpla_status compiled_give_result(inpla_worker *worker, const compiled_result *of)
{
    return of->first == NULL ? compiled_end(worker) : compiled_last(worker, of->into, of->first);
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

/* Dup(d0, d1) ~ value. 0: the net is lost. */
int compiled_copy(inpla_worker *worker, const char *floor, compiled_result *d0, compiled_result *d1, inpla_cell *value);

static inline int compiled_Dup_2(inpla_worker *worker, const char *floor, compiled_result *d0, compiled_result *d1,
                                 inpla_cell *value)
{
    if (!inpla_is_number(value))
        return compiled_copy(worker, floor, d0, d1, value);
    worker->interactions++;
    return compiled_fill(worker, d0, value) && compiled_fill(worker, d1, value);
}

/* Append(into, b) ~ list. */
inpla_cell *compiled_Append_2(inpla_worker *worker, const char *floor, inpla_cell *into, inpla_cell *b, inpla_cell *list);

/* Add(into, b) ~ m and so on: `b op m`, two interactions, if both are there. */
inpla_cell *compiled_operate(inpla_worker *worker, inpla_cell *into, number_operation operation, inpla_cell *b,
                             inpla_cell *m);

static inline int compiled_are_ints(const inpla_cell *a, const inpla_cell *b)
{
    return (int)((uintptr_t)a & (uintptr_t)b & 1u);
}

#define COMPILED_OPERATION(name, operation, function, is_possible)                                                \
    static inline inpla_cell *name(inpla_worker *worker, const char *floor, inpla_cell *into, inpla_cell *b,         \
                                   inpla_cell *m)                                                                 \
    {                                                                                                             \
        (void)floor;                                                                                              \
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
