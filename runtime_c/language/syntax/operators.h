/*
 * operators.h - operators and brackets that wait, in frames, until their last operand is there. For term.c.
 */
#ifndef INPLA_OPERATORS_H
#define INPLA_OPERATORS_H

#include "syntax/parser_parts.h"

typedef enum {
    FRAME_BASE, /* of the term at hand; everything below belongs to others */
    FRAME_AGENT,
    FRAME_ROUND,
    FRAME_LIST,
    FRAME_LIST_TAIL, /* behind the bar of [h|t] */
    FRAME_RAND,
    FRAME_CONS,
    FRAME_REUSE,
    FRAME_BINARY, /* from here on: with priority and operation */
    FRAME_PREFIX
} frame_kind;

#define EXPECTED_OPERAND "expecting a name, an agent, a number or '('"

static inline parser_frame *frame_top(const parser *p)
{
    return &p->frames[p->frame_count - 1];
}

static inline void frame_pop(parser *p)
{
    p->frame_count--;
}

/* NULL: memory is exhausted. */
parser_frame *frame_push(parser *p, frame_kind kind, const token *place);

/* A node for what the frame on top stands for, at the place where it was opened. NULL: memory is exhausted. */
syntax_node *frame_emit(parser *p, syntax_kind kind);

/* Each of these opens a frame for what the token is; 0 if it cannot stand here. */
int operator_open_sign(parser *p);
int operator_open_not(parser *p);
int operator_open_rand(parser *p);
int operator_open_binary(parser *p, operand *is);
int operator_open_cons(parser *p, operand *is);

int operator_is_binary(token_kind kind);

/* The term that has just been read is no expression, but the token or the operator on top needs one. */
int operator_refuse_term(parser *p);

/* Emits all operators and list cells on top: the term that they are part of ends here. */
int operator_reduce_all(parser *p, operand *is);

#endif
