/*
 * compiler.h - a rule's statement to code: what the compiler's files share.
 *
 *   head.c                 the heads
 *   compiler.c             guards, bindings, branches
 *   compile_expression.c compile_condition.c    expressions: operands, conditions, jumps
 *   branch.c routes.c      the terms of a branch; each name occurs as often as it has to; what needs no wire
 *   plan.c cells.c         what comes first and last, and in which cells
 *   compile_cells.c compile_connection.c compile_branch.c    the code of a branch
 *
 * Must not know how the machine executes it.
 */
#ifndef INPLA_COMPILER_H
#define INPLA_COMPILER_H

#include "rules/assembler.h"
#include "rules/branch.h"
#include "rules/operand.h"
#include "rules/rule.h"
#include "rules/scope.h"
#include "run/language.h"

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
    uint32_t *list; /* the agents of the branch, each before those in its ports: `cell_count` of them */
    uint32_t list_room;
    uint32_t cell_count;
    uint32_t last;           /* first side of the connection that is reduced next; NO_TERM: there is none */
    uint32_t loop;           /* of the branch: the term of the rule's own agent that goes on, or NO_TERM */
    uint32_t wire_count;     /* of the branch */
    uint32_t spare_cells;    /* of the pair, that wires may be made in: bit CODE_LEFT, bit CODE_RIGHT */
    uint8_t is_answer;       /* the left cell is given back by the last connection */
    uint32_t register_count; /* in use at this point */
    uint8_t may_loop;        /* then the ports of the left cell may be in registers only */
    uint32_t entry;          /* label: the code behind the loading of ports */
    uint32_t checked_entry;  /* label: the code behind the checks of their numbers as well */
    outcome outcome;         /* of the first failure */
    uint8_t is_expression_refused; /* which is said once more with the rule, unless it was a guard */
    uint8_t is_exchanged;    /* the rule was written with what is `right` in the code on the left */
} compiler;

/* Compiles the branches of a rule whose heads are known (rule, scope) and gives the rule its code. Messages are
 * printed. */
outcome compiler_compile(compiler *to);

void compiler_close(compiler *closed);

/* --- between the compiler's files; functions that return an int return 0 after a failure, which is in `outcome` --- */

static inline uint32_t compiler_new_register(compiler *to)
{
    return to->register_count++;
}

int compiler_fail_memory(compiler *to);

/* May one of the branches have this agent? */
int compiler_may_have(const compiler *to, uint32_t agent);

/* The rule is refused, a message has been printed. Messages give the line where a rule ends. */
int compiler_refuse(compiler *to);

/* compile_expression.c: the value of a range of nodes. */
int compile_expression(compiler *to, syntax_range range, operand *value);

/* compile_expression.c: goes to `label` if the range's value is false. */
int compile_guard(compiler *to, syntax_range range, uint32_t label);

/* compile_condition.c: the register of a value, which a constant is loaded into. */
uint32_t compile_to_register(compiler *to, const operand *value);

/* compile_condition.c: 1 or 0 as a number of the dialect. */
inpla_cell *compile_truth(const compiler *to, int is_true);

/* compile_condition.c: a comparison of two ints or two floats; a condition that holds where a value is not 0; the
 * opposite of a condition; the value of a condition, or of anything. */
operand compile_comparison(compiler *to, comparison compared, operand left, operand right);
operand compile_as_condition(compiler *to, const operand *value);
operand compile_negate(operand condition);
operand compile_as_value(compiler *to, const operand *value);

/* compile_condition.c: goes to `label` unless the condition has the result `wanted`; goes on here if it has. */
void compile_branch_unless(compiler *to, const operand *condition, int wanted, uint32_t label);

/* compile_condition.c: one label for two, either of which may be NO_LABEL. */
uint32_t compile_join(compiler *to, uint32_t label, uint32_t other);

/* The largest agent whose pair may be a loop. */
enum { LARGEST_LOOP = 62 };

/* Is the term an agent or a number, and nothing that may be a wire? */
static inline int compiler_knows(const compiler *to, uint32_t number)
{
    const term *at = &to->branch.terms[number];
    return at->kind != TERM_NAME || to->scope.all[at->variable].is_operand;
}

/* plan.c: sets `last`, `loop`, `list`, and what terms say of themselves. */
int plan_branch(compiler *to);

/* compile_cells.c: all agents but the loop's and those that are built when they are connected; one of them. */
int compile_cells(compiler *to);
int compile_cell(compiler *to, term *at);

/* compile_cells.c: registers of an agent's ports, to->ports; the register of a term that is built; a number. */
int compile_ports(compiler *to, const term *at);
int compile_register(compiler *to, uint32_t number, uint32_t *place);
int compile_number(compiler *to, term *at, operand *value);

/* compile_cells.c: a cell of the pair that a wire may be made in, NO_REGISTER if there is none; an agent's header. */
uint32_t compile_spare_cell(compiler *to);
uintptr_t compile_head(const term *at);

/* compile_connection.c: a connection of two terms. */
int compile_connection(compiler *to, uint32_t left, uint32_t right, int is_last);

/* compile_branch.c: the connections that are in `branch`. */
int compile_connections(compiler *to);

#endif
