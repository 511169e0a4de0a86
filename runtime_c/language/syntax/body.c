/*
 * body.c - nets and bodies of rules: connections, abbreviations with `<<`, bindings.
 */
#include <string.h>

#include "syntax/parser_parts.h"
#include "table/array.h"

static int connect(parser *p, const token *place)
{
    return parser_emit(p, SYNTAX_CONNECT, place) != NULL;
}

/* --- a, b << F(c, d) -------------------------------------------------------------------------------------------- */

/* The nodes from `begin` on get out of the way of one that comes before them. */
static syntax_node *insert(parser *p, uint32_t begin, syntax_kind kind, const token *place)
{
    if (parser_emit(p, kind, place) == NULL)
        return NULL;
    const syntax_node made = p->nodes[p->node_count - 1];
    syntax_node *node = &p->nodes[begin];
    memmove(node + 1, node, (p->node_count - 1 - begin) * sizeof *node);
    *node = made;
    return node;
}

static void reverse(syntax_node *first, syntax_node *behind)
{
    while (first < behind && first < --behind) {
        const syntax_node kept = *first;
        *first++ = *behind;
        *behind = kept;
    }
}

/* Exchanges two neighbouring terms: nodes `first` to `second` - 1, and from `second` on. Returns where the former is. */
static uint32_t exchange(parser *p, uint32_t first, uint32_t second)
{
    syntax_node *nodes = p->nodes;
    reverse(nodes + first, nodes + second);
    reverse(nodes + second, nodes + p->node_count);
    reverse(nodes + first, nodes + p->node_count);
    return first + (p->node_count - second);
}

typedef struct {
    token agent;
    uint8_t flags;
    uint32_t results;
    uint32_t arguments;
    uint32_t first; /* where the nodes of the first and the last argument start */
    uint32_t last;
} abbreviation;

static int read_arguments(parser *p, abbreviation *call)
{
    operand is = OPERAND_TERM;
    do {
        if (!parser_advance(p))
            return 0;
        call->last = p->node_count;
        if (call->arguments++ == 0)
            call->first = call->last;
        if (!parser_term(p, &is))
            return 0;
    } while (parser_sees(p, TOKEN_COMMA));
    return parser_expect(p, TOKEN_CLOSE, "expecting ',' or ')'");
}

/* From `<<` on: an optional mark, then an agent with arguments. */
static int read_call(parser *p, abbreviation *call)
{
    if (!parser_advance(p))
        return 0;
    if (parser_sees(p, TOKEN_OPEN)) {
        if (!parser_advance(p))
            return 0;
        if (!parser_sees(p, TOKEN_STAR))
            return parser_fail(p, "expecting '*L' or '*R'");
        if (!parser_reuse(p, &call->flags))
            return 0;
    }
    if (!parser_sees(p, TOKEN_AGENT) && !parser_sees(p, TOKEN_NAME))
        return parser_fail(p, "expecting an agent with arguments");
    call->agent = p->token;
    if (!parser_advance(p))
        return 0;
    return parser_sees(p, TOKEN_OPEN) ? read_arguments(p, call) : parser_fail(p, "expecting '('");
}

/* Where the agent belongs among the nodes; its other arguments stand before, its partner behind. */
static uint32_t place_agent(parser *p, abbreviation *call)
{
    const int is_natural = call->results == 1 && call->arguments == 2;
    if (is_natural && call->agent.symbol == p->append_word)
        return exchange(p, call->first, call->last);
    if (!is_natural || call->agent.symbol != p->merger_word)
        return call->last;
    syntax_node *pair = parser_emit(p, SYNTAX_TUPLE, &call->agent);
    if (pair != NULL)
        pair->count = 2;
    call->arguments = 1;
    return call->first;
}

static int read_abbreviation(parser *p, uint32_t results)
{
    const token place = p->token;
    abbreviation call = {.results = results};
    if (!read_call(p, &call))
        return 0;
    const uint32_t at = place_agent(p, &call);
    syntax_node *agent = p->status == PARSER_OK ? insert(p, at, SYNTAX_AGENT, &call.agent) : NULL;
    if (agent == NULL)
        return 0;
    agent->symbol = call.agent.symbol;
    agent->count = results + call.arguments - 1;
    agent->flags = call.flags;
    return connect(p, &place);
}

/* --- connections ----------------------------------------------------------------------------------------------- */

static int read_connect(parser *p)
{
    const token place = p->token;
    operand is = OPERAND_TERM;
    return parser_advance(p) && parser_term(p, &is) && connect(p, &place);
}

/* A connection; the first `terms` terms of its left side have been read already. */
static int read_connection(parser *p, uint32_t terms)
{
    operand is = OPERAND_TERM;
    while (!parser_sees(p, TOKEN_ABBREVIATE)) {
        if (terms == 1 && parser_sees(p, TOKEN_TILDE))
            return read_connect(p);
        if (terms > 0 && !parser_sees(p, TOKEN_COMMA))
            return parser_fail(p, terms == 1 ? "expecting '~' or '<<'" : "expecting ',' or '<<'");
        if (terms > 0 && !parser_advance(p))
            return 0;
        if (!parser_term(p, &is))
            return 0;
        terms++;
    }
    return read_abbreviation(p, terms);
}

static int read_connections(parser *p, uint32_t begin, uint32_t terms, syntax_range *range)
{
    int is_well = read_connection(p, terms);
    while (is_well && parser_sees(p, TOKEN_COMMA))
        is_well = parser_advance(p) && read_connection(p, 0);
    *range = (syntax_range){.begin = begin, .end = p->node_count};
    return is_well;
}

/* --- bindings -------------------------------------------------------------------------------------------------- */

static int read_binding(parser *p)
{
    const token name = p->token;
    if (!parser_advance(p) || !parser_expect(p, TOKEN_ASSIGN, "expecting '='") || !parser_expression(p))
        return 0;
    syntax_node *node = parser_emit(p, SYNTAX_BIND, &name);
    if (node != NULL)
        node->symbol = name.symbol;
    return node != NULL;
}

/* Behind `where`: bindings without separator. */
static int read_where(parser *p, syntax_range *range)
{
    range->begin = p->node_count;
    while (parser_sees(p, TOKEN_NAME))
        if (!read_binding(p))
            return 0;
    range->end = p->node_count;
    return 1;
}

/* Behind `let` or `{`: bindings with `;` between them, and perhaps behind the last one. */
static int read_let(parser *p, token_kind end, const char *expected, syntax_range *range)
{
    int is_well = 1;
    range->begin = p->node_count;
    while (is_well && parser_sees(p, TOKEN_NAME)) {
        is_well = read_binding(p);
        if (is_well && !parser_sees(p, TOKEN_SEMICOLON))
            break;
        is_well = is_well && parser_advance(p);
    }
    range->end = p->node_count;
    return is_well && parser_expect(p, end, expected);
}

static int read_let_body(parser *p, syntax_body *body)
{
    return parser_advance(p) &&
           read_let(p, TOKEN_IN, "expecting a binding, ';' or 'in'", &body->bindings) &&
           read_connections(p, p->node_count, 0, &body->connections) &&
           parser_expect(p, TOKEN_END_OF_LET, "expecting ',' or 'end'");
}

static int read_braces_body(parser *p, syntax_body *body)
{
    if (!parser_advance(p))
        return 0;
    if (!parser_sees(p, TOKEN_NAME))
        return parser_fail(p, "expecting a binding");
    return read_let(p, TOKEN_CLOSE_BRACE, "expecting a binding, ';' or '}'", &body->bindings) &&
           read_connections(p, p->node_count, 0, &body->connections);
}

static int read_plain_body(parser *p, uint32_t begin, uint32_t terms, syntax_body *body)
{
    if (!read_connections(p, begin, terms, &body->connections))
        return 0;
    return !parser_sees(p, TOKEN_WHERE) || (parser_advance(p) && read_where(p, &body->bindings));
}

int parser_body_after_term(parser *p, uint32_t begin, syntax_body *body)
{
    memset(body, 0, sizeof *body);
    return read_plain_body(p, begin, 1, body);
}

int parser_body(parser *p, syntax_body *body)
{
    memset(body, 0, sizeof *body);
    if (parser_sees(p, TOKEN_LET))
        return read_let_body(p, body);
    if (parser_sees(p, TOKEN_OPEN_BRACE))
        return read_braces_body(p, body);
    return read_plain_body(p, p->node_count, 0, body);
}
