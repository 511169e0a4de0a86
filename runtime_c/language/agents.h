/*
 * agents.h - agents by number: their symbol, their present arity, and the rules of pairs.
 *
 * Numbers 0 to INPLA_BUILTIN_COUNT-1 are the engine's (Eraser, Dup); those of the language follow (ORDER BUILTIN_AGENT
 * in agents.c). A cell keeps the port count that it was made with; `arity` here is only what the next use is compared
 * with, so that the change can be warned of.
 */
#ifndef INPLA_AGENTS_H
#define INPLA_AGENTS_H

#include "language.h"

/* Agents of the language itself. Tuples have one number; their size is the cell's port count. */
typedef enum {
    AGENT_TUPLE = INPLA_BUILTIN_COUNT,
    AGENT_NIL,
    AGENT_CONS,
    AGENT_APPEND,
    AGENT_ZIP,
    AGENT_ZIPC,
    AGENT_MAP,
    AGENT_MERGER,
    AGENT_MERGERP,
    AGENT_ADD,
    AGENT_SUB,
    AGENT_MUL,
    AGENT_DIV,
    AGENT_MOD,
    AGENT_ADD_TO, /* _Add */
    AGENT_SUB_FROM,
    AGENT_MUL_BY,
    AGENT_DIV_BY,
    AGENT_MOD_BY,
    AGENT_PERCENT, /* a function value: one port, a number: the agent that it stands for */
    AGENT_FIRST_USER
} language_agent;

enum { ARITY_UNKNOWN = UINT32_MAX };

struct rule; /* rule.h: bytecode or a compiled function */

/* A user rule for the pair of this row's agent, as the left one, with `right`. */
typedef struct {
    uint32_t right;
    const struct rule *rule;
} agent_rule;

typedef struct {
    symbol_id symbol;
    uint32_t arity; /* ARITY_UNKNOWN while only %f or a rule's table has named it */
    const struct rule *with_int;   /* pair with an integer, with a float, with anything (wildcard) */
    const struct rule *with_float;
    const struct rule *with_any;
    agent_rule *rules; /* with agents: open addressing by number of the right agent, `mask` + 1 entries, NULL rule: empty */
    uint32_t mask;
    uint32_t rule_count;
} agent;

struct agents {
    agent *all;
    uint32_t count;
    uint32_t room;
};

int agents_open(language *run);
void agents_close(language *run);

/* The number of the agent `id`, used with `arity` ports; warns when that is not its arity so far. 0: out of memory. */
uint32_t agents_use(language *run, symbol_id id, uint32_t arity, uint32_t line);

/* Name of an agent, for prints and messages. */
const char *agents_name(const language *run, uint32_t number);

#endif
