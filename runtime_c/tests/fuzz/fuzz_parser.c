/*
 * fuzz_parser.c - any bytes to the parser, in both dialects: it ends, within its arrays, and what it hands over is well
 * formed: postfix order that leaves what it should, ranges and branches that lie within the statement.
 */
#include <stdlib.h>

#include "syntax/parser.h"

static void must(int condition)
{
    if (!condition)
        abort();
}

/* What a node takes from the stack and puts there. */
static uint32_t operands(const syntax_node *node)
{
    if (node->kind == SYNTAX_AGENT || node->kind == SYNTAX_TUPLE)
        return node->count;
    if (node->kind <= SYNTAX_NIL || (node->kind >= SYNTAX_PERCENT && node->kind <= SYNTAX_FLOAT))
        return 0;
    return (node->kind >= SYNTAX_NEGATE && node->kind <= SYNTAX_RAND) || node->kind == SYNTAX_BIND ||
                   node->kind == SYNTAX_AND_THEN || node->kind == SYNTAX_OR_ELSE
               ? 1
               : 2;
}

static int leaves_nothing(const syntax_node *node)
{
    return node->kind == SYNTAX_CONNECT || node->kind == SYNTAX_BIND;
}

/* Follows the stack of whoever reads the nodes: `result` terms are left. */
static void check_range(const statement *of, syntax_range range, uint32_t result)
{
    uint32_t depth = 0;
    must(range.begin <= range.end && range.end <= of->node_count);
    for (uint32_t i = range.begin; i < range.end; i++) {
        const syntax_node *node = &of->nodes[i];
        must(depth >= operands(node));
        depth = depth - operands(node) + !leaves_nothing(node);
        if (node->kind == SYNTAX_AND_THEN || node->kind == SYNTAX_OR_ELSE) {
            must(i + node->count < range.end);
            must(of->nodes[i + node->count].kind == (node->kind == SYNTAX_AND_THEN ? SYNTAX_AND : SYNTAX_OR));
        }
    }
    must(depth == result);
}

static void check_body(const statement *of, const syntax_body *body)
{
    check_range(of, body->bindings, 0);
    check_range(of, body->connections, 0);
}

static void check_rule(const statement *of)
{
    check_range(of, of->left, 1);
    check_range(of, of->right, 1);
    must(of->branch_count > 0);
    for (uint32_t i = 0; i < of->branch_count; i++) {
        const syntax_branch *branch = &of->branches[i];
        const int is_leaf = branch->guard.begin == branch->guard.end;
        check_range(of, branch->guard, !is_leaf);
        check_body(of, &branch->body);
        must(is_leaf || (branch->otherwise > i + 1 && branch->otherwise < of->branch_count));
    }
}

static void check_statement(const statement *of)
{
    must(of->first_line >= 1 && of->first_line <= of->last_line);
    if (of->kind == STATEMENT_NET)
        check_body(of, &of->net);
    if (of->kind == STATEMENT_RULE)
        check_rule(of);
    must(of->kind != STATEMENT_PRNAT || of->name_count == 1);
}

static void parse(const char *text, size_t size, int is_float)
{
    symbols table;
    parser p;
    lexer words;
    statement at = {.kind = STATEMENT_EMPTY};
    must(symbols_open(&table) && parser_open(&p, &table, is_float));
    lexer_open(&words, &table, is_float, text, size);
    while (at.kind != STATEMENT_END && !(p.status == PARSER_SYNTAX_ERROR && p.token.kind == TOKEN_END)) {
        if (parser_read(&p, &words, &at) == PARSER_OK && at.kind != STATEMENT_END)
            check_statement(&at);
        else if (p.status == PARSER_SYNTAX_ERROR)
            parser_skip_statement(&p);
    }
    parser_close(&p);
    symbols_close(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    parse((const char *)bytes, size, 0);
    parse((const char *)bytes, size, 1);
    return 0;
}
