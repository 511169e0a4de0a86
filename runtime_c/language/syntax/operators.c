/*
 * operators.c - operator precedence. Knows no operands.
 */
#include "syntax/operators.h"

#include <stdio.h>

#include "table/array.h"

/* From loose to tight. */
enum {
    PRIORITY_NONE,
    PRIORITY_EQUALITY,
    PRIORITY_LOGIC,
    PRIORITY_NOT,
    PRIORITY_ORDER,
    PRIORITY_SUM,
    PRIORITY_PRODUCT,
    PRIORITY_SIGN
};

typedef struct {
    uint8_t priority;
    uint8_t operation;
} binary;

static const binary binaries[TOKEN_NO_MEMORY + 1] = {
    [TOKEN_EQUAL] = {PRIORITY_EQUALITY, SYNTAX_EQUAL},   [TOKEN_UNEQUAL] = {PRIORITY_EQUALITY, SYNTAX_UNEQUAL},
    [TOKEN_AND] = {PRIORITY_LOGIC, SYNTAX_AND},          [TOKEN_OR] = {PRIORITY_LOGIC, SYNTAX_OR},
    [TOKEN_LESS] = {PRIORITY_ORDER, SYNTAX_LESS},        [TOKEN_LESS_EQUAL] = {PRIORITY_ORDER, SYNTAX_LESS_EQUAL},
    [TOKEN_GREATER] = {PRIORITY_ORDER, SYNTAX_GREATER},  [TOKEN_GREATER_EQUAL] = {PRIORITY_ORDER, SYNTAX_GREATER_EQUAL},
    [TOKEN_PLUS] = {PRIORITY_SUM, SYNTAX_ADD},           [TOKEN_MINUS] = {PRIORITY_SUM, SYNTAX_SUBTRACT},
    [TOKEN_STAR] = {PRIORITY_PRODUCT, SYNTAX_MULTIPLY},  [TOKEN_SLASH] = {PRIORITY_PRODUCT, SYNTAX_DIVIDE},
    [TOKEN_PERCENT] = {PRIORITY_PRODUCT, SYNTAX_REMAINDER}};

parser_frame *frame_push(parser *p, frame_kind kind, const token *place)
{
    if (!ARRAY_RESERVE(p->frames, p->frame_room, (size_t)p->frame_count + 1)) {
        p->status = PARSER_NO_MEMORY;
        return NULL;
    }
    parser_frame *frame = &p->frames[p->frame_count++];
    *frame = (parser_frame){.kind = (uint8_t)kind,
                            .line = place->line,
                            .column = (uint16_t)(place->column < UINT16_MAX ? place->column : UINT16_MAX)};
    return frame;
}

syntax_node *frame_emit(parser *p, syntax_kind kind)
{
    const parser_frame *frame = frame_top(p);
    const token place = {.line = frame->line, .column = frame->column};
    syntax_node *node = parser_emit(p, kind, &place);
    if (node != NULL)
        node->symbol = frame->symbol;
    return node;
}

/* --- prefixes -------------------------------------------------------------------------------------------------- */

/* A prefix stands at the start of an operand of a looser operator, never behind another prefix of its priority. */
static int allows_prefix(const parser *p, uint8_t priority)
{
    const parser_frame *frame = frame_top(p);
    return frame->kind != FRAME_REUSE && (frame->kind < FRAME_BINARY || frame->priority < priority);
}

static int open_prefix(parser *p, uint8_t allowed, uint8_t priority, syntax_kind operation)
{
    if (!allows_prefix(p, allowed))
        return parser_fail(p, EXPECTED_OPERAND);
    parser_frame *frame = frame_push(p, FRAME_PREFIX, &p->token);
    if (frame == NULL)
        return 0;
    frame->priority = priority;
    frame->operation = (uint8_t)operation;
    return parser_advance(p);
}

int operator_open_sign(parser *p)
{
    return open_prefix(p, PRIORITY_PRODUCT, PRIORITY_SIGN, SYNTAX_NEGATE);
}

int operator_open_not(parser *p)
{
    return open_prefix(p, PRIORITY_LOGIC, PRIORITY_NOT, SYNTAX_NOT);
}

int operator_open_rand(parser *p)
{
    if (!allows_prefix(p, PRIORITY_PRODUCT))
        return parser_fail(p, EXPECTED_OPERAND);
    return frame_push(p, FRAME_RAND, &p->token) != NULL && parser_advance(p) &&
           parser_expect(p, TOKEN_OPEN, "expecting '('");
}

int operator_refuse_term(parser *p)
{
    char text[160];
    const syntax_node *node = &p->nodes[p->node_count - 1];
    if (node->kind != SYNTAX_AGENT || (node->flags & SYNTAX_BARE) != 0)
        return parser_fail(p, "as the term before it is no expression");
    snprintf(text, sizeof text,
             "as `%.40s' before it is an agent: no native function has that name (those of bundles need -weights=FILE)",
             symbols_get(p->symbols, node->symbol)->text);
    return parser_fail(p, text);
}

/* --- operators with two operands ------------------------------------------------------------------------------- */

/* Emits the operators on top that bind at least as tightly as `priority`, and the cells `:` if that is none. */
static int reduce(parser *p, uint8_t priority, operand *is)
{
    for (;; frame_pop(p)) {
        const parser_frame *frame = frame_top(p);
        if (frame->kind == FRAME_CONS && priority == PRIORITY_NONE) {
            if (frame_emit(p, SYNTAX_CONS) == NULL)
                return 0;
            *is = OPERAND_TERM;
            continue;
        }
        if (frame->kind < FRAME_BINARY || frame->priority < priority)
            return 1;
        if (*is != OPERAND_EXPRESSION)
            return operator_refuse_term(p);
        const uint32_t skip_from = frame->count;
        const syntax_kind operation = (syntax_kind)frame->operation;
        if (frame_emit(p, operation) == NULL)
            return 0;
        if (operation == SYNTAX_AND || operation == SYNTAX_OR)
            p->nodes[skip_from].count = p->node_count - skip_from - 1;
    }
}

int operator_open_binary(parser *p, operand *is)
{
    const binary found = binaries[p->token.kind];
    const int is_logic = found.priority == PRIORITY_LOGIC;
    if (*is != OPERAND_EXPRESSION)
        return operator_refuse_term(p);
    if (!reduce(p, found.priority, is))
        return 0;
    parser_frame *frame = frame_push(p, FRAME_BINARY, &p->token);
    if (frame == NULL)
        return 0;
    frame->priority = found.priority;
    frame->operation = found.operation;
    frame->count = p->node_count;
    if (is_logic && parser_emit(p, found.operation == SYNTAX_AND ? SYNTAX_AND_THEN : SYNTAX_OR_ELSE, &p->token) == NULL)
        return 0;
    return parser_advance(p);
}

int operator_open_cons(parser *p, operand *is)
{
    if (*is == OPERAND_MARKED)
        return parser_fail(p, "but '(*L)' and '(*R)' need the list in parentheses");
    /* Cells group to the right: only operators within the head are complete. */
    if (!reduce(p, PRIORITY_EQUALITY, is))
        return 0;
    return frame_push(p, FRAME_CONS, &p->token) != NULL && parser_advance(p);
}

int operator_is_binary(token_kind kind)
{
    return binaries[kind].priority != PRIORITY_NONE;
}

int operator_reduce_all(parser *p, operand *is)
{
    return reduce(p, PRIORITY_NONE, is);
}
