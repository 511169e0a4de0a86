/*
 * syntax.h - a statement as the parser hands it over: one flat array in postfix order.
 *
 * Terms, expressions and connections are one array of nodes, operands before operators, so whoever reads it needs a
 * stack and no recursion: `x ~ Foo(a, b+1)` is NAME x, NAME a, NAME b, INT 1, ADD, AGENT Foo/2, CONNECT. `<<` is gone:
 * the parser has written the connection that it stands for. `[a,b|t]` and `a:b:t` are CONS, `(t)` is t.
 */
#ifndef INPLA_SYNTAX_H
#define INPLA_SYNTAX_H

#include <stddef.h>
#include <stdint.h>

#include "table/symbols.h"

/* ORDER SYNTAX (parser.c, expression.c) */
typedef enum {
    SYNTAX_NAME,    /* symbol */
    SYNTAX_AGENT,   /* symbol; pops `count` arguments. SYNTAX_BARE: written without parentheses (a constant, perhaps) */
    SYNTAX_TUPLE,   /* pops `count`: 0, 2, 3, ... */
    SYNTAX_NIL,     /* [] */
    SYNTAX_CONS,    /* pops head and tail */
    SYNTAX_PERCENT, /* %symbol */
    SYNTAX_TYPED,   /* int symbol, float symbol: a head's port, or a head */
    SYNTAX_INT,     /* integer */
    SYNTAX_FLOAT,   /* real */
    SYNTAX_NEGATE,  /* each of these pops its operands */
    SYNTAX_NOT,
    SYNTAX_RAND,
    SYNTAX_ADD,
    SYNTAX_SUBTRACT,
    SYNTAX_MULTIPLY,
    SYNTAX_DIVIDE,
    SYNTAX_REMAINDER,
    SYNTAX_EQUAL,
    SYNTAX_UNEQUAL,
    SYNTAX_LESS,
    SYNTAX_LESS_EQUAL,
    SYNTAX_GREATER,
    SYNTAX_GREATER_EQUAL,
    SYNTAX_AND_THEN, /* after the left operand: if it is false, the value is 0 and the next `count` nodes are skipped, */
    SYNTAX_AND,      /* the last of which is this one: the value is whether the right operand is true */
    SYNTAX_OR_ELSE,  /* likewise: if the left one is true, the value is 1 */
    SYNTAX_OR,
    SYNTAX_CONNECT, /* pops two terms */
    SYNTAX_BIND     /* symbol = popped expression */
} syntax_kind;

enum { SYNTAX_BARE = 1, SYNTAX_REUSE_LEFT = 2, SYNTAX_REUSE_RIGHT = 4, SYNTAX_IS_FLOAT = 8 /* of SYNTAX_TYPED */ };

typedef struct {
    uint8_t kind;  /* syntax_kind */
    uint8_t flags; /* of terms: SYNTAX_BARE, SYNTAX_REUSE_..., SYNTAX_IS_FLOAT */
    uint16_t column; /* 65535 for more */
    uint32_t line;
    uint32_t count;
    symbol_id symbol;
    union {
        int64_t integer;
        float real;
    } value;
} syntax_node;

typedef struct {
    uint32_t begin; /* index of a node; the end is not part of it */
    uint32_t end;
} syntax_range;

typedef struct {
    syntax_range bindings;    /* BIND nodes with their expressions, in order; evaluated first */
    syntax_range connections; /* CONNECT nodes with their terms */
} syntax_body;

/* A rule's branches, as decisions in preorder: the branch after a decision that holds is the next one in the array. */
typedef struct {
    syntax_range guard; /* empty: this is a leaf with a body */
    uint32_t otherwise; /* where to go on if the guard does not hold: index of a branch */
    uint32_t line;
    syntax_body body;
} syntax_branch;

typedef enum {
    STATEMENT_END, /* of the input */
    STATEMENT_EMPTY,
    STATEMENT_NET,
    STATEMENT_RULE,
    STATEMENT_PRINT,          /* `names`; one or more */
    STATEMENT_FREE,           /* `names` */
    STATEMENT_FREE_INTERFACE, /* free ifce */
    STATEMENT_INTERFACE,      /* ifce */
    STATEMENT_PRNAT,          /* names[0] */
    STATEMENT_CONST,          /* names[0], nodes[0]: SYNTAX_INT or SYNTAX_FLOAT */
    STATEMENT_USE,            /* `text` */
    STATEMENT_MEMSTAT,
    STATEMENT_EXIT
} statement_kind;

typedef struct {
    statement_kind kind;
    uint32_t first_line;
    uint32_t last_line; /* of its `;` */
    syntax_node *nodes;
    uint32_t node_count;
    syntax_body net;
    syntax_range left; /* a rule's heads: a term each, not yet checked to be a head */
    syntax_range right;
    syntax_branch *branches;
    uint32_t branch_count;
    symbol_id *names;
    uint32_t name_count;
    const char *text; /* ends with 0 */
} statement;

#endif
