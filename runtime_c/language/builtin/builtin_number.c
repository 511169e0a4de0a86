/*
 * builtin_number.c - Add, Sub, Mul, Div, Mod, and rand.
 *
 *   Add(r,b) ~ m    _Add(r,m) ~ b        _Add(r,m) ~ n    r ~ n + m
 *
 * The number before the operator is the one that comes last. Where it is there already, behind wires or in the port
 * itself, both interactions are made, and counted, at once.
 */
#include <stdlib.h>

#include "builtin/builtin.h"
#include "machine/failure.h"
#include "number/number.h"
#include "rules/rule.h"
#include "table/agents.h"

int64_t number_random(int64_t limit)
{
    return (int64_t)rand() % limit;
}

/* A float's integer part, as an int64_t that has one; 0 for a NaN. */
static int64_t whole_part(float number)
{
    if (fabsf(number) < 0x1p62f)
        return (int64_t)number;
    return number != number ? 0 : INT64_C(1) << 62;
}

inpla_cell *number_random_below(const inpla_cell *limit)
{
    const int64_t whole = inpla_is_int(limit) ? inpla_int_of(limit) : whole_part(inpla_float_of(limit));
    if (whole == 0)
        return NULL;
    const int64_t number = number_random(whole < 0 ? -whole : whole);
    return inpla_is_int(limit) ? inpla_of_int(number) : inpla_of_float((float)number);
}

/* r ~ n op m; the agent, of the pair with `right`, goes. */
static inpla_status finish(inpla_worker *worker, number_operation operation, inpla_pair of, const inpla_cell *n,
                           const inpla_cell *m)
{
    inpla_cell *result = number_operate(operation, n, m), *r = inpla_ports(of.left)[0].cell;
    if (result == NULL)
        return failure_set(worker, of, (failure){.kind = FAILURE_DIVISION});
    inpla_free(worker, of.left, 2);
    return inpla_connect(worker, r, result);
}

static inpla_status start(inpla_worker *worker, number_operation operation, inpla_cell *agent, inpla_cell *m)
{
    inpla_cell *b = inpla_ports(agent)[1].cell;
    inpla_cell *n = inpla_is_number(b) ? b : inpla_follow(worker, b);
    if (n != NULL) {
        worker->interactions++;
        return finish(worker, operation, (inpla_pair){agent, m}, n, m);
    }
    inpla_reuse(agent, AGENT_ADD_TO + operation, 2);
    inpla_ports(agent)[1].cell = m;
    return inpla_connect(worker, agent, b);
}

static inpla_status end(inpla_worker *worker, number_operation operation, inpla_cell *agent, inpla_cell *n)
{
    inpla_cell *port = inpla_ports(agent)[1].cell;
    inpla_cell *m = inpla_is_number(port) ? port : inpla_follow(worker, port);
    if (m == NULL)
        return failure_set(worker, (inpla_pair){agent, n}, (failure){.kind = FAILURE_FLOAT, .what = 1});
    return finish(worker, operation, (inpla_pair){agent, n}, n, m);
}

/* ORDER NUMBER_OPERATION */
#define RULES(name, operation)                                                            \
    static inpla_status name(inpla_worker *worker, inpla_cell *left, inpla_cell *right)   \
    {                                                                                     \
        return start(worker, operation, left, right);                                     \
    }                                                                                     \
    static inpla_status name##_to(inpla_worker *worker, inpla_cell *left, inpla_cell *right) \
    {                                                                                     \
        return end(worker, operation, left, right);                                       \
    }

RULES(add, NUMBER_ADD)
RULES(subtract, NUMBER_SUBTRACT)
RULES(multiply, NUMBER_MULTIPLY)
RULES(divide, NUMBER_DIVIDE)
RULES(remainder_of, NUMBER_REMAINDER)

int builtin_add_number_rules(language *run)
{
    static const inpla_rule starts[] = {add, subtract, multiply, divide, remainder_of};
    static const inpla_rule ends[] = {add_to, subtract_to, multiply_to, divide_to, remainder_of_to};
    static const code_operation start_codes[] = {CODE_BUILTIN_ADD, CODE_BUILTIN_SUB, CODE_BUILTIN_MUL, CODE_CALL,
                                                 CODE_CALL};
    static const code_operation end_codes[] = {CODE_BUILTIN_ADD_TO, CODE_BUILTIN_SUB_FROM, CODE_BUILTIN_MUL_BY,
                                               CODE_CALL, CODE_CALL};
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t first = AGENT_ADD + i, second = AGENT_ADD_TO + i;
        if (rules_add_operation(run, first, HEAD_INT, start_codes[i], starts[i]) == NULL ||
            rules_add_operation(run, second, HEAD_INT, end_codes[i], ends[i]) == NULL ||
            rules_add_builtin(run, first, HEAD_REAL, starts[i]) == NULL ||
            rules_add_builtin(run, second, HEAD_REAL, ends[i]) == NULL)
            return 0;
    }
    return 1;
}
