/*
 * expression.c - evaluates a net's expressions. Must not know cells other than numbers.
 *
 * Nodes are read at `from` and written at `to`, which is never ahead: an operand of an expression is one number by the
 * time its operator is met, right before it.
 */
#include "net/expression.h"

#include <string.h>

#include "builtin/natives.h"
#include "net/locals.h"
#include "number/calculate.h"
#include "number/number.h"
#include "table/memory.h"

typedef struct {
    language *run;
    syntax_node *nodes;
    uint32_t from;
    uint32_t to;
    uint32_t line;
    uint32_t unused_end; /* up to there: the right side of a decided `and` or `or`, which is checked, but cannot fail */
} evaluation;

/* --- numbers ---------------------------------------------------------------------------------------------------- */

static int is_number(const syntax_node *node)
{
    return node->kind == SYNTAX_INT || node->kind == SYNTAX_FLOAT;
}

static void put_number(evaluation *at, const inpla_cell *number)
{
    syntax_node *node = &at->nodes[at->to++];
    node->flags = 0;
    if (inpla_is_int(number)) {
        node->kind = SYNTAX_INT;
        node->value.integer = inpla_int_of(number);
    } else {
        node->kind = SYNTAX_FLOAT;
        node->value.real = inpla_float_of(number);
    }
}

/* --- messages --------------------------------------------------------------------------------------------------- */

static outcome refuse_operand(const evaluation *at, const syntax_node *operand)
{
    language_report(at->run, at->line,
                    "ERROR: `%s' is referred to as a property variable in an expression, although it has not yet been "
                    "declared (as so).\n",
                    operand->symbol == NO_SYMBOL ? "" : symbols_get(&at->run->symbols, operand->symbol)->text);
    return OUTCOME_FAILED;
}

static outcome refuse_division(const evaluation *at)
{
    language_report(at->run, at->line, "ERROR: division by zero.\n");
    return OUTCOME_FAILED;
}

static outcome refuse_mark(const evaluation *at, const syntax_node *node)
{
    fprintf(at->run->out, "Error: Given nets contain `(*%c)'.\n", node->flags & SYNTAX_REUSE_LEFT ? 'L' : 'R');
    return OUTCOME_FAILED;
}

/* --- nodes ------------------------------------------------------------------------------------------------------ */

static int is_unused(const evaluation *at)
{
    return at->from < at->unused_end;
}

/* The value of an operator whose operands end at `to`; they go. */
static outcome put_result(evaluation *at, unsigned operands, const inpla_cell *result)
{
    if (result == NULL && !is_unused(at))
        return refuse_division(at);
    at->to -= operands;
    put_number(at, result == NULL ? calculate_truth(0, at->run->options.is_float) : result);
    return OUTCOME_OK;
}

static outcome put_binary(evaluation *at, syntax_kind operation)
{
    const syntax_node *right = &at->nodes[at->to - 1], *left = right - 1;
    if (!is_number(left) || !is_number(right))
        return refuse_operand(at, is_number(left) ? right : left);
    return put_result(at, 2, calculate_binary(operation, expression_number(left), expression_number(right),
                                              at->run->options.is_float));
}

static outcome put_unary(evaluation *at, syntax_kind operation)
{
    const syntax_node *operand = &at->nodes[at->to - 1];
    if (!is_number(operand))
        return refuse_operand(at, operand);
    /* a random number that nobody wants is not drawn */
    const inpla_cell *result = operation == SYNTAX_RAND && is_unused(at)
                                   ? NULL
                                   : calculate_unary(operation, expression_number(operand), at->run->options.is_float);
    return put_result(at, 1, result);
}

/* The left side of `and` or `or` has been read: does it decide? */
static outcome see_left_side(evaluation *at, const syntax_node *node)
{
    const syntax_node *left = &at->nodes[at->to - 1];
    if (!is_number(left))
        return refuse_operand(at, left);
    const uint32_t end = at->from + node->count + 1;
    if (number_is_true(expression_number(left)) == (node->kind == SYNTAX_OR_ELSE) && at->unused_end < end)
        at->unused_end = end;
    return OUTCOME_OK;
}

static void put_node(evaluation *at, const syntax_node *node)
{
    if (at->from != at->to)
        at->nodes[at->to] = *node;
    at->to++;
}

static outcome put_name(evaluation *at, const syntax_node *node)
{
    local *name = locals_add(at->run, node->symbol);
    if (name == NULL)
        return memory_exhausted(at->run);
    if (name->is_variable) {
        put_number(at, name->value);
    } else {
        name->occurrences++;
        put_node(at, node);
    }
    return OUTCOME_OK;
}

static outcome put_typed(evaluation *at, const syntax_node *node)
{
    const inpla_cell *value = locals_value(at->run, node->symbol);
    if (value == NULL)
        return refuse_operand(at, node);
    put_number(at, value);
    return OUTCOME_OK;
}

static outcome bind(evaluation *at, const syntax_node *node)
{
    const syntax_node *value = &at->nodes[at->to - 1];
    if (!is_number(value))
        return refuse_operand(at, value);
    local *variable = locals_add(at->run, node->symbol);
    if (variable == NULL)
        return memory_exhausted(at->run);
    if (variable->is_variable)
        language_report(at->run, at->line, "Warning: `%s' has been already defined.\n",
                        symbols_get(&at->run->symbols, node->symbol)->text);
    variable->is_variable = 1;
    variable->value = expression_number(value);
    at->to--;
    return OUTCOME_OK;
}

/* --- native functions ------------------------------------------------------------------------------------------- */

/* 0: the number is none of this kind. */
static int set_argument(inpla_word *argument, const inpla_cell *number, char kind)
{
    if (kind == INPLA_PORT_FLOAT) {
        argument->f = number_real(number);
        return 1;
    }
    if (inpla_is_float(number) && !(inpla_float_of(number) >= -0x1p62f && inpla_float_of(number) < 0x1p62f))
        return 0;
    argument->i = inpla_is_int(number) ? (inpla_int)inpla_int_of(number) : (inpla_int)inpla_float_of(number);
    return 1;
}

static inpla_cell *as_result(const evaluation *at, inpla_word result, char kind)
{
    if (kind == INPLA_PORT_FLOAT)
        return inpla_of_float(result.f);
    return at->run->options.is_float ? inpla_of_float((float)result.i) : inpla_of_int(result.i);
}

static outcome refuse_call(const evaluation *at, const inpla_native_entry *native, const char *why)
{
    language_report(at->run, at->line, "ERROR: The native function `%s' %s.\n", native->name, why);
    return OUTCOME_FAILED;
}

/* The call's arguments are the numbers before it. */
static outcome put_call(evaluation *at, const syntax_node *node, const inpla_native_entry *native)
{
    inpla_word arguments[INPLA_MAX_PARAMETERS], result = {0};
    if (node->count != strlen(native->parameters))
        return refuse_call(at, native, "has another number of parameters");
    const syntax_node *first = &at->nodes[at->to - node->count];
    for (uint32_t i = 0; i < node->count; i++) {
        if (!is_number(&first[i]))
            return refuse_operand(at, &first[i]);
        if (!set_argument(&arguments[i], expression_number(&first[i]), native->parameters[i]))
            return refuse_call(at, native, "takes an integer");
    }
    if (!is_unused(at) && native->call(at->run->natives, arguments, &result) != 0)
        return refuse_call(at, native, natives_failure(native));
    return put_result(at, node->count, as_result(at, result, native->result));
}

static outcome put_agent(evaluation *at, const syntax_node *node)
{
    const symbol *agent = symbols_get(&at->run->symbols, node->symbol);
    const int is_bare = (node->flags & SYNTAX_BARE) != 0;
    if (!is_bare && agent->native != 0)
        return put_call(at, node, natives_get(agent->native - 1));
    if (is_bare && agent->value != NULL)
        put_number(at, agent->value);
    else
        put_node(at, node);
    return OUTCOME_OK;
}

static outcome evaluate(evaluation *at, const syntax_node *node)
{
    if (node->flags & (SYNTAX_REUSE_LEFT | SYNTAX_REUSE_RIGHT))
        return refuse_mark(at, node);
    switch (node->kind) {
    case SYNTAX_NAME:
        return put_name(at, node);
    case SYNTAX_AGENT:
        return put_agent(at, node);
    case SYNTAX_TYPED:
        return put_typed(at, node);
    case SYNTAX_BIND:
        return bind(at, node);
    case SYNTAX_AND_THEN:
    case SYNTAX_OR_ELSE:
        return see_left_side(at, node);
    case SYNTAX_NEGATE:
    case SYNTAX_NOT:
    case SYNTAX_RAND:
        return put_unary(at, node->kind);
    case SYNTAX_TUPLE:
    case SYNTAX_NIL:
    case SYNTAX_CONS:
    case SYNTAX_PERCENT:
    case SYNTAX_INT:
    case SYNTAX_FLOAT:
    case SYNTAX_CONNECT:
        put_node(at, node);
        return OUTCOME_OK;
    default:
        return put_binary(at, node->kind);
    }
}

outcome expression_evaluate(language *run, const statement *net, syntax_range *range)
{
    evaluation at = {.run = run, .nodes = net->nodes, .from = range->begin, .to = range->begin, .line = net->last_line};
    for (; at.from != range->end; at.from++) {
        const syntax_node node = net->nodes[at.from];
        const outcome result = evaluate(&at, &node);
        if (result != OUTCOME_OK)
            return result;
    }
    range->end = at.to;
    return OUTCOME_OK;
}
