/*
 * compiled.h - what an executable of inpla-cc brings along: its scripts, and their rules as C functions.
 *
 * The executable runs its script through the same front end as `inpla`. Only where a rule would become bytecode, the
 * function is taken that was compiled from the same text. Generated C includes this header; its main is
 *
 *     int main(int argc, char **argv) { return compiled_main(&program, argc, argv); }
 *
 * A rule's function follows inpla_rule.h, with values (inpla_value.h) in all ports. It gets the cells in the order of
 * the rule's heads, but the partner of `int i`, `float k` or a wildcard is always `right` (a number, or the cell that
 * the wildcard caught). It ends with one of
 *
 *     return compiled_last(worker, a, b);   the last connection of the branch, which is reduced next where it can be
 *     return compiled_end(worker);          there is none
 *
 * and fails with `return compiled_fail(worker, left, right, kind, RULE, what)`, RULE being the index of the rule.
 */
#ifndef INPLA_COMPILED_H
#define INPLA_COMPILED_H

#include "inpla_value.h"

#include "machine/failure.h"

/* An agent that has a number before the script is read: AGENT_FIRST_USER + index (agents.h). Tuples of 3 and more ports
 * are `()`. Agents of the language are not listed: AGENT_NIL, AGENT_CONS, AGENT_PAIR ... */
typedef struct {
    const char *name;
    uint32_t ports;
} compiled_agent;

/* A file as `use` names it; the first one is the script itself. */
typedef struct {
    const char *name;
    const char *text; /* ends with 0, which `size` does not count */
    size_t size;
} compiled_file;

typedef struct compiled_program {
    const compiled_agent *agents;
    const inpla_rule *rules; /* in the order in which the run meets them, used files included; NULL: no function */
    const compiled_file *files;
    const char *const *options; /* words of a command line, read before that of the executable */
    uint32_t agent_count;
    uint32_t rule_count;
    uint32_t file_count;
    uint32_t option_count;
} compiled_program;

/* Runs the program with the options of `inpla` that make sense for it. Returns the exit status. (compiled_main.c) */
int compiled_main(const compiled_program *program, int argc, char **argv);

/* The embedded text of a file, NULL if there is none of that name. */
const compiled_file *compiled_find_file(const compiled_program *program, const char *name);

/* Gives the program's agents their numbers. 0: memory is exhausted. */
int compiled_open(language *run);

/* Reports a failure of rule number `rule` of the program (FAILURE_DIVISION, FAILURE_INT, ...); returns the status. Where
 * a number is lacking that another worker may bring, the pair waits (postponed.h), which is no failure. */
inpla_status compiled_fail(inpla_worker *worker, inpla_cell *left, inpla_cell *right, failure_kind kind, uint32_t rule,
                           uint32_t what);

/* The same for a native function by name. */
inpla_status compiled_fail_native(inpla_worker *worker, inpla_cell *left, inpla_cell *right, uint32_t rule,
                                  const char *name);

/* The pseudo-random number of `rand(n)`, n > 0. */
int64_t compiled_rand(int64_t n);

/* The number that a port or partner leads to, over wires, which then are gone: the port holds it. NULL: there is
 * none. */
inpla_cell *compiled_follow(inpla_worker *worker, inpla_cell **port);

/* An `int i` port: the number there. NULL: there is none, or not yet; then
 * `return compiled_fail(worker, left, right, FAILURE_INT, RULE, port)` before anything of the pair is changed, ports
 * counted from 0, those of the rule's right head behind those of the left one. */
static inline inpla_cell *compiled_int_of(inpla_worker *worker, inpla_cell **port)
{
    if (inpla_likely(inpla_is_int(*port)))
        return *port;
    inpla_cell *value = compiled_follow(worker, port);
    return value != NULL && inpla_is_int(value) ? value : NULL;
}

/* A `float k` port, or a `float k` partner: as a float, also if it holds an int. NULL: FAILURE_FLOAT. */
static inline inpla_cell *compiled_float_of(inpla_worker *worker, inpla_cell **port)
{
    if (inpla_likely(inpla_is_float(*port)))
        return *port;
    inpla_cell *value = compiled_follow(worker, port);
    return value != NULL && inpla_is_int(value) ? inpla_of_float((float)inpla_int_of(value)) : value;
}

/* `port` is a variable, or the port of a cell. */
#define compiled_int(worker, port) compiled_int_of((worker), &(port))
#define compiled_float(worker, port) compiled_float_of((worker), &(port))

/* The connection a ~ b, the last one of a branch. */
static inline inpla_status compiled_last(inpla_worker *worker, inpla_cell *a, inpla_cell *b)
{
    return inpla_connect(worker, a, b);
}

static inline inpla_status compiled_end(inpla_worker *worker)
{
    (void)worker;
    return INPLA_OK;
}

#endif
