/*
 * program_neuron.h - a program compiled by hand: the rules for one scalar operation per agent.
 *
 * A worked example of rules against inpla_rule.h. The script it stands for:
 *
 *   Add(out, b)          >< Concrete(float k) => b ~ AddCheckConcrete(out, k);
 *   AddCheckConcrete(out, float k) >< Concrete(float j) => out ~ Concrete(j + k);
 *   Mul(out, b)          >< Concrete(float k) => b ~ MulCheckConcrete(out, k);
 *   MulCheckConcrete(out, float k) >< Concrete(float j) => out ~ Concrete(j * k);
 *   ReLU(out)            >< Concrete(float k) | k > 0 => out ~ Concrete(k) | _ => out ~ Concrete(0.0);
 *   Twice(out)           >< Concrete(float k) => Add(out, Concrete(k)) ~ Concrete(k);
 *   Output(int i)        >< Concrete(float k) => Done(x) ~ Eraser where x = output(i, k);
 */
#ifndef PROGRAM_NEURON_H
#define PROGRAM_NEURON_H

#include "inpla_rule.h"

enum neuron_agent {
    CONCRETE = INPLA_BUILTIN_COUNT,
    ADD,
    ADD_CHECK_CONCRETE,
    MUL,
    MUL_CHECK_CONCRETE,
    RELU,
    TWICE,
    OUTPUT,
    DONE,
    NEURON_AGENTS
};

static const inpla_agent neuron_agents[NEURON_AGENTS] = {
    {"Eraser", ""}, {"Dup", "ww"}, {"Concrete", "f"}, {"Add", "ww"},  {"AddCheckConcrete", "wf"},
    {"Mul", "ww"},  {"MulCheckConcrete", "wf"},       {"ReLU", "w"},  {"Twice", "w"},
    {"Output", "i"}, {"Done", "i"},
};

/* What the host hands to inpla_open for this program. */
typedef struct {
    const float *weights;
    size_t weight_count;
    float *outputs;
    size_t output_count;
} neuron_user;

enum neuron_native { NATIVE_WEIGHT, NATIVE_SCALED, NEURON_NATIVES };

static float native_weight(void *user, inpla_int i)
{
    const neuron_user *data = (const neuron_user *)user;
    return data != NULL && i >= 0 && (size_t)i < data->weight_count ? data->weights[i] : 0.0f;
}

static inpla_int native_output(void *user, inpla_int i, float value)
{
    const neuron_user *data = (const neuron_user *)user;
    if (data != NULL && i >= 0 && (size_t)i < data->output_count)
        data->outputs[i] = value;
    return 0;
}

/* The form in which the image calls natives. */
static int call_weight(void *user, const inpla_word *arguments, inpla_word *result)
{
    result->f = native_weight(user, arguments[0].i);
    return 0;
}

/* scaled(int i, float s): weight i times s; fails for negative i. */
static int call_scaled(void *user, const inpla_word *arguments, inpla_word *result)
{
    result->f = native_weight(user, arguments[0].i) * arguments[1].f;
    return arguments[0].i < 0;
}

static const inpla_native_entry neuron_natives[NEURON_NATIVES] = {
    {"weight", "i", 'f', call_weight},
    {"scaled", "if", 'f', call_scaled},
};

/* Add(out, b) >< Concrete(k): one cell becomes AddCheckConcrete, the other one is given back. */
static inpla_status rule_add_concrete(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *out = inpla_ports(left)[0].cell;
    inpla_cell *b = inpla_ports(left)[1].cell;
    const float k = inpla_ports(right)[0].f;
    inpla_free(worker, right, 1);
    inpla_cell *check = inpla_reuse(left, ADD_CHECK_CONCRETE, 2);
    inpla_ports(check)[0].cell = out;
    inpla_ports(check)[1].f = k;
    return inpla_connect(worker, b, check);
}

static inpla_status rule_add_check_concrete(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *out = inpla_ports(left)[0].cell;
    const float k = inpla_ports(left)[1].f;
    const float j = inpla_ports(right)[0].f;
    inpla_free(worker, left, 2);
    inpla_cell *sum = inpla_reuse(right, CONCRETE, 1);
    inpla_ports(sum)[0].f = j + k;
    return inpla_connect(worker, out, sum);
}

static inpla_status rule_mul_concrete(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *out = inpla_ports(left)[0].cell;
    inpla_cell *b = inpla_ports(left)[1].cell;
    const float k = inpla_ports(right)[0].f;
    inpla_free(worker, right, 1);
    inpla_cell *check = inpla_reuse(left, MUL_CHECK_CONCRETE, 2);
    inpla_ports(check)[0].cell = out;
    inpla_ports(check)[1].f = k;
    return inpla_connect(worker, b, check);
}

static inpla_status rule_mul_check_concrete(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *out = inpla_ports(left)[0].cell;
    const float k = inpla_ports(left)[1].f;
    const float j = inpla_ports(right)[0].f;
    inpla_free(worker, left, 2);
    inpla_cell *product = inpla_reuse(right, CONCRETE, 1);
    inpla_ports(product)[0].f = j * k;
    return inpla_connect(worker, out, product);
}

/* Guards: one `if` per branch, each with the branch's whole body. */
static inpla_status rule_relu_concrete(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *out = inpla_ports(left)[0].cell;
    const float k = inpla_ports(right)[0].f;
    inpla_free(worker, left, 1);
    inpla_cell *value = inpla_reuse(right, CONCRETE, 1);
    if (k > 0.0f) {
        inpla_ports(value)[0].f = k;
        return inpla_connect(worker, out, value);
    }
    inpla_ports(value)[0].f = 0.0f;
    return inpla_connect(worker, out, value);
}

/* A right-hand side that needs a cell more than the pair has. */
static inpla_status rule_twice_concrete(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *out = inpla_ports(left)[0].cell;
    const float k = inpla_ports(right)[0].f;
    inpla_cell *add = inpla_reuse(left, ADD, 2);
    inpla_cell *first = inpla_reuse(right, CONCRETE, 1);
    inpla_cell *second = inpla_new(worker, CONCRETE, 1);
    if (second == NULL)
        return INPLA_ERROR_HEAP;
    inpla_ports(first)[0].f = k;
    inpla_ports(second)[0].f = k;
    inpla_ports(add)[0].cell = out;
    inpla_ports(add)[1].cell = second;
    return inpla_connect(worker, add, first);
}

/* Output(i) >< Concrete(k): a native function called from a rule, as a plain C call. */
static inpla_status rule_output_concrete(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    const inpla_int i = inpla_ports(left)[0].i;
    const float k = inpla_ports(right)[0].f;
    const inpla_int x = native_output(inpla_user(worker), i, k);
    inpla_cell *done = inpla_reuse(left, DONE, 1);
    inpla_cell *eraser = inpla_reuse(right, INPLA_ERASER, 0);
    inpla_ports(done)[0].i = x;
    return inpla_connect(worker, done, eraser);
}

enum { NEURON_RULES = 7 };

/* Concrete, which has many partners, is always on the right. */
static const inpla_rule_entry neuron_rules[NEURON_RULES] = {
    {ADD, CONCRETE, rule_add_concrete},
    {ADD_CHECK_CONCRETE, CONCRETE, rule_add_check_concrete},
    {MUL, CONCRETE, rule_mul_concrete},
    {MUL_CHECK_CONCRETE, CONCRETE, rule_mul_check_concrete},
    {RELU, CONCRETE, rule_relu_concrete},
    {TWICE, CONCRETE, rule_twice_concrete},
    {OUTPUT, CONCRETE, rule_output_concrete},
};

static const uint16_t neuron_first_rule[NEURON_AGENTS + 1] = {0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7};

static const inpla_program neuron_program = {
    "neuron",      neuron_agents, neuron_rules, neuron_first_rule, neuron_natives,
    NEURON_AGENTS, NEURON_RULES,  NEURON_NATIVES,
};

#endif
