/*
 * compile_connection.c - connections. One of two agents, or of an agent and a number, is an active pair already.
 */
#include "rules/compiler.h"

static void emit(compiler *to, code_operation operation, uint32_t a, uint32_t b)
{
    assembler_emit(&to->out, &(instruction){operation, {a, b}, {{0}}, NULL});
}

/* The wire in the last port of an agent that a loop's port meets, if the port is to hold that wire in the next round;
 * else NULL. */
static variable *extending_wire(compiler *to, uint32_t any, const term *at)
{
    if (to->loop == NO_TERM || at->count == 0)
        return NULL;
    const term *last = &to->branch.terms[to->branch.ports[at->first + at->count - 1]];
    if (last->kind != TERM_NAME || to->scope.all[last->variable].place != NO_REGISTER)
        return NULL;
    const uint32_t port = to->scope.all[to->branch.terms[any].variable].place - CODE_FIRST_PORT;
    const term *loop = &to->branch.terms[to->loop];
    if (port >= loop->count)
        return NULL;
    const term *next = &to->branch.terms[to->branch.ports[loop->first + port]];
    return next->kind == TERM_NAME && next->variable == last->variable ? &to->scope.all[last->variable] : NULL;
}

/* r ~ x:w, where r is to be w: both at once. */
static int connect_extending(compiler *to, variable *wire, uint32_t any, const term *at)
{
    static const code_operation operations[2][2] = {{CODE_EXTEND_1, CODE_EXTEND_2},
                                                    {CODE_EXTEND_1_IN, CODE_EXTEND_2_IN}};
    const uint32_t place = to->scope.all[to->branch.terms[any].variable].place, cell = compile_spare_cell(to);
    const int has_cell = cell != NO_REGISTER;
    instruction made = {operations[has_cell][at->count - 1], {place, cell}, {{.head = compile_head(at)}}, NULL};
    uint32_t *first = &made.half[has_cell ? 2 : 1];
    if (at->count == 2 && !compile_register(to, to->branch.ports[at->first], first))
        return 0;
    assembler_emit(&to->out, &made);
    wire->place = place;
    return 1;
}

/* Anything with an agent that is built now, where a wire is. */
static int connect_sent(compiler *to, uint32_t any, const term *at, int is_last)
{
    static const code_operation operations[2][3] = {{CODE_MEET_NEW_0, CODE_MEET_NEW_1, CODE_MEET_NEW_2},
                                                    {CODE_MEET_NEW_0_LAST, CODE_MEET_NEW_1_LAST, CODE_MEET_NEW_2_LAST}};
    instruction made = {operations[is_last][at->count], {0}, {{.head = compile_head(at)}}, NULL};
    variable *extending = extending_wire(to, any, at);
    if (extending != NULL)
        return connect_extending(to, extending, any, at);
    if (!compile_ports(to, at) || !compile_register(to, any, &made.half[0]))
        return 0;
    for (uint32_t i = 0; i < at->count; i++)
        made.half[1 + i] = to->ports[i];
    assembler_emit(&to->out, &made);
    return 1;
}

/* Anything with a known side: a constant needs no register. */
static int connect_known(compiler *to, uint32_t any, uint32_t known, int is_last)
{
    term *at = &to->branch.terms[known];
    uint32_t a, b;
    operand value;
    if (at->is_sent)
        return connect_sent(to, any, at, is_last);
    if (!compile_register(to, any, &a))
        return 0;
    if (at->kind == TERM_NUMBER && at->place == NO_REGISTER) {
        if (!compile_number(to, at, &value))
            return 0;
        if (value.kind == OPERAND_CONSTANT) {
            const code_operation last = to->is_answer ? CODE_ANSWER_WITH : CODE_MEET_WITH_LAST;
            const code_operation operation = is_last ? last : CODE_MEET_WITH;
            assembler_emit(&to->out, &(instruction){operation, {a}, {{.value = value.value}}, NULL});
            return 1;
        }
        b = compile_to_register(to, &value);
    } else if (!compile_register(to, known, &b)) {
        return 0;
    }
    if (at->kind == TERM_AGENT || at->kind == TERM_PERCENT)
        emit(to, is_last ? CODE_MEET_LAST : CODE_MEET, a, b);
    else
        emit(to, !is_last ? CODE_MEET_NUMBER : to->is_answer ? CODE_ANSWER : CODE_MEET_NUMBER_LAST, a, b);
    return 1;
}

/* Is it a number in a register that nothing else knows of? */
static int is_computed(const term *at)
{
    return at->kind == TERM_NUMBER && at->nodes.end - at->nodes.begin > 1;
}

int compile_connection(compiler *to, uint32_t left, uint32_t right, int is_last)
{
    const int knows_left = compiler_knows(to, left), knows_right = compiler_knows(to, right);
    uint32_t a, b;
    if (knows_left != knows_right)
        return knows_left ? connect_known(to, right, left, is_last) : connect_known(to, left, right, is_last);
    if (knows_left && !branch_is_cell(&to->branch.terms[left])) { /* an agent is the first one of a pair */
        const uint32_t other = left;
        left = right;
        right = other;
    }
    if (!compile_register(to, left, &a) || !compile_register(to, right, &b))
        return 0;
    if (knows_left && !is_last && is_computed(&to->branch.terms[right]))
        assembler_push_number(&to->out, a, b);
    else if (knows_left)
        emit(to, is_last ? CODE_REDUCE : CODE_PUSH, a, b);
    else
        emit(to, is_last ? CODE_JOIN_LAST : CODE_JOIN, a, b);
    return 1;
}
