/*
 * branch.h - the connections of a branch as terms, before any code is made of them.
 */
#ifndef INPLA_BRANCH_H
#define INPLA_BRANCH_H

#include "syntax/syntax.h"

typedef enum {
    TERM_NAME,   /* a port of a head, or a wire */
    TERM_NUMBER, /* an expression */
    TERM_AGENT,
    TERM_PERCENT /* %f; `agent` is the symbol of f */
} term_kind;

typedef struct {
    uint8_t kind;      /* term_kind */
    uint8_t flags;     /* SYNTAX_REUSE_... */
    uint8_t is_real;   /* of a number, once it has been compiled */
    uint8_t is_sent;   /* an agent that is built when it is connected */
    uint8_t cell;      /* of an agent: 1 + the register of the pair's cell that it is built in, 0: a new one */
    uint32_t agent;    /* its number */
    uint32_t variable; /* of a name: its index in the scope, once it has been counted as an occurrence */
    uint32_t first;    /* of an agent: its first port in branch.ports */
    uint32_t count;    /* ports */
    uint32_t place;    /* the register that holds it, NO_REGISTER before it is built */
    syntax_range nodes; /* its own, with those of its parts */
} term;

/* Where a term is: in a port, or on a side of a connection. */
#define PLACE_IS_SIDE (UINT32_C(1) << 31)

typedef struct {
    term *terms;
    uint32_t term_count;
    uint32_t term_room;
    uint32_t *ports; /* terms in the ports of agents */
    uint32_t port_count;
    uint32_t port_room;
    uint32_t *sides; /* terms on the two sides of each connection; NO_TERM, NO_TERM: the connection needs no code */
    uint32_t side_count;
    uint32_t side_room;
    uint32_t *stack;
    uint32_t stack_count;
    uint32_t stack_room;
} branch;

#define NO_TERM UINT32_MAX

struct compiler;

/* Reads a range of connections and counts the occurrences of names. 0: see compiler.outcome. */
int branch_read(struct compiler *to, syntax_range connections);

/* Does each name occur as often as it has to? */
int branch_check_linearity(struct compiler *to);

/* Leaves out wires: what is connected to one end of a wire goes where the other end is. (routes.c) */
void branch_route(struct compiler *to);

void branch_close(branch *closed);

/* Is it an agent, of whichever kind? */
static inline int branch_is_cell(const term *at)
{
    return at->kind == TERM_AGENT || at->kind == TERM_PERCENT;
}

static inline uint32_t *branch_at(branch *in, uint32_t place)
{
    return place & PLACE_IS_SIDE ? &in->sides[place & ~PLACE_IS_SIDE] : &in->ports[place];
}

#endif
