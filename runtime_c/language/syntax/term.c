/*
 * term.c - terms and expressions, by operator precedence: operands go to the statement's nodes at once, operators and
 * brackets wait in frames until their last operand is there.
 */
#include "syntax/operators.h"

/* --- operands -------------------------------------------------------------------------------------------------- */

/* A number; a minus directly before it becomes part of it. */
static int read_number(parser *p)
{
    const int is_negative = frame_top(p)->kind == FRAME_PREFIX && frame_top(p)->operation == SYNTAX_NEGATE;
    const token *number = &p->token;
    const syntax_kind kind = parser_sees(p, TOKEN_INT) ? SYNTAX_INT : SYNTAX_FLOAT;
    if (kind == SYNTAX_INT && !is_negative && number->value.integer == INT64_C(1) << 62)
        return parser_fail(p, "expecting at most 2^62 - 1");
    syntax_node *node = parser_emit(p, kind, number);
    if (node == NULL)
        return 0;
    if (kind == SYNTAX_INT)
        node->value.integer = is_negative ? -number->value.integer : number->value.integer;
    else
        node->value.real = is_negative ? -number->value.real : number->value.real;
    if (is_negative)
        frame_pop(p);
    return parser_advance(p);
}

static int read_typed(parser *p, const token *type)
{
    if (!parser_sees(p, TOKEN_NAME))
        return parser_fail(p, "expecting a name");
    syntax_node *node = parser_emit(p, SYNTAX_TYPED, &p->token);
    if (node == NULL)
        return 0;
    node->flags = p->is_float || type->symbol == p->float_word ? SYNTAX_IS_FLOAT : 0;
    node->symbol = p->token.symbol;
    return parser_advance(p);
}

static int emit_word(parser *p, syntax_kind kind, const token *word)
{
    syntax_node *node = parser_emit(p, kind, word);
    if (node == NULL)
        return 0;
    node->symbol = word->symbol;
    node->flags = kind == SYNTAX_AGENT ? SYNTAX_BARE : 0;
    return 1;
}

static int read_percent(parser *p)
{
    if (!parser_advance(p))
        return 0;
    if (!parser_sees(p, TOKEN_NAME) && !parser_sees(p, TOKEN_AGENT))
        return parser_fail(p, "expecting an agent");
    return emit_word(p, SYNTAX_PERCENT, &p->token) && parser_advance(p);
}

int parser_reuse(parser *p, uint8_t *flags)
{
    if (!parser_advance(p))
        return 0;
    if (parser_sees(p, TOKEN_AGENT) && p->token.symbol == p->left_word)
        *flags = SYNTAX_REUSE_LEFT;
    else if (parser_sees(p, TOKEN_AGENT) && p->token.symbol == p->right_word)
        *flags = SYNTAX_REUSE_RIGHT;
    else
        return parser_fail(p, "expecting '(*L)' or '(*R)'");
    return parser_advance(p) && parser_expect(p, TOKEN_CLOSE, "expecting ')'");
}

static int open_reuse(parser *p, const token *place)
{
    uint8_t flags = 0;
    const frame_kind above = (frame_kind)frame_top(p)->kind;
    if (above >= FRAME_REUSE)
        return parser_fail(p, EXPECTED_OPERAND);
    if (!parser_reuse(p, &flags))
        return 0;
    parser_frame *frame = frame_push(p, FRAME_REUSE, place);
    if (frame != NULL)
        frame->flags = flags;
    return frame != NULL;
}

/* The mark goes to the node of the item behind it. */
static int close_reuse(parser *p)
{
    syntax_node *node = &p->nodes[p->node_count - 1];
    const int is_agent = node->kind == SYNTAX_AGENT && symbols_get(p->symbols, node->symbol)->native == 0;
    if (!is_agent && node->kind != SYNTAX_TUPLE && node->kind != SYNTAX_NIL && node->kind != SYNTAX_CONS)
        return parser_fail(p, "but only an agent, a tuple or a list can be marked by '(*L)' or '(*R)'");
    if ((node->flags & (SYNTAX_REUSE_LEFT | SYNTAX_REUSE_RIGHT)) != 0)
        return parser_fail(p, "but a term has one reuse mark at most");
    node->flags |= frame_top(p)->flags;
    frame_pop(p);
    return 1;
}

/* --- brackets -------------------------------------------------------------------------------------------------- */

static int emit_tuple(parser *p, uint32_t count)
{
    syntax_node *node = frame_emit(p, SYNTAX_TUPLE);
    if (node != NULL)
        node->count = count;
    return node != NULL;
}

static int emit_list(parser *p, uint32_t count)
{
    int is_well = frame_emit(p, SYNTAX_NIL) != NULL;
    while (is_well && count-- > 0)
        is_well = frame_emit(p, SYNTAX_CONS) != NULL;
    return is_well;
}

static int emit_agent(parser *p, uint32_t count, operand *is)
{
    syntax_node *node = frame_emit(p, SYNTAX_AGENT);
    if (node == NULL)
        return 0;
    node->count = count;
    *is = symbols_get(p->symbols, node->symbol)->native != 0 ? OPERAND_EXPRESSION : OPERAND_TERM;
    return 1;
}

/* The bracket on top ends with `count` elements. */
static int close_bracket(parser *p, uint32_t count, operand *is)
{
    const frame_kind kind = (frame_kind)frame_top(p)->kind;
    const int is_single = kind == FRAME_ROUND && count == 1;
    int is_well = 1;
    if (kind == FRAME_RAND) {
        if (*is != OPERAND_EXPRESSION)
            return operator_refuse_term(p);
        is_well = frame_emit(p, SYNTAX_RAND) != NULL;
    } else if (kind == FRAME_AGENT) {
        is_well = emit_agent(p, count, is);
    } else if (kind == FRAME_LIST_TAIL) {
        is_well = frame_emit(p, SYNTAX_CONS) != NULL;
    } else if (kind == FRAME_LIST) {
        is_well = emit_list(p, count);
    } else if (!is_single) {
        is_well = emit_tuple(p, count);
    }
    if (kind == FRAME_LIST || kind == FRAME_LIST_TAIL || (kind == FRAME_ROUND && !is_single) || *is == OPERAND_MARKED)
        *is = OPERAND_TERM;
    frame_pop(p);
    return is_well && parser_advance(p);
}

static int closes(const parser *p, token_kind kind)
{
    const frame_kind bracket = (frame_kind)frame_top(p)->kind;
    if (kind == TOKEN_CLOSE)
        return bracket == FRAME_AGENT || bracket == FRAME_ROUND || bracket == FRAME_RAND;
    return kind == TOKEN_CLOSE_LIST && (bracket == FRAME_LIST || bracket == FRAME_LIST_TAIL);
}

/* --- the loop -------------------------------------------------------------------------------------------------- */

typedef enum { STEP_FAILED, STEP_OPERAND, STEP_OPERATOR, STEP_END } step; /* what comes next */

static step next(int is_well, step now)
{
    return is_well ? now : STEP_FAILED;
}

/* Behind an opening bracket: is it empty? */
static step open_bracket(parser *p, frame_kind kind, const token *place, token_kind end, operand *is)
{
    parser_frame *frame = frame_push(p, kind, place);
    if (frame == NULL)
        return STEP_FAILED;
    frame->symbol = kind == FRAME_AGENT ? place->symbol : NO_SYMBOL;
    if (parser_sees(p, end))
        return next(close_bracket(p, 0, is), STEP_OPERATOR);
    return STEP_OPERAND;
}

static step read_round(parser *p, operand *is)
{
    const token place = p->token;
    if (!parser_advance(p))
        return STEP_FAILED;
    if (parser_sees(p, TOKEN_STAR))
        return next(open_reuse(p, &place), STEP_OPERAND);
    return open_bracket(p, FRAME_ROUND, &place, TOKEN_CLOSE, is);
}

static step read_list(parser *p, operand *is)
{
    const token place = p->token;
    if (!parser_advance(p))
        return STEP_FAILED;
    return open_bracket(p, FRAME_LIST, &place, TOKEN_CLOSE_LIST, is);
}

/* A name, an agent, or the type `float` where that is no keyword. */
static step read_word(parser *p, operand *is)
{
    const token word = p->token;
    if (!parser_advance(p))
        return STEP_FAILED;
    if (parser_sees(p, TOKEN_OPEN))
        return next(parser_advance(p), STEP_OPERAND) == STEP_FAILED
                   ? STEP_FAILED
                   : open_bracket(p, FRAME_AGENT, &word, TOKEN_CLOSE, is);
    *is = OPERAND_EXPRESSION;
    if (word.symbol == p->float_word && parser_sees(p, TOKEN_NAME)) {
        *is = OPERAND_TERM;
        return next(read_typed(p, &word), STEP_OPERATOR);
    }
    return next(emit_word(p, word.kind == TOKEN_NAME ? SYNTAX_NAME : SYNTAX_AGENT, &word), STEP_OPERATOR);
}

static step read_type(parser *p, operand *is)
{
    const token type = p->token;
    *is = OPERAND_TERM;
    return next(parser_advance(p) && read_typed(p, &type), STEP_OPERATOR);
}

static step read_operand(parser *p, operand *is)
{
    switch ((token_kind)p->token.kind) {
    case TOKEN_NAME:
    case TOKEN_AGENT: return read_word(p, is);
    case TOKEN_INT:
    case TOKEN_FLOAT: *is = OPERAND_EXPRESSION; return next(read_number(p), STEP_OPERATOR);
    case TOKEN_OPEN: return read_round(p, is);
    case TOKEN_OPEN_LIST: return read_list(p, is);
    case TOKEN_MINUS: return next(operator_open_sign(p), STEP_OPERAND);
    case TOKEN_NOT: return next(operator_open_not(p), STEP_OPERAND);
    case TOKEN_RAND: *is = OPERAND_EXPRESSION; return next(operator_open_rand(p), STEP_OPERAND);
    case TOKEN_PERCENT: *is = OPERAND_TERM; return next(read_percent(p), STEP_OPERATOR);
    case TOKEN_TYPE: return read_type(p, is);
    default:
        parser_fail(p, frame_top(p)->kind < FRAME_BINARY ? "expecting a term" : EXPECTED_OPERAND);
        return STEP_FAILED;
    }
}

/* Behind an element of the bracket on top. */
static step read_separator(parser *p, operand *is)
{
    parser_frame *frame = frame_top(p);
    const int has_commas = frame->kind == FRAME_AGENT || frame->kind == FRAME_ROUND || frame->kind == FRAME_LIST;
    if (has_commas && parser_sees(p, TOKEN_COMMA)) {
        frame->count++;
        return next(parser_advance(p), STEP_OPERAND);
    }
    if (frame->kind == FRAME_LIST && frame->count == 0 && parser_sees(p, TOKEN_BAR)) {
        frame->kind = FRAME_LIST_TAIL;
        return next(parser_advance(p), STEP_OPERAND);
    }
    if (closes(p, (token_kind)p->token.kind))
        return next(close_bracket(p, frame->count + 1, is), STEP_OPERATOR);
    parser_fail(p, frame->kind == FRAME_LIST        ? "expecting ',' or ']'"
                        : frame->kind == FRAME_LIST_TAIL ? "expecting ']'"
                        : frame->kind == FRAME_RAND      ? "expecting ')'"
                                                         : "expecting ',' or ')'");
    return STEP_FAILED;
}

static step read_operator(parser *p, operand *is)
{
    if (frame_top(p)->kind == FRAME_REUSE) {
        if (!close_reuse(p))
            return STEP_FAILED;
        *is = OPERAND_MARKED;
    }
    if (operator_is_binary((token_kind)p->token.kind))
        return next(operator_open_binary(p, is), STEP_OPERAND);
    if (parser_sees(p, TOKEN_COLON))
        return next(operator_open_cons(p, is), STEP_OPERAND);
    if (!operator_reduce_all(p, is))
        return STEP_FAILED;
    return frame_top(p)->kind == FRAME_BASE ? STEP_END : read_separator(p, is);
}

int parser_term(parser *p, operand *is)
{
    step now = STEP_OPERAND;
    if (frame_push(p, FRAME_BASE, &p->token) == NULL)
        return 0;
    while (now == STEP_OPERAND || now == STEP_OPERATOR)
        now = now == STEP_OPERAND ? read_operand(p, is) : read_operator(p, is);
    if (now == STEP_FAILED)
        return 0;
    frame_pop(p);
    return 1;
}

int parser_expression(parser *p)
{
    operand is = OPERAND_TERM;
    if (!parser_term(p, &is))
        return 0;
    return is == OPERAND_EXPRESSION || operator_refuse_term(p);
}
