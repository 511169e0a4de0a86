/*
 * rule.h - the rules of a run: what the machine executes, and what messages say about them.
 */
#ifndef INPLA_RULE_DEFINITION_H
#define INPLA_RULE_DEFINITION_H

#include "machine/failure.h"
#include "rules/code.h"
#include "run/language.h"

/* What a head catches that is no agent: pseudo agents, behind all real ones. */
enum { HEAD_INT = 0x7FFFFFF0, HEAD_REAL, HEAD_ANY };

static inline int head_is_agent(uint32_t head)
{
    return head < HEAD_INT;
}

typedef struct rule {
    struct rule *next; /* of all rules of the run, the newest first */
    code_word *code;     /* a SWAP, then the code that expects left and right in the order of the rule */
    uint32_t word_count;
    uint32_t left;  /* an agent's number */
    uint32_t right; /* likewise, or HEAD_INT ... */
    uint32_t line;  /* the first one of the rule */
    uint32_t number; /* among the rules of the script as the run meets them; of a user's rule */
    uint32_t register_count;
    const char *file;    /* as language.file */
    inpla_rule compiled; /* instead of bytecode: a built-in agent's, or a rule of a compiled program */
    uint8_t is_exchanged; /* it was written with its agents in the other order */
    uint8_t is_builtin;   /* a user's rule may take its place */
} rule;

typedef struct rules {
    rule *newest;
    inpla_cell ***registers; /* of each worker */
    uint32_t register_count; /* room for each of them: as many as the largest rule needs */
    failure *failures;       /* of each worker */
    struct postponed *postponed;
    uint32_t met;            /* rules of the script so far: index of the next one in a compiled program */
    struct compiler *compiler;
    const code_word *unify_code; /* connects the ports of two equal agents */
} rules;

/* 0 when memory is exhausted. After agents_open; before agents_close. */
int rules_open(language *run);
void rules_close(language *run);

/* The rule that an instruction belongs to; NULL: there is none. */
const rule *rules_find_code(const language *run, const code_word *at);

/* Makes a rule of a C function the one for its pair, until a user's rule takes its place. NULL: memory is exhausted. */
const rule *rules_add_builtin(language *run, uint32_t left, uint32_t right, inpla_rule call);

/* The same with an operation of the machine that comes before the call, and may make it. */
const rule *rules_add_operation(language *run, uint32_t left, uint32_t right, code_operation operation,
                                inpla_rule call);

#endif
