/*
 * show_syntax.h - statements as text, for tests of the parser: `net x Foo/1 ~`, nodes in their order.
 */
#ifndef SHOW_SYNTAX_H
#define SHOW_SYNTAX_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "syntax/parser.h"

/* ORDER SYNTAX */
static const char *const shown_kinds[] = {"",  "",  "()", "[]", ":",  "%",  "",   "",   "",    "neg",
                                          "not", "rand", "+", "-", "*",  "/", "%", "==", "!=", "<",
                                          "<=", ">",  ">=", "and", "&",   "or", "|", "~", "="};
/* ORDER STATEMENT */
static const char *const shown_statements[] = {"end",       "empty", "net",   "rule",  "print", "free",
                                               "free-ifce", "ifce",  "prnat", "const", "use",   "memstat", "exit"};

typedef struct {
    char text[1024];
    size_t length;
} shown;

__attribute__((format(printf, 2, 3))) static void show(shown *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    to->length += (size_t)vsnprintf(to->text + to->length, sizeof to->text - to->length, format, arguments);
    va_end(arguments);
    if (to->length >= sizeof to->text)
        to->length = sizeof to->text - 1;
}

static void show_number(shown *to, const syntax_node *node)
{
    if (node->kind == SYNTAX_INT)
        show(to, "%" PRId64, node->value.integer);
    else if (node->kind == SYNTAX_FLOAT)
        show(to, "%gf", (double)node->value.real);
}

static void show_node(shown *to, const symbols *table, const syntax_node *node)
{
    show(to, " %s", node->flags & SYNTAX_REUSE_LEFT ? "*L" : node->flags & SYNTAX_REUSE_RIGHT ? "*R" : "");
    if (node->kind == SYNTAX_TYPED)
        show(to, node->flags & SYNTAX_IS_FLOAT ? "float-" : "int-");
    show_number(to, node);
    if (node->kind == SYNTAX_BIND)
        show(to, "%s", symbols_get(table, node->symbol)->text);
    show(to, "%s", shown_kinds[node->kind]);
    if (node->symbol != NO_SYMBOL && node->kind != SYNTAX_BIND)
        show(to, "%s", symbols_get(table, node->symbol)->text);
    if (node->kind == SYNTAX_AGENT && !(node->flags & SYNTAX_BARE))
        show(to, "/%u", (unsigned)node->count);
    else if (node->kind == SYNTAX_TUPLE || node->kind == SYNTAX_AND_THEN || node->kind == SYNTAX_OR_ELSE)
        show(to, "%u", (unsigned)node->count);
}

static void show_nodes(shown *to, const symbols *table, const statement *of, syntax_range range)
{
    for (uint32_t i = range.begin; i < range.end; i++)
        show_node(to, table, &of->nodes[i]);
}

static void show_body(shown *to, const symbols *table, const statement *of, const syntax_body *body)
{
    show_nodes(to, table, of, body->bindings);
    show_nodes(to, table, of, body->connections);
}

static void show_rule(shown *to, const symbols *table, const statement *of)
{
    show_nodes(to, table, of, of->left);
    show(to, " ><");
    show_nodes(to, table, of, of->right);
    for (uint32_t i = 0; i < of->branch_count; i++) {
        const syntax_branch *branch = &of->branches[i];
        if (branch->guard.begin == branch->guard.end) {
            show(to, " {");
            show_body(to, table, of, &branch->body);
            show(to, " }");
        } else {
            show(to, " ?");
            show_nodes(to, table, of, branch->guard);
            show(to, " else %u", (unsigned)branch->otherwise);
        }
    }
}

static void show_statement(shown *to, const symbols *table, const statement *of)
{
    show(to, "%s", shown_statements[of->kind]);
    if (of->kind == STATEMENT_NET)
        show_body(to, table, of, &of->net);
    else if (of->kind == STATEMENT_RULE)
        show_rule(to, table, of);
    for (uint32_t i = 0; i < of->name_count; i++)
        show(to, " %s", symbols_get(table, of->names[i])->text);
    if (of->kind == STATEMENT_CONST)
        show_node(to, table, &of->nodes[0]);
    if (of->kind == STATEMENT_USE)
        show(to, " %s", of->text);
}

#endif
