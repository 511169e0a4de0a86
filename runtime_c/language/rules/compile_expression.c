/*
 * compile_expression.c - expressions to code. Types are static: int op int is an int, with a float it is a float.
 *
 * A comparison becomes no value before it is known what it is for: a jump compares and jumps at once. `and` and `or`
 * jump over their right side.
 */
#include "builtin/natives.h"
#include "number/number.h"
#include "rules/compiler.h"
#include "table/array.h"

/* --- operands ---------------------------------------------------------------------------------------------------- */

static int push(compiler *to, operand value)
{
    if (!ARRAY_RESERVE(to->operands, to->operand_room, (size_t)to->operand_count + 1))
        return compiler_fail_memory(to);
    to->operands[to->operand_count++] = value;
    return 1;
}

static operand pop(compiler *to)
{
    return to->operands[--to->operand_count];
}

/* --- arithmetic -------------------------------------------------------------------------------------------------- */

static operand as_real(compiler *to, const operand *value)
{
    if (value->is_real)
        return *value;
    if (value->kind == OPERAND_CONSTANT)
        return operand_constant(inpla_of_float(number_real(value->value)));
    const uint32_t result = compiler_new_register(to);
    assembler_emit(&to->out, &(instruction){CODE_TO_REAL, {result, value->place}, {{0}}, NULL});
    return operand_in_register(result, 1);
}

static operand emit_binary(compiler *to, code_operation operation, const operand *left, const operand *right)
{
    const uint32_t a = compile_to_register(to, left), b = compile_to_register(to, right);
    const uint32_t result = compiler_new_register(to);
    assembler_emit(&to->out, &(instruction){operation, {result, a, b}, {{.rule = to->rule}}, NULL});
    return operand_in_register(result, left->is_real);
}

static operand emit_with_operand_constant(compiler *to, code_operation operation, const operand *left, intptr_t number)
{
    const uint32_t a = compile_to_register(to, left);
    const uint32_t result = compiler_new_register(to);
    assembler_emit(&to->out, &(instruction){operation, {result, a}, {{.number = number}}, NULL});
    return operand_in_register(result, 0);
}

/* An operation of integers with a constant on the right, where there is one for it; the constant is not 0 for `/`. */
static operand int_operation(compiler *to, number_operation operation, const operand *left, const operand *right)
{
    static const code_operation plain[] = {CODE_ADD, CODE_SUB, CODE_MUL, CODE_DIV, CODE_MOD};
    const int64_t number = right->kind == OPERAND_CONSTANT ? inpla_int_of(right->value) : 0;
    if (left->kind == OPERAND_CONSTANT && operation == NUMBER_ADD)
        return int_operation(to, operation, right, left);
    if (right->kind == OPERAND_REGISTER || (number == 0 && operation >= NUMBER_DIVIDE))
        return emit_binary(to, plain[operation], left, right);
    switch (operation) {
    case NUMBER_ADD:
        return emit_with_operand_constant(to, CODE_ADD_BY, left, (intptr_t)((uintptr_t)number * 2));
    case NUMBER_SUBTRACT:
        return emit_with_operand_constant(to, CODE_ADD_BY, left, (intptr_t)(0 - (uintptr_t)number * 2));
    case NUMBER_MULTIPLY:
        return emit_with_operand_constant(to, CODE_MUL_BY, left, (intptr_t)number);
    case NUMBER_DIVIDE:
        return emit_with_operand_constant(to, CODE_DIV_BY, left, (intptr_t)number);
    default:
        return emit_with_operand_constant(to, CODE_MOD_BY, left, (intptr_t)number);
    }
}

static operand operate(compiler *to, number_operation operation, const operand *left, const operand *right)
{
    static const code_operation real[] = {CODE_REAL_ADD, CODE_REAL_SUB, CODE_REAL_MUL, CODE_REAL_DIV, CODE_REAL_MOD};
    if (left->kind == OPERAND_CONSTANT && right->kind == OPERAND_CONSTANT) {
        const inpla_cell *value = number_operate(operation, left->value, right->value);
        if (value != NULL)
            return operand_constant(value);
    }
    return left->is_real ? emit_binary(to, real[operation], left, right) : int_operation(to, operation, left, right);
}

static int put_binary(compiler *to, syntax_kind kind)
{
    const operand b = pop(to), a = pop(to);
    operand right = compile_as_value(to, &b), left = compile_as_value(to, &a);
    if (left.is_real || right.is_real) {
        left = as_real(to, &left);
        right = as_real(to, &right);
    }
    /* ORDER SYNTAX */
    if (kind <= SYNTAX_REMAINDER)
        return push(to, operate(to, (number_operation)(kind - SYNTAX_ADD), &left, &right));
    return push(to, compile_comparison(to, (comparison)(kind - SYNTAX_EQUAL), left, right));
}

/* --- unary ------------------------------------------------------------------------------------------------------- */

static operand emit_unary(compiler *to, code_operation operation, const operand *value)
{
    const uint32_t a = compile_to_register(to, value);
    const uint32_t result = compiler_new_register(to);
    assembler_emit(&to->out, &(instruction){operation, {result, a}, {{.rule = to->rule}}, NULL});
    return operand_in_register(result, value->is_real);
}

static int put_unary(compiler *to, syntax_kind kind)
{
    const operand top = pop(to);
    if (kind == SYNTAX_NOT)
        return push(to, compile_negate(compile_as_condition(to, &top)));
    const operand value = compile_as_value(to, &top);
    if (kind == SYNTAX_RAND)
        return push(to, emit_unary(to, CODE_RANDOM, &value));
    if (value.kind != OPERAND_CONSTANT)
        return push(to, emit_unary(to, value.is_real ? CODE_REAL_NEGATE : CODE_NEGATE, &value));
    if (value.is_real)
        return push(to, operand_constant(inpla_of_float(-inpla_float_of(value.value))));
    return push(to, operand_constant(number_negate(value.value)));
}

/* --- and, or ----------------------------------------------------------------------------------------------------- */

/* The left side has been compiled: where it decides, the right side is jumped over. */
static int end_left_side(compiler *to, int is_and)
{
    const operand top = pop(to), condition = compile_as_condition(to, &top);
    const uint32_t decided = assembler_label_new(&to->out);
    compile_branch_unless(to, &condition, is_and, decided);
    return push(to, (operand){.kind = OPERAND_LEFT_SIDE, .place = decided});
}

static int end_right_side(compiler *to, int is_and)
{
    const operand top = pop(to), left = pop(to);
    operand condition = compile_as_condition(to, &top);
    uint32_t *decided = is_and ? &condition.when_false : &condition.when_true;
    *decided = compile_join(to, left.place, *decided);
    return push(to, condition);
}

/* --- names, constants, native functions --------------------------------------------------------------------------- */

static int put_number_variable(compiler *to, const variable *found)
{
    if (found->value != NULL)
        return push(to, operand_constant(found->value));
    return push(to, operand_in_register(found->place, found->is_real));
}

/* A port that is not declared as an attribute: taken as one, with a warning. */
static int put_port(compiler *to, variable *found, const char *name)
{
    const int is_real = to->run->options.is_float;
    language_report(to->run, to->source->last_line,
                    "Warning: `%s' is used as a property variable, although is is not declared as so.\n", name);
    found->is_operand = 1;
    const code_operation check = is_real ? CODE_REAL : CODE_INT;
    assembler_emit(&to->out, &(instruction){check, {found->place}, {{.rule = to->rule}}, NULL});
    return push(to, operand_in_register(found->place, is_real));
}

static int refuse_name(compiler *to, const char *name)
{
    language_report(to->run, to->source->last_line,
                    "ERROR: `%s' is referred to as a property variable in an expression, although it has not yet been "
                    "declared (as so).\n",
                    name);
    to->is_expression_refused = 1;
    return compiler_refuse(to);
}

static int put_name(compiler *to, symbol_id id)
{
    const char *name = symbols_get(&to->run->symbols, id)->text;
    variable *found = scope_find(to->run, &to->scope, id);
    if (found == NULL || found->kind == VARIABLE_WIRE)
        return refuse_name(to, name);
    return found->kind == VARIABLE_NUMBER ? put_number_variable(to, found) : put_port(to, found, name);
}

/* Arguments of the kinds that the function takes. */
static int put_native(compiler *to, const syntax_node *node, const inpla_native_entry *native)
{
    const uint32_t count = node->count, first = to->operand_count - count;
    uint32_t parameters = 0;
    while (native->parameters[parameters] != 0)
        parameters++;
    if (parameters != count) {
        language_report(to->run, to->source->last_line,
                        "ERROR: The native function `%s' takes another number of arguments.\n", native->name);
        return compiler_refuse(to);
    }
    if (!ARRAY_RESERVE(to->arguments, to->argument_room, (size_t)count + 1))
        return compiler_fail_memory(to);
    for (uint32_t i = 0; i < count; i++) {
        operand value = compile_as_value(to, &to->operands[first + i]);
        if (native->parameters[i] == INPLA_PORT_FLOAT)
            value = as_real(to, &value);
        to->arguments[i] = compile_to_register(to, &value);
    }
    to->operand_count = first;
    const uint32_t result = compiler_new_register(to);
    const uint32_t number = symbols_get(&to->run->symbols, node->symbol)->native - 1;
    assembler_emit(&to->out, &(instruction){CODE_NATIVE, {result, number, node->symbol, count},
                                            {{.rule = to->rule}}, to->arguments});
    return push(to, operand_in_register(result, native->result == INPLA_PORT_FLOAT));
}

/* A run-time error if it is ever called. */
static int put_unknown_native(compiler *to, const syntax_node *node)
{
    to->operand_count -= node->count;
    assembler_emit(&to->out, &(instruction){CODE_UNKNOWN_NATIVE, {node->symbol}, {{.rule = to->rule}}, NULL});
    return push(to, operand_constant(compile_truth(to, 0)));
}

static int put_agent(compiler *to, const syntax_node *node)
{
    const symbol *of = symbols_get(&to->run->symbols, node->symbol);
    if (node->flags & SYNTAX_BARE && of->value != NULL)
        return push(to, operand_constant(of->value));
    if (node->flags & SYNTAX_BARE)
        return refuse_name(to, of->text);
    return of->native == 0 ? put_unknown_native(to, node) : put_native(to, node, natives_get(of->native - 1));
}

/* --- nodes ------------------------------------------------------------------------------------------------------- */

static int put_node(compiler *to, const syntax_node *node)
{
    switch (node->kind) {
    case SYNTAX_NAME:
    case SYNTAX_TYPED:
        return put_name(to, node->symbol);
    case SYNTAX_AGENT:
        return put_agent(to, node);
    case SYNTAX_INT:
        return push(to, operand_constant(inpla_of_int(node->value.integer)));
    case SYNTAX_FLOAT:
        return push(to, operand_constant(inpla_of_float(node->value.real)));
    case SYNTAX_NEGATE:
    case SYNTAX_NOT:
    case SYNTAX_RAND:
        return put_unary(to, (syntax_kind)node->kind);
    case SYNTAX_AND_THEN:
    case SYNTAX_OR_ELSE:
        return end_left_side(to, node->kind == SYNTAX_AND_THEN);
    case SYNTAX_AND:
    case SYNTAX_OR:
        return end_right_side(to, node->kind == SYNTAX_AND);
    default:
        return put_binary(to, (syntax_kind)node->kind);
    }
}

/* May the condition that comes before this node go on as one? Its jumps must not leave out other code. */
static int takes_condition(syntax_kind kind)
{
    return kind == SYNTAX_NOT || (kind >= SYNTAX_AND_THEN && kind <= SYNTAX_OR);
}

static int put_nodes(compiler *to, syntax_range range)
{
    to->operand_count = 0;
    for (uint32_t i = range.begin; i != range.end; i++) {
        if (!put_node(to, &to->source->nodes[i]))
            return 0;
        operand *top = &to->operands[to->operand_count - 1];
        if (i + 1 != range.end && !takes_condition((syntax_kind)to->source->nodes[i + 1].kind))
            *top = compile_as_value(to, top);
    }
    return 1;
}

int compile_expression(compiler *to, syntax_range range, operand *value)
{
    if (!put_nodes(to, range))
        return 0;
    const operand top = pop(to);
    *value = compile_as_value(to, &top);
    return 1;
}

int compile_guard(compiler *to, syntax_range range, uint32_t label)
{
    if (!put_nodes(to, range))
        return 0;
    const operand top = pop(to), condition = compile_as_condition(to, &top);
    compile_branch_unless(to, &condition, 1, label);
    return 1;
}
