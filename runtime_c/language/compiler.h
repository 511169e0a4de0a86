/*
 * compiler.h - a rule's statement to code: what the compiler's files share.
 *
 *   head.c                 the heads
 *   compiler.c             guards, bindings, branches
 *   compile_expression.c   expressions: operands, conditions, jumps
 *   branch.c               the terms of a branch, and that each name occurs as often as it has to
 *   routes.c               connections that need no wire
 *   compile_branch.c       which cells are reused; cells, connections, the last connection
 *
 * Must not know how the machine executes it.
 */
#ifndef INPLA_COMPILER_H
#define INPLA_COMPILER_H

#include "assembler.h"
#include "branch.h"
#include "language.h"
#include "operand.h"
#include "rule.h"
#include "scope.h"

typedef struct compiler {
    language *run;
    const statement *source;
    rule *rule;
    scope scope;
    branch branch;
    assembler out;
    operand *operands; /* of the expression at hand */
    uint32_t operand_count;
    uint32_t operand_room;
    uint32_t *arguments; /* registers of those of a native function */
    uint32_t argument_room;
    uint32_t *ports; /* registers of those of an agent */
    uint32_t port_room;
    uint32_t *list; /* terms in the order in which they are built */
    uint32_t list_room;
    uint32_t loop;           /* of the branch: the term of the rule's own agent that goes on, or NO_TERM */
    uint32_t wire_count;     /* of the branch */
    uint32_t spare_cells;    /* of the pair, that wires may be made in: bit CODE_LEFT, bit CODE_RIGHT */
    uint8_t is_answer;       /* the left cell is given back by the last connection */
    uint32_t register_count; /* in use at this point */
    uint32_t entry;          /* label: the code behind the loading of ports */
    uint32_t checked_entry;  /* label: the code behind the checks of their numbers as well */
    outcome outcome;         /* of the first failure */
    uint8_t is_expression_refused; /* which is said once more with the rule, unless it was a guard */
    uint8_t is_exchanged;    /* the rule was written with its number or wildcard on the left */
} compiler;

/* Compiles the branches of a rule whose heads are known (rule, scope) and gives the rule its code. Messages are
 * printed. */
outcome compiler_compile(compiler *to);

void compiler_close(compiler *closed);

/* --- between the compiler's files; functions that return an int return 0 after a failure, which is in `outcome` ---- */

static inline uint32_t compiler_new_register(compiler *to)
{
    return to->register_count++;
}

int compiler_fail_memory(compiler *to);

/* The rule is refused, a message has been printed. Messages give the line where a rule ends. */
int compiler_refuse(compiler *to);

/* compile_expression.c: the value of a range of nodes. */
int compile_expression(compiler *to, syntax_range range, operand *value);

/* compile_expression.c: goes to `label` if the range's value is false. */
int compile_guard(compiler *to, syntax_range range, uint32_t label);

/* compile_expression.c: the register of a value, which a constant is loaded into. */
uint32_t compile_to_register(compiler *to, const operand *value);

/* compile_branch.c: the connections that are in `branch`. */
int compile_connections(compiler *to);

#endif
