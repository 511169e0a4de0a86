/*
 * compile_condition.c - comparisons, and the jumps that they become. A NaN makes "not less" another thing than "greater
 * or equal", so conditions of floats are negated by a mark.
 */
#include "rules/compiler.h"

static void emit_set(compiler *to, uint32_t place, inpla_cell *value)
{
    assembler_emit(&to->out, &(instruction){CODE_SET, {place}, {{.value = value}}, NULL});
}

inpla_cell *compile_truth(const compiler *to, int is_true)
{
    return to->run->options.is_float ? inpla_of_float((float)is_true) : inpla_of_int(is_true);
}

/* --- jumps ------------------------------------------------------------------------------------------------------- */

static void emit_int_jump(compiler *to, const operand *condition, comparison compare, uint32_t label)
{
    static const code_operation with_register[] = {CODE_IF_EQ, CODE_IF_NE, CODE_IF_LT, CODE_IF_LE};
    static const code_operation with_constant[] = {CODE_IF_EQ_TO, CODE_IF_NE_TO, CODE_IF_LT_TO,
                                                   CODE_IF_LE_TO, CODE_IF_GT_TO, CODE_IF_GE_TO};
    const code_word target = {.number = label};
    if (condition->right == NO_REGISTER)
        assembler_emit(&to->out, &(instruction){with_constant[compare], {condition->place},
                                                {{.value = condition->value}, target}, NULL});
    else if (compare <= COMPARE_LE)
        assembler_emit(&to->out, &(instruction){with_register[compare],
                                                {condition->place, condition->right}, {target}, NULL});
    else /* a > b is b < a */
        assembler_emit(&to->out, &(instruction){with_register[compare - COMPARE_GT + COMPARE_LT],
                                                {condition->right, condition->place}, {target}, NULL});
}

static void emit_real_jump(compiler *to, const operand *condition, int is_negated, uint32_t label)
{
    static const code_operation jumps[2][4] = {
        {CODE_REAL_IF_EQ, CODE_REAL_IF_NE, CODE_REAL_IF_LT, CODE_REAL_IF_LE},
        {CODE_REAL_IF_NE, CODE_REAL_IF_EQ, CODE_REAL_IF_NOT_LT, CODE_REAL_IF_NOT_LE}};
    assembler_emit(&to->out, &(instruction){jumps[is_negated][condition->comparison],
                                            {condition->place, condition->right}, {{.number = label}}, NULL});
}

/* Jumps to `label` if the comparison of a condition has the result `wanted`. */
static void emit_jump(compiler *to, const operand *condition, int wanted, uint32_t label)
{
    static const comparison opposite[] = {COMPARE_NE, COMPARE_EQ, COMPARE_GE, COMPARE_GT, COMPARE_LE, COMPARE_LT};
    const comparison compare = (comparison)condition->comparison;
    if (condition->is_real)
        emit_real_jump(to, condition, condition->is_negated == wanted, label);
    else
        emit_int_jump(to, condition, wanted ? compare : opposite[compare], label);
}

static void place(compiler *to, uint32_t label)
{
    if (label != NO_LABEL)
        assembler_label_here(&to->out, label);
}

uint32_t compile_join(compiler *to, uint32_t label, uint32_t other)
{
    if (label == NO_LABEL)
        return other;
    if (other != NO_LABEL)
        assembler_label_join(&to->out, other, label);
    return label;
}

/* Goes to `label` unless the condition has the result `wanted`; goes on here if it has. */
void compile_branch_unless(compiler *to, const operand *condition, int wanted, uint32_t label)
{
    emit_jump(to, condition, !wanted, label);
    compile_join(to, label, wanted ? condition->when_false : condition->when_true);
    place(to, wanted ? condition->when_true : condition->when_false);
}

/* A condition that holds where the value is not 0. */
operand compile_as_condition(compiler *to, const operand *value)
{
    if (value->kind == OPERAND_CONDITION)
        return *value;
    operand condition = {.kind = OPERAND_CONDITION, .is_real = value->is_real, .comparison = COMPARE_NE,
                         .place = compile_to_register(to, value), .right = NO_REGISTER,
                         .when_true = NO_LABEL, .when_false = NO_LABEL};
    const operand zero = operand_constant(value->is_real ? inpla_of_float(0) : inpla_of_int(0));
    if (value->is_real)
        condition.right = compile_to_register(to, &zero);
    else
        condition.value = zero.value;
    return condition;
}

operand compile_negate(operand condition)
{
    static const comparison opposite[] = {COMPARE_NE, COMPARE_EQ, COMPARE_GE, COMPARE_GT, COMPARE_LE, COMPARE_LT};
    const uint32_t when_true = condition.when_true;
    condition.when_true = condition.when_false;
    condition.when_false = when_true;
    if (condition.is_real)
        condition.is_negated = !condition.is_negated;
    else
        condition.comparison = (uint8_t)opposite[condition.comparison];
    return condition;
}

/* 1 or 0, by where the jumps go. */
static uint32_t condition_to_register(compiler *to, const operand *condition)
{
    const uint32_t result = compiler_new_register(to);
    const uint32_t is_false = assembler_label_new(&to->out), end = assembler_label_new(&to->out);
    compile_branch_unless(to, condition, 1, is_false);
    emit_set(to, result, compile_truth(to, 1));
    assembler_emit(&to->out, &(instruction){CODE_JUMP, {0}, {{.number = end}}, NULL});
    place(to, is_false);
    emit_set(to, result, compile_truth(to, 0));
    place(to, end);
    return result;
}

uint32_t compile_to_register(compiler *to, const operand *value)
{
    if (value->kind == OPERAND_REGISTER)
        return value->place;
    if (value->kind == OPERAND_CONDITION)
        return condition_to_register(to, value);
    const uint32_t result = compiler_new_register(to);
    emit_set(to, result, value->value);
    return result;
}

/* A condition becomes the value that it has as a number. */
operand compile_as_value(compiler *to, const operand *value)
{
    if (value->kind != OPERAND_CONDITION)
        return *value;
    return operand_in_register(condition_to_register(to, value), to->run->options.is_float);
}

/* The comparison of left and right; what is constant alone goes to the right. */
operand compile_comparison(compiler *to, comparison compared, operand left, operand right)
{
    static const comparison exchanged[] = {COMPARE_EQ, COMPARE_NE, COMPARE_GT, COMPARE_GE, COMPARE_LT, COMPARE_LE};
    const int is_real = left.is_real;
    if (is_real ? compared > COMPARE_LE : left.kind == OPERAND_CONSTANT) {
        const operand other = left;
        left = right;
        right = other;
        compared = exchanged[compared];
    }
    operand condition = {.kind = OPERAND_CONDITION, .is_real = (uint8_t)is_real, .comparison = (uint8_t)compared,
                         .place = compile_to_register(to, &left), .right = NO_REGISTER, .value = right.value,
                         .when_true = NO_LABEL, .when_false = NO_LABEL};
    if (is_real || right.kind == OPERAND_REGISTER)
        condition.right = compile_to_register(to, &right);
    return condition;
}
