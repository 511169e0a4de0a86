/*
 * compile_branch.c - the code of a branch's connections, above all of the last one, where the rule may start over with
 * other values in the registers of its ports.
 */
#include "rules/compiler.h"
#include "table/agents.h"

static void emit(compiler *to, code_operation operation, uint32_t a, uint32_t b)
{
    assembler_emit(&to->out, &(instruction){operation, {a, b}, {{0}}, NULL});
}

/* Is every attribute of the left head filled with an expression of its kind, so that it needs no check? */
static int has_checked_ports(const compiler *to, const term *agent)
{
    for (uint32_t i = 0; i < to->scope.head_count; i++) {
        const variable *port = &to->scope.all[i];
        if (port->kind != VARIABLE_NUMBER || port->place == CODE_RIGHT)
            continue;
        if (port->place >= CODE_FIRST_PORT + agent->count)
            return 0; /* a port of the partner, which is another one */
        const term *filled = &to->branch.terms[to->branch.ports[agent->first + port->place - CODE_FIRST_PORT]];
        if (filled->kind != TERM_NUMBER || filled->is_real != port->is_real)
            return 0;
    }
    return 1;
}

/* The rule again: the agent's ports and the number go where the rule finds them after it has started. */
static int emit_loop(compiler *to, const term *agent, uint32_t number)
{
    register_move moves[LARGEST_LOOP + 1];
    if (!compile_ports(to, agent))
        return 0;
    for (uint32_t i = 0; i < agent->count; i++)
        moves[i] = (register_move){CODE_FIRST_PORT + i, to->ports[i]};
    moves[agent->count] = (register_move){CODE_RIGHT, number};
    assembler_move(&to->out, moves, agent->count + 1, compiler_new_register(to));
    const uint32_t label = has_checked_ports(to, agent) ? to->checked_entry : to->entry;
    assembler_emit(&to->out, &(instruction){CODE_LOOP, {agent->count}, {{.number = label}}, NULL});
    return 1;
}

/* The rule again with what a register leads to. */
static int emit_loop_with(compiler *to, const term *agent, uint32_t partner)
{
    register_move moves[LARGEST_LOOP + 1];
    const uint32_t right = to->rule->right, ports = agents_get(to->run, right)->arity;
    if (!compile_ports(to, agent))
        return 0;
    for (uint32_t i = 0; i < agent->count; i++)
        moves[i] = (register_move){CODE_FIRST_PORT + i, to->ports[i]};
    const int is_overwritten = partner >= CODE_FIRST_PORT && partner < CODE_FIRST_PORT + agent->count;
    moves[agent->count] = (register_move){is_overwritten ? CODE_RIGHT : partner, partner};
    assembler_move(&to->out, moves, agent->count + 1, compiler_new_register(to));
    const uint32_t place = is_overwritten ? CODE_RIGHT : partner;
    assembler_emit(&to->out, &(instruction){CODE_LOOP_WITH, {place, agent->count, ports},
                                            {{.head = inpla_head(right, ports)}, {.number = to->entry}}, NULL});
    return 1;
}

/* An agent that may loop, and its partner: a loop if the number is of the kind that the rule is for. */
static int connect_loop(compiler *to, term *agent, uint32_t partner)
{
    uint32_t number;
    if (!compile_register(to, partner, &number))
        return 0;
    if (head_is_agent(to->rule->right))
        return emit_loop_with(to, agent, number);
    if (to->rule->right == (to->branch.terms[partner].is_real ? HEAD_REAL : HEAD_INT))
        return emit_loop(to, agent, number);
    if (!compile_cell(to, agent))
        return 0;
    emit(to, CODE_REDUCE, agent->place, number);
    return 1;
}

/* Every connection but the last one. */
static int connect_others(compiler *to)
{
    const branch *in = &to->branch;
    for (uint32_t side = 0; side < in->side_count; side += 2)
        if (in->sides[side] != NO_TERM && side != to->last &&
            !compile_connection(to, in->sides[side], in->sides[side + 1], 0))
            return 0;
    return 1;
}

static int connect_last(compiler *to)
{
    if (to->last == NO_TERM) {
        emit(to, CODE_END, 0, 0);
        return 1;
    }
    const uint32_t *sides = &to->branch.sides[to->last];
    if (to->loop != NO_TERM)
        return connect_loop(to, &to->branch.terms[to->loop], sides[sides[0] == to->loop]);
    return compile_connection(to, sides[0], sides[1], 1);
}

int compile_connections(compiler *to)
{
    return plan_branch(to) && compile_cells(to) && connect_others(to) && connect_last(to);
}
