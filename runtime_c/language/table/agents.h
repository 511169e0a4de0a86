/*
 * agents.h - agents by number: what they are called, how many ports they have, and the rules of their pairs.
 *
 * A number stands for one identifier with one port count: used with another one, an identifier gets another number, so
 * cells and rules made before keep theirs, and equal numbers mean equal headers. Tuples are the identifier `()`, one
 * number per size. Numbers 0 to INPLA_BUILTIN_COUNT - 1 are the core's (Eraser, Dup); those of the language follow.
 */
#ifndef INPLA_AGENTS_H
#define INPLA_AGENTS_H

#include "run/language.h"

/* ORDER BUILTIN_AGENT (agents.c) */
typedef enum {
    AGENT_UNIT = INPLA_BUILTIN_COUNT, /* () */
    AGENT_PAIR,                       /* (a,b); larger tuples: agents_tuple */
    AGENT_NIL,
    AGENT_CONS,
    AGENT_APPEND,
    AGENT_ZIP,
    AGENT_ZIPC,
    AGENT_ZIPD, /* _ZipD: ZipC with the lists exchanged */
    AGENT_MAP,
    AGENT_MERGER,
    AGENT_MERGERP, /* _MergerP: waits for a cell of one of the two lists; its port is a cell that the two share */
    AGENT_MERGED,  /* _Merged, that cell: the end of the merged list, and how many lists go on (builtin_merger.c) */
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
    AGENT_PERCENT, /* %f: one port, an integer: the symbol of f */
    AGENT_FIRST_USER
} language_agent;

/* What agents_use and agents_tuple return when memory is exhausted. */
#define AGENT_NONE INPLA_WIRE

struct rule;     /* rule.h */
union code_word; /* code.h */

/* The rule for the pair of a row's agent, as the left one, with `right`; every rule of two agents is in both rows. */
typedef struct {
    const struct rule *rule;
    const union code_word *code; /* where the machine starts for this order of the two sides */
    uint32_t right;              /* AGENT_NONE: the entry is empty */
} agent_rule;

typedef struct {
    const union code_word *with_int; /* never NULL: a pair without a rule has code, too, that says so */
    const union code_word *with_float;
    const agent_rule *rules; /* open addressing, `mask` + 1 entries; found at `right & mask` or behind */
    uint32_t mask;
    uint32_t rule_count;
    const struct rule *int_rule; /* the user's rules, NULL if there is none: for int, float, any agent */
    const struct rule *float_rule;
    const struct rule *any_rule;
    symbol_id symbol;
    uint32_t arity;
} agent_row;

struct agents {
    agent_row *all;
    uint32_t count;
    uint32_t room;
    uint32_t *slots; /* open addressing by symbol and arity: 1 + number, 0: empty; a power of two of them */
    uint32_t slot_count;
    union code_word *no_rule; /* what the machine does with a pair of an agent and a number that has no rule */
};

/* 0 when memory is exhausted. */
int agents_open(language *run);
void agents_close(language *run);

/* The number of the agent `id`, used with `arity` ports from now on; warns when so far it had another port count. */
uint32_t agents_use(language *run, symbol_id id, uint32_t arity, uint32_t line);

/* The number of `id` with `arity` ports, without making this its use: for tables made before the script is read. */
uint32_t agents_number(language *run, symbol_id id, uint32_t arity);

/* The number of tuples of `size` (0, 2, 3, ...). */
uint32_t agents_tuple(language *run, uint32_t size);

/* The same for the size of an agent in use, for which there is a number: may be called while a net is reduced. */
uint32_t agents_find_tuple(const language *run, uint32_t size);

static inline const agent_row *agents_get(const language *run, uint32_t number)
{
    return &run->agents->all[number];
}

static inline int agents_is_tuple(const language *run, uint32_t number)
{
    return agents_get(run, number)->symbol == agents_get(run, AGENT_UNIT)->symbol;
}

/* Name of an agent as messages say it: `f`, `Cons`, `[]`, `Tuple`. */
const char *agents_name(const language *run, uint32_t number);

/* Makes the code that starts there, of `rule`, what the machine executes for the pair of agents. 0: memory is
 * exhausted. */
int agents_set_rule(language *run, uint32_t left, uint32_t right, const struct rule *rule,
                    const union code_word *start);

/* The entry for the pair of a row's agent with `right`, NULL if there is none. */
static inline const agent_rule *agents_find_rule(const agent_row *left, uint32_t right)
{
    for (uint32_t i = right & left->mask; left->rules[i].right != AGENT_NONE; i = (i + 1) & left->mask)
        if (left->rules[i].right == right)
            return &left->rules[i];
    return NULL;
}

#endif
