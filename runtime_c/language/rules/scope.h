/*
 * scope.h - what the identifiers of a rule are: ports of its heads, attribute variables, wires of a branch.
 *
 * While a rule is compiled, `scratch` of a symbol is 1 + its index here.
 */
#ifndef INPLA_SCOPE_H
#define INPLA_SCOPE_H

#include "inpla_value.h"
#include "run/language.h"

typedef enum {
    VARIABLE_PORT,   /* a connection that a register holds: of a head's port, or what a wildcard caught */
    VARIABLE_NUMBER, /* an attribute, in a register or constant */
    VARIABLE_WIRE    /* both ends are in the branch */
} variable_kind;

#define NO_REGISTER UINT32_MAX

typedef struct {
    symbol_id symbol;
    uint8_t kind;    /* variable_kind */
    uint8_t is_real; /* of a number */
    uint8_t is_met;     /* a wire that has been counted */
    uint8_t is_operand; /* a port that the branch computes with, */
    uint8_t is_guarded; /* or a guard before it */
    uint32_t place;  /* register; NO_REGISTER: a wire that is not made yet, or a constant */
    uint32_t hidden; /* the scratch that the symbol had before */
    uint32_t uses;   /* occurrences in the terms of the branch */
    uint32_t ends[2]; /* of a wire: where it occurs (routes.c) */
    inpla_cell *value; /* of a constant */
} variable;

typedef struct {
    variable *all;
    uint32_t count;
    uint32_t room;
    uint32_t head_count; /* those of the heads come first */
} scope;

/* A new variable, which hides one of the same symbol. NULL when memory is exhausted. Variables move. */
variable *scope_add(language *run, scope *in, symbol_id id, variable_kind kind);

/* The variable of a symbol, NULL if there is none. */
variable *scope_find(language *run, const scope *in, symbol_id id);

/* Forgets all variables from number `count` on. */
void scope_shrink(language *run, scope *in, uint32_t count);

/* A branch begins: what others have made of the heads' variables is forgotten, but for the guards before it. */
void scope_begin_branch(scope *in);

/* A guard has been compiled: it may have computed with ports of the heads. */
void scope_end_guard(scope *in);

#endif
