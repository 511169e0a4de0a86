/*
 * parser.c - words, nodes and errors for the parser's files; statements and commands.
 */
#include "syntax/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "syntax/parser_parts.h"
#include "table/array.h"

enum { SHOWN_BYTES = 40 }; /* of a word in a message */

int parser_open(parser *p, symbols *table, int is_float)
{
    memset(p, 0, sizeof *p);
    if (!lexer_define_keywords(table, is_float))
        return 0;
    p->symbols = table;
    p->is_float = (uint8_t)is_float;
    p->float_word = is_float ? NO_SYMBOL : symbols_intern(table, "float", 5);
    p->left_word = symbols_intern(table, "L", 1);
    p->right_word = symbols_intern(table, "R", 1);
    p->append_word = symbols_intern(table, "Append", 6);
    p->merger_word = symbols_intern(table, "Merger", 6);
    return (is_float || p->float_word != NO_SYMBOL) && p->left_word != NO_SYMBOL &&
           p->right_word != NO_SYMBOL && p->append_word != NO_SYMBOL && p->merger_word != NO_SYMBOL;
}

void parser_close(parser *p)
{
    free(p->nodes);
    free(p->frames);
    free(p->choices);
    free(p->branches);
    free(p->names);
    free(p->text);
    memset(p, 0, sizeof *p);
}

/* --- words and nodes ------------------------------------------------------------------------------------------- */

int parser_advance(parser *p)
{
    lexer_read(p->lexer, &p->token);
    if (parser_sees(p, TOKEN_NO_MEMORY))
        p->status = PARSER_NO_MEMORY;
    return p->status == PARSER_OK;
}

int parser_expect(parser *p, token_kind kind, const char *expected)
{
    return parser_sees(p, kind) ? parser_advance(p) : parser_fail(p, expected);
}

syntax_node *parser_emit(parser *p, syntax_kind kind, const token *place)
{
    if (!ARRAY_RESERVE(p->nodes, p->node_room, (size_t)p->node_count + 1)) {
        p->status = PARSER_NO_MEMORY;
        return NULL;
    }
    syntax_node *node = &p->nodes[p->node_count++];
    *node = (syntax_node){.kind = (uint8_t)kind,
                          .column = (uint16_t)(place->column < UINT16_MAX ? place->column : UINT16_MAX),
                          .line = place->line};
    return node;
}

/* --- errors ---------------------------------------------------------------------------------------------------- */

static int is_word(token_kind kind)
{
    return kind == TOKEN_NAME || kind == TOKEN_AGENT || kind == TOKEN_INT || kind == TOKEN_FLOAT ||
           kind == TOKEN_STRING || kind == TOKEN_LARGE_NUMBER;
}

/* What was found: a word's kind and text, a bad byte's value, or what the kind is called. */
static void describe(const token *found, char *text, size_t size)
{
    const unsigned byte = found->length > 0 ? (unsigned char)*found->text : 0;
    const int shown = found->length > SHOWN_BYTES ? SHOWN_BYTES : (int)found->length;
    const char *name = token_name((token_kind)found->kind);
    if (is_word((token_kind)found->kind))
        snprintf(text, size, "%s `%.*s%s'", name, shown, found->text, found->length > SHOWN_BYTES ? "..." : "");
    else if (found->kind != TOKEN_BAD_BYTE)
        snprintf(text, size, "%s", name);
    else if (byte > ' ' && byte < 127)
        snprintf(text, size, "'%c'", (int)byte);
    else
        snprintf(text, size, "byte 0x%02X", byte);
}

int parser_fail(parser *p, const char *expected)
{
    char what[SHOWN_BYTES + 48];
    if (p->status != PARSER_OK)
        return 0;
    describe(&p->token, what, sizeof what);
    p->status = PARSER_SYNTAX_ERROR;
    p->error.line = p->token.line;
    p->error.column = p->token.column;
    if (p->token.kind > TOKEN_BAD_BYTE)
        snprintf(p->error.text, sizeof p->error.text, "syntax error, %s", what);
    else
        snprintf(p->error.text, sizeof p->error.text, "syntax error, unexpected %s, %s", what, expected);
    return 0;
}

void parser_skip_statement(parser *p)
{
    while (!parser_sees(p, TOKEN_SEMICOLON) && !parser_sees(p, TOKEN_END) &&
           !parser_sees(p, TOKEN_NO_MEMORY))
        lexer_read(p->lexer, &p->token);
}

/* --- commands -------------------------------------------------------------------------------------------------- */

static int add_name(parser *p, symbol_id name)
{
    if (!ARRAY_RESERVE(p->names, p->name_room, (size_t)p->name_count + 1)) {
        p->status = PARSER_NO_MEMORY;
        return 0;
    }
    p->names[p->name_count++] = name;
    return 1;
}

static int read_names(parser *p)
{
    while (parser_sees(p, TOKEN_NAME))
        if (!add_name(p, p->token.symbol) || !parser_advance(p))
            return 0;
    return 1;
}

static int read_free(parser *p, statement *s)
{
    if (!parser_advance(p))
        return 0;
    s->kind = STATEMENT_FREE;
    if (parser_sees(p, TOKEN_IFCE) || parser_sees(p, TOKEN_INTERFACE)) {
        s->kind = STATEMENT_FREE_INTERFACE;
        return parser_advance(p);
    }
    return read_names(p);
}

static int read_prnat(parser *p, statement *s)
{
    s->kind = STATEMENT_PRNAT;
    if (!parser_advance(p))
        return 0;
    if (!parser_sees(p, TOKEN_NAME))
        return parser_fail(p, "expecting a name");
    return add_name(p, p->token.symbol) && parser_advance(p);
}

static int read_constant_value(parser *p)
{
    operand is = OPERAND_TERM;
    const int is_number = parser_sees(p, TOKEN_INT) || parser_sees(p, TOKEN_FLOAT);
    if (!is_number && !parser_sees(p, TOKEN_MINUS))
        return parser_fail(p, "expecting a number");
    if (!parser_term(p, &is))
        return 0;
    const int is_single = p->node_count == 1 && (p->nodes[0].kind == SYNTAX_INT || p->nodes[0].kind == SYNTAX_FLOAT);
    return is_single || parser_fail(p, "but a constant is a number alone");
}

static int read_const(parser *p, statement *s)
{
    s->kind = STATEMENT_CONST;
    if (!parser_advance(p))
        return 0;
    if (!parser_sees(p, TOKEN_AGENT))
        return parser_fail(p, "expecting an agent");
    return add_name(p, p->token.symbol) && parser_advance(p) &&
           parser_expect(p, TOKEN_ASSIGN, "expecting '='") && read_constant_value(p);
}

/* The text of a string without its quotes and escapes. */
static int keep_string(parser *p, const token *string)
{
    const char *at = string->text + 1;
    const char *end = string->text + string->length - 1;
    if (!ARRAY_RESERVE(p->text, p->text_room, string->length)) {
        p->status = PARSER_NO_MEMORY;
        return 0;
    }
    char *to = p->text;
    for (; at < end; at++) {
        if (*at == '\\')
            at++;
        *to++ = at[-1] != '\\' ? *at : *at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
    }
    *to = 0;
    return 1;
}

static int read_use(parser *p, statement *s)
{
    s->kind = STATEMENT_USE;
    if (!parser_advance(p))
        return 0;
    if (!parser_sees(p, TOKEN_STRING))
        return parser_fail(p, "expecting a file's name in quotes");
    return keep_string(p, &p->token) && parser_advance(p);
}

static int read_word_command(parser *p, statement *s, statement_kind kind)
{
    s->kind = kind;
    return parser_advance(p);
}

/* --- statements ------------------------------------------------------------------------------------------------ */

/* `x y z`, where x has been read as a term. */
static int read_print(parser *p, statement *s)
{
    s->kind = STATEMENT_PRINT;
    if (p->nodes[0].kind == SYNTAX_TYPED && !add_name(p, p->float_word))
        return 0;
    return add_name(p, p->nodes[0].symbol) && read_names(p);
}

static int read_rule(parser *p, statement *s)
{
    operand is = OPERAND_TERM;
    s->kind = STATEMENT_RULE;
    s->left = (syntax_range){.begin = 0, .end = p->node_count};
    if (!parser_advance(p) || !parser_term(p, &is))
        return 0;
    s->right = (syntax_range){.begin = s->left.end, .end = p->node_count};
    return parser_branches(p);
}

static int read_net(parser *p, statement *s)
{
    s->kind = STATEMENT_NET;
    return parser_body(p, &s->net);
}

/* What starts with a term: a net, a rule, or names to print. */
static int read_after_term(parser *p, statement *s)
{
    operand is = OPERAND_TERM;
    const int starts_with_name = parser_sees(p, TOKEN_NAME);
    if (!parser_term(p, &is))
        return 0;
    const syntax_kind kind = (syntax_kind)p->nodes[0].kind;
    const int is_word = p->node_count == 1 && starts_with_name && (kind == SYNTAX_NAME || kind == SYNTAX_TYPED);
    if (is_word && (parser_sees(p, TOKEN_SEMICOLON) || parser_sees(p, TOKEN_NAME)))
        return read_print(p, s);
    if (parser_sees(p, TOKEN_PAIR))
        return read_rule(p, s);
    if (!parser_sees(p, TOKEN_TILDE) && !parser_sees(p, TOKEN_COMMA) && !parser_sees(p, TOKEN_ABBREVIATE))
        return parser_fail(p, is_word ? "expecting ';', '~', '<<' or '><'" : "expecting '~', '<<' or '><'");
    s->kind = STATEMENT_NET;
    return parser_body_after_term(p, 0, &s->net);
}

static int read_kind(parser *p, statement *s)
{
    switch ((token_kind)p->token.kind) {
    case TOKEN_LET:
    case TOKEN_OPEN_BRACE:
    case TOKEN_ABBREVIATE: return read_net(p, s);
    case TOKEN_FREE: return read_free(p, s);
    case TOKEN_PRNAT: return read_prnat(p, s);
    case TOKEN_CONST: return read_const(p, s);
    case TOKEN_USE: return read_use(p, s);
    case TOKEN_IFCE:
    case TOKEN_INTERFACE: return read_word_command(p, s, STATEMENT_INTERFACE);
    case TOKEN_MEMSTAT: return read_word_command(p, s, STATEMENT_MEMSTAT);
    case TOKEN_EXIT: return read_word_command(p, s, STATEMENT_EXIT);
    case TOKEN_SEMICOLON: s->kind = STATEMENT_EMPTY; return 1;
    default: return read_after_term(p, s);
    }
}

static void hand_over(const parser *p, statement *s)
{
    s->nodes = p->nodes;
    s->node_count = p->node_count;
    s->branches = p->branches;
    s->branch_count = p->branch_count;
    s->names = p->names;
    s->name_count = p->name_count;
    s->text = p->text;
    s->last_line = p->token.line;
}

parser_status parser_read(parser *p, lexer *in, statement *s)
{
    memset(s, 0, sizeof *s);
    p->lexer = in;
    p->status = PARSER_OK;
    p->node_count = p->frame_count = p->choice_count = 0;
    p->branch_count = p->name_count = 0;
    in->is_within_statement = 0;
    if (!parser_advance(p))
        return p->status;
    in->is_within_statement = 1;
    s->first_line = p->token.line;
    if (parser_sees(p, TOKEN_END))
        s->kind = STATEMENT_END;
    else if (read_kind(p, s) && !parser_sees(p, TOKEN_SEMICOLON))
        parser_fail(p, "expecting ';'");
    hand_over(p, s);
    return p->status;
}
