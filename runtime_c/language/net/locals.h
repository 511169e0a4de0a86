/*
 * locals.h - what the identifiers of the statement at hand are: attribute variables with their values, and names with
 * the number of their occurrences.
 *
 * While a net is executed, `scratch` of a symbol is 1 + its index here.
 */
#ifndef INPLA_LOCALS_H
#define INPLA_LOCALS_H

#include "inpla_value.h"
#include "run/language.h"

typedef struct {
    symbol_id symbol;
    uint32_t occurrences; /* of a name in terms */
    inpla_cell *value;    /* the number that a variable is bound to; what a private wire's first end led to (build.c) */
    uint8_t is_variable;
    uint8_t has_end; /* a private wire of which one end has been met: `value` */
} local;

typedef struct {
    local *all;
    uint32_t count;
    uint32_t room;
} locals;

/* The entry of a symbol, which stays where it is until the next call for a new symbol. NULL: memory is exhausted. */
local *locals_add(language *run, symbol_id id);

/* The entry of a symbol that has one. */
local *locals_get(language *run, symbol_id id);

/* The value of an attribute variable, NULL if `id` is none. */
inpla_cell *locals_value(language *run, symbol_id id);

/* The statement is done with. */
void locals_clear(language *run);

#endif
