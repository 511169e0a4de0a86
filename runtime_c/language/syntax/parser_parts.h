/*
 * parser_parts.h - what the parser's files offer to each other. Every function returns 0 after a failure, which it has
 * noted in the parser.
 */
#ifndef INPLA_PARSER_PARTS_H
#define INPLA_PARSER_PARTS_H

#include "syntax/parser.h"

/* What a term is good for. */
typedef enum {
    OPERAND_EXPRESSION, /* may be calculated with */
    OPERAND_TERM,       /* may be the head of a list cell */
    OPERAND_MARKED      /* has a reuse mark: neither */
} operand;

/* parser.c: words */
int parser_advance(parser *p);
int parser_fail(parser *p, const char *expected);
int parser_expect(parser *p, token_kind kind, const char *expected);

static inline int parser_sees(const parser *p, token_kind kind)
{
    return p->token.kind == (uint32_t)kind;
}

/* parser.c: a new node of the statement, of the line and column of the token; NULL when memory is exhausted. */
syntax_node *parser_emit(parser *p, syntax_kind kind, const token *place);

/* term.c: a term, or an expression alone. */
int parser_term(parser *p, operand *is);
int parser_expression(parser *p);

/* term.c: `(*L)` or `(*R)` from the star on, after `(`. */
int parser_reuse(parser *p, uint8_t *flags);

/* body.c: a net or a branch of a rule, with its bindings. */
int parser_body(parser *p, syntax_body *body);

/* body.c: the same from its first term on, which has been read up to the token behind it. */
int parser_body_after_term(parser *p, uint32_t begin, syntax_body *body);

/* branches.c: what a rule has after its heads. */
int parser_branches(parser *p);

#endif
