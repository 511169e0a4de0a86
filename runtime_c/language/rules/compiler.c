/*
 * compiler.c - a rule's guards and branches in the order of the text: where a guard does not hold, on to the next one.
 */
#include "rules/compiler.h"

#include <stdlib.h>

#include "rules/head.h"
#include "table/agents.h"
#include "table/array.h"

int compiler_fail_memory(compiler *to)
{
    to->outcome = OUTCOME_EXIT;
    return 0;
}

int compiler_refuse(compiler *to)
{
    to->outcome = OUTCOME_FAILED;
    return 0;
}

void compiler_close(compiler *closed)
{
    assembler_close(&closed->out);
    branch_close(&closed->branch);
    free(closed->scope.all);
    free(closed->operands);
    free(closed->arguments);
    free(closed->ports);
    free(closed->list);
}

/* --- the start of a rule ----------------------------------------------------------------------------------------- */

/* Ports to registers. */
static void emit_enter(compiler *to, uint32_t left, uint32_t right)
{
    const int is_small = left <= 3 && right <= 2;
    const code_operation operation = is_small ? (code_operation)(CODE_ENTER_00 + left * 3 + right) : CODE_ENTER;
    assembler_emit(&to->out, &(instruction){operation, {left, right}, {{0}}, NULL});
    to->entry = assembler_label_new(&to->out);
    assembler_label_here(&to->out, to->entry);
}

static void emit_check(compiler *to, const variable *checked)
{
    const code_operation operation = checked->is_real ? CODE_REAL : CODE_INT;
    assembler_emit(&to->out, &(instruction){operation, {checked->place}, {{.rule = to->rule}}, NULL});
}

/* The machine has looked at an integer that is the partner already. */
static int needs_check(const variable *checked)
{
    return checked->kind == VARIABLE_NUMBER && (checked->place != CODE_RIGHT || checked->is_real);
}

/* Numbers in ports, two integers at a time. */
static void emit_checks(compiler *to)
{
    const variable *waiting = NULL;
    for (uint32_t i = 0; i < to->scope.count; i++) {
        const variable *checked = &to->scope.all[i];
        if (!needs_check(checked))
            continue;
        if (checked->is_real) {
            emit_check(to, checked);
        } else if (waiting == NULL) {
            waiting = checked;
        } else {
            assembler_emit(&to->out, &(instruction){CODE_INT2, {waiting->place, checked->place},
                                                    {{.rule = to->rule}}, NULL});
            waiting = NULL;
        }
    }
    if (waiting != NULL)
        emit_check(to, waiting);
    to->checked_entry = assembler_label_new(&to->out);
    assembler_label_here(&to->out, to->checked_entry);
}

static uint32_t arity_of(const compiler *to, uint32_t head)
{
    return head_is_agent(head) ? agents_get(to->run, head)->arity : 0;
}

/* Is there an agent in a body that may be this one? */
static int body_has(const compiler *to, const syntax_body *body, uint32_t agent)
{
    const int is_identifier = !agents_is_tuple(to->run, agent) && agent != AGENT_NIL && agent != AGENT_CONS;
    for (uint32_t i = body->connections.begin; i != body->connections.end; i++) {
        const syntax_node *node = &to->source->nodes[i];
        if (node->kind == SYNTAX_AGENT ? node->symbol == agents_get(to->run, agent)->symbol : !is_identifier)
            return 1;
    }
    return 0;
}

int compiler_may_have(const compiler *to, uint32_t agent)
{
    for (uint32_t i = 0; i < to->source->branch_count; i++)
        if (body_has(to, &to->source->branches[i].body, agent))
            return 1;
    return 0;
}

static void emit_start(compiler *to)
{
    to->may_loop = (uint8_t)compiler_may_have(to, to->rule->left);
    const uint32_t left = arity_of(to, to->rule->left), right = arity_of(to, to->rule->right);
    to->register_count = CODE_FIRST_PORT + left + right;
    assembler_emit(&to->out, &(instruction){CODE_SWAP, {0}, {{0}}, NULL});
    emit_enter(to, left, right);
    emit_checks(to);
}

/* --- bindings ---------------------------------------------------------------------------------------------------- */

static int bind(compiler *to, symbol_id id, syntax_range expression)
{
    operand value;
    if (!compile_expression(to, expression, &value))
        return 0;
    const variable *before = scope_find(to->run, &to->scope, id);
    if (before != NULL && before->kind == VARIABLE_NUMBER)
        language_report(to->run, to->source->last_line, "Warning: `%s' has been already defined.\n",
                        symbols_get(&to->run->symbols, id)->text);
    variable *bound = scope_add(to->run, &to->scope, id, VARIABLE_NUMBER);
    if (bound == NULL)
        return compiler_fail_memory(to);
    bound->is_real = value.is_real;
    bound->place = value.kind == OPERAND_REGISTER ? value.place : NO_REGISTER;
    bound->value = value.kind == OPERAND_CONSTANT ? value.value : NULL;
    return 1;
}

static int bind_all(compiler *to, syntax_range bindings)
{
    uint32_t begin = bindings.begin;
    for (uint32_t i = bindings.begin; i != bindings.end; i++) {
        if (to->source->nodes[i].kind != SYNTAX_BIND)
            continue;
        if (!bind(to, to->source->nodes[i].symbol, (syntax_range){begin, i}))
            return 0;
        begin = i + 1;
    }
    return 1;
}

/* --- branches ---------------------------------------------------------------------------------------------------- */

/* Ports that the branch computes with, although they are not declared as attributes. */
static void check_operands(compiler *to)
{
    for (uint32_t i = 0; i < to->scope.head_count; i++) {
        variable *port = &to->scope.all[i];
        if (port->kind != VARIABLE_PORT || !port->is_operand)
            continue;
        port->is_real = to->run->options.is_float;
        emit_check(to, port);
    }
}

static int compile_body(compiler *to, const syntax_body *body)
{
    if (!bind_all(to, body->bindings) || !branch_read(to, body->connections))
        return 0;
    check_operands(to);
    if (!branch_check_linearity(to))
        return 0;
    branch_route(to);
    return compile_connections(to);
}

static void report_failure_of_body(compiler *to)
{
    language_report(to->run, to->source->last_line, "ERROR: Compilation failure for ");
    head_print(to->run, to->rule);
    fputs(".\n", to->run->out);
}

/* What is computed from here on goes to registers from number `count` on. */
static void reset_registers(compiler *to, uint32_t count)
{
    if (to->register_count > to->rule->register_count)
        to->rule->register_count = to->register_count;
    to->register_count = count;
}

static int compile_decision(compiler *to, const syntax_branch *decision, uint32_t otherwise)
{
    scope_begin_branch(&to->scope);
    const int is_compiled = compile_guard(to, decision->guard, otherwise);
    scope_end_guard(&to->scope);
    return is_compiled;
}

static int compile_leaf(compiler *to, const syntax_branch *leaf)
{
    scope_begin_branch(&to->scope);
    assembler_begin_region(&to->out);
    const int is_compiled = compile_body(to, &leaf->body);
    scope_shrink(to->run, &to->scope, to->scope.head_count);
    if (to->outcome == OUTCOME_FAILED && to->is_expression_refused)
        report_failure_of_body(to);
    return is_compiled;
}

/* Guards and leaves; what they compute is of no use to others. */
static int compile_branches(compiler *to, uint32_t first_label)
{
    const uint32_t registers = to->register_count;
    int is_compiled = 1;
    for (uint32_t i = 0; is_compiled && i < to->source->branch_count; i++) {
        const syntax_branch *at = &to->source->branches[i];
        const int is_leaf = at->guard.begin == at->guard.end;
        assembler_label_here(&to->out, first_label + i);
        is_compiled = is_leaf ? compile_leaf(to, at) : compile_decision(to, at, first_label + at->otherwise);
        reset_registers(to, registers);
    }
    return is_compiled;
}

outcome compiler_compile(compiler *to)
{
    rule *made = to->rule;
    assembler_clear(&to->out);
    emit_start(to);
    to->scope.head_count = to->scope.count;
    made->register_count = 0;
    const uint32_t first_label = to->out.label_count;
    for (uint32_t i = 0; i < to->source->branch_count; i++)
        assembler_label_new(&to->out);
    if (!compile_branches(to, first_label))
        return to->outcome;
    made->code = assembler_finish(&to->out, &made->word_count);
    return made->code == NULL ? OUTCOME_EXIT : OUTCOME_OK;
}
