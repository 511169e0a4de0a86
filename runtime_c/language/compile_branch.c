/*
 * compile_branch.c - the code of a branch: cells given back, numbers, cells taken or reused, connections.
 *
 * A connection of two agents, or of an agent and a number, is an active pair already. One connection is the last thing
 * that the rule does: its pair is reduced at once, without the list of pending pairs; where it is the rule's own pair
 * again and the left cell is the same, the rule starts over with other values in the registers of its ports.
 */
#include "agents.h"
#include "array.h"
#include "cells.h"
#include "compiler.h"

enum { LARGEST_LOOP = 62 }; /* ports */

static void emit(compiler *to, code_operation operation, uint32_t a, uint32_t b)
{
    assembler_emit(&to->out, &(instruction){operation, {a, b}, {{0}}, NULL});
}

/* --- terms in the order in which they are built ------------------------------------------------------------------- */

static int is_cell(const term *at)
{
    return at->kind == TERM_AGENT || at->kind == TERM_PERCENT;
}

static int push(compiler *to, uint32_t number)
{
    branch *in = &to->branch;
    if (!ARRAY_RESERVE(in->stack, in->stack_room, (size_t)in->stack_count + 1))
        return compiler_fail_memory(to);
    in->stack[in->stack_count++] = number;
    return 1;
}

static void count_wire(compiler *to, const term *at)
{
    if (at->kind != TERM_NAME || to->scope.all[at->variable].kind != VARIABLE_WIRE)
        return;
    to->wire_count += !to->scope.all[at->variable].is_met;
    to->scope.all[at->variable].is_met = 1;
}

/* Appends the cells of a term to the order, the outermost first, and counts its wires. */
static int add_to_order(compiler *to, uint32_t root, uint32_t *count)
{
    branch *in = &to->branch;
    in->stack_count = 0;
    if (!push(to, root))
        return 0;
    while (in->stack_count != 0) {
        const uint32_t number = in->stack[--in->stack_count];
        const term *at = &in->terms[number];
        count_wire(to, at);
        if (!is_cell(at))
            continue;
        to->list[(*count)++] = number;
        for (uint32_t i = 0; i < at->count; i++)
            if (!push(to, in->ports[at->first + i]))
                return 0;
    }
    return 1;
}

/* The cells of all connections, to->list: each before those in its ports. */
static int find_order(compiler *to, uint32_t *count)
{
    const branch *in = &to->branch;
    *count = to->wire_count = 0;
    if (!ARRAY_RESERVE(to->list, to->list_room, (size_t)in->term_count + 1))
        return compiler_fail_memory(to);
    for (uint32_t side = 0; side < in->side_count; side++)
        if (in->sides[side] != NO_TERM && !add_to_order(to, in->sides[side], count))
            return 0;
    return 1;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* A cell of the pair that a wire may be made in, NO_REGISTER if there is none. */
static uint32_t take_spare_cell(compiler *to)
{
    for (uint32_t place = CODE_LEFT; place <= CODE_RIGHT; place++)
        if (to->spare_cells & 1u << place) {
            to->spare_cells &= ~(1u << place);
            return place;
        }
    return NO_REGISTER;
}

static uint32_t wire_register(compiler *to, variable *wire)
{
    if (wire->place != NO_REGISTER)
        return wire->place;
    wire->place = take_spare_cell(to);
    if (wire->place != NO_REGISTER) {
        emit(to, CODE_WIRE_IN, wire->place, 0);
    } else {
        wire->place = compiler_new_register(to);
        emit(to, CODE_WIRE, wire->place, 0);
    }
    return wire->place;
}

/* A number, constant or in a register. */
static int number_of(compiler *to, term *at, operand *value)
{
    if (!compile_expression(to, at->nodes, value))
        return 0;
    at->is_real = value->is_real;
    return 1;
}

/* The register of a term; cells have been built. */
static int register_of(compiler *to, uint32_t number, uint32_t *place)
{
    term *at = &to->branch.terms[number];
    operand value;
    if (at->kind == TERM_NAME) {
        *place = wire_register(to, &to->scope.all[at->variable]);
        return 1;
    }
    if (at->kind == TERM_NUMBER && at->place == NO_REGISTER) {
        if (!number_of(to, at, &value))
            return 0;
        at->place = compile_to_register(to, &value);
    }
    *place = at->place;
    return 1;
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

static uintptr_t head_of(const term *at)
{
    return at->kind == TERM_PERCENT ? inpla_head(AGENT_PERCENT, 1) : inpla_head(at->agent, at->count);
}

/* A cell of the pair becomes this agent; ports that it has already stay. */
static void emit_reuse(compiler *to, term *at, const uint32_t *ports)
{
    const uint32_t place = at->cell - 1u, old = place == CODE_LEFT ? to->rule->left : to->rule->right;
    if (at->agent != old)
        assembler_emit(&to->out, &(instruction){CODE_HEAD, {place}, {{.head = head_of(at)}}, NULL});
    for (uint32_t i = 0; i < at->count; i++)
        if (!cells_keeps_port(to, at, i))
            assembler_emit(&to->out, &(instruction){CODE_PORT, {place, i, ports[i]}, {{0}}, NULL});
    at->place = place;
}

static void emit_new(compiler *to, term *at, const uint32_t *ports)
{
    static const code_operation small[] = {CODE_NEW_0, CODE_NEW_1, CODE_NEW_2, CODE_NEW_3};
    instruction made = {CODE_NEW, {at->place = compiler_new_register(to), at->count}, {{.head = head_of(at)}}, ports};
    if (at->count <= 3) {
        made.operation = small[at->count];
        made.list = NULL;
        for (uint32_t i = 0; i < at->count; i++)
            made.half[1 + i] = ports[i];
    }
    assembler_emit(&to->out, &made);
}

static void build_percent(compiler *to, term *at)
{
    const operand id = {.kind = OPERAND_CONSTANT, .value = inpla_of_int(at->agent)};
    const uint32_t port = compile_to_register(to, &id);
    at->place = compiler_new_register(to);
    assembler_emit(&to->out, &(instruction){CODE_NEW_1, {at->place, port}, {{.head = head_of(at)}}, NULL});
}

/* The registers of an agent's ports: to->ports. */
static int registers_of_ports(compiler *to, const term *at)
{
    if (!ARRAY_RESERVE(to->ports, to->port_room, (size_t)at->count + 1))
        return compiler_fail_memory(to);
    for (uint32_t i = 0; i < at->count; i++)
        if (!register_of(to, to->branch.ports[at->first + i], &to->ports[i]))
            return 0;
    return 1;
}

static int build(compiler *to, term *at)
{
    if (at->kind == TERM_PERCENT) {
        build_percent(to, at);
        return 1;
    }
    if (!registers_of_ports(to, at))
        return 0;
    if (at->cell != 0)
        emit_reuse(to, at, to->ports);
    else
        emit_new(to, at, to->ports);
    return 1;
}

static int build_all(compiler *to, uint32_t count, uint32_t except)
{
    while (count-- != 0) {
        term *at = &to->branch.terms[to->list[count]];
        if (to->list[count] != except && !at->is_sent && !build(to, at))
            return 0;
    }
    return 1;
}

/* Is the last connection that of a name with a number? */
static int is_number_last(const compiler *to, uint32_t last)
{
    if (last == NO_TERM)
        return 0;
    const term *left = &to->branch.terms[to->branch.sides[last]], *right = &to->branch.terms[to->branch.sides[last + 1]];
    return (left->kind == TERM_NAME && right->kind == TERM_NUMBER) || (left->kind == TERM_NUMBER && right->kind == TERM_NAME);
}

/* Cells of the pair that nothing is built in are kept for wires, or given back before others are taken; the left one
 * together with a number as answer, if that is the end. */
static void free_cells(compiler *to, uint32_t count, uint32_t last)
{
    uint32_t used = 0, wires = to->wire_count;
    for (uint32_t i = 0; i < count; i++)
        used |= to->branch.terms[to->list[i]].cell;
    to->spare_cells = 0;
    to->is_answer = 0;
    for (uint32_t place = CODE_LEFT; place <= CODE_RIGHT; place++) {
        const uint32_t ports = cells_port_count(to, place);
        if (!cells_is_owned(to, place) || (used & (place + 1)) != 0)
            continue;
        if (INPLA_CLASS(ports) == 0 && wires != 0) {
            to->spare_cells |= 1u << place;
            wires--;
        } else if (INPLA_CLASS(ports) == 0 && place == CODE_LEFT && is_number_last(to, last)) {
            to->is_answer = 1;
        } else {
            emit(to, CODE_FREE, place, ports);
        }
    }
}

/* --- connections -------------------------------------------------------------------------------------------------- */

/* Is it an agent or a number, not something that may be a wire? */
static int is_known(const compiler *to, uint32_t number)
{
    const term *at = &to->branch.terms[number];
    return at->kind != TERM_NAME || to->scope.all[at->variable].is_operand;
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
    static const code_operation operations[2][2] = {{CODE_EXTEND_1, CODE_EXTEND_2}, {CODE_EXTEND_1_IN, CODE_EXTEND_2_IN}};
    const uint32_t place = to->scope.all[to->branch.terms[any].variable].place, cell = take_spare_cell(to);
    instruction made = {operations[cell != NO_REGISTER][at->count - 1], {place, cell}, {{.head = head_of(at)}}, NULL};
    uint32_t *first = &made.half[cell != NO_REGISTER ? 2 : 1];
    if (at->count == 2 && !register_of(to, to->branch.ports[at->first], first))
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
    instruction made = {operations[is_last][at->count], {0}, {{.head = head_of(at)}}, NULL};
    variable *extending = extending_wire(to, any, at);
    if (extending != NULL)
        return connect_extending(to, extending, any, at);
    if (!registers_of_ports(to, at) || !register_of(to, any, &made.half[0]))
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
    if (!register_of(to, any, &a))
        return 0;
    if (at->kind == TERM_NUMBER && at->place == NO_REGISTER) {
        if (!number_of(to, at, &value))
            return 0;
        if (value.kind == OPERAND_CONSTANT) {
            const code_operation last = to->is_answer ? CODE_ANSWER_WITH : CODE_MEET_WITH_LAST;
            assembler_emit(&to->out, &(instruction){is_last ? last : CODE_MEET_WITH, {a}, {{.value = value.value}}, NULL});
            return 1;
        }
        b = compile_to_register(to, &value);
    } else if (!register_of(to, known, &b)) {
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

static int connect(compiler *to, uint32_t left, uint32_t right, int is_last)
{
    const int knows_left = is_known(to, left), knows_right = is_known(to, right);
    uint32_t a, b;
    if (knows_left != knows_right)
        return knows_left ? connect_known(to, right, left, is_last) : connect_known(to, left, right, is_last);
    if (knows_left && !is_cell(&to->branch.terms[left])) { /* an agent is the first one of a pair */
        const uint32_t other = left;
        left = right;
        right = other;
    }
    if (!register_of(to, left, &a) || !register_of(to, right, &b))
        return 0;
    if (knows_left && !is_last && is_computed(&to->branch.terms[right]))
        assembler_push_number(&to->out, a, b);
    else if (knows_left)
        emit(to, is_last ? CODE_REDUCE : CODE_PUSH, a, b);
    else
        emit(to, is_last ? CODE_JOIN_LAST : CODE_JOIN, a, b);
    return 1;
}

static int connect_all(compiler *to, uint32_t except)
{
    const branch *in = &to->branch;
    for (uint32_t side = 0; side < in->side_count; side += 2)
        if (in->sides[side] != NO_TERM && side != except && !connect(to, in->sides[side], in->sides[side + 1], 0))
            return 0;
    return 1;
}

/* --- the last connection ------------------------------------------------------------------------------------------ */

static int is_own_agent(const compiler *to, uint32_t number)
{
    const term *at = &to->branch.terms[number];
    return at->kind == TERM_AGENT && at->agent == to->rule->left;
}

static int has_cell_in_port(const compiler *to, uint32_t number)
{
    const branch *in = &to->branch;
    const term *at = &in->terms[number];
    for (uint32_t i = 0; i < at->count; i++)
        if (is_cell(&in->terms[in->ports[at->first + i]]))
            return 1;
    return 0;
}

/* What is good to reduce next: an agent of the rule itself, best one that answers to a wire, as an agent that waits for
 * several answers had better be met last; then a pair; then whatever is last. */
static unsigned rank(const compiler *to, uint32_t side)
{
    const uint32_t left = to->branch.sides[side], right = to->branch.sides[side + 1];
    const uint32_t own = is_own_agent(to, left) ? left : is_own_agent(to, right) ? right : NO_TERM;
    if (own != NO_TERM)
        return has_cell_in_port(to, own) ? 3 : 4;
    if (is_known(to, left) && is_known(to, right))
        return 2;
    return 1;
}

static uint32_t find_last(const compiler *to)
{
    uint32_t last = NO_TERM;
    unsigned best = 1;
    for (uint32_t side = 0; side < to->branch.side_count; side += 2) {
        if (to->branch.sides[side] == NO_TERM)
            continue;
        const unsigned its_rank = rank(to, side);
        if (its_rank >= best) {
            best = its_rank;
            last = side;
        }
    }
    return last;
}

/* Is it what was in a port of the right agent? That is likely to be an agent, and no wire. */
static int is_content(const compiler *to, uint32_t number)
{
    const variable *port = &to->scope.all[to->branch.terms[number].variable];
    return port->kind == VARIABLE_PORT && port->place >= CODE_FIRST_PORT + cells_port_count(to, CODE_LEFT);
}

/* Which agents are built when they are connected: small ones that a name meets, but not the last one if it is the
 * rule's own. */
static void mark_sent(compiler *to, uint32_t last)
{
    for (uint32_t side = 0; side < to->branch.side_count; side++) {
        const uint32_t number = to->branch.sides[side], other = to->branch.sides[side ^ 1];
        if (number == NO_TERM || is_known(to, other) || to->branch.terms[number].kind != TERM_AGENT)
            continue;
        const int is_own = (side & ~1u) == last && is_own_agent(to, number);
        to->branch.terms[number].is_sent = to->branch.terms[number].count <= 2 && !is_own && !is_content(to, other);
    }
}

/* The agent of the last connection, if that is the rule's own pair with the left cell: a loop. NO_TERM if it is none. */
static uint32_t find_loop(const compiler *to, uint32_t last)
{
    for (uint32_t i = 0; last != NO_TERM && i < 2; i++) {
        const uint32_t agent = to->branch.sides[last + i], number = to->branch.sides[last + 1 - i];
        const term *terms = to->branch.terms;
        const int is_number = to->rule->right == HEAD_INT || to->rule->right == HEAD_REAL;
        const int is_agent = head_is_agent(to->rule->right) && !is_known(to, number);
        if (terms[agent].kind == TERM_AGENT && terms[agent].cell == CODE_LEFT + 1 &&
            terms[agent].agent == to->rule->left && terms[agent].count <= LARGEST_LOOP &&
            ((is_number && terms[number].kind == TERM_NUMBER) || is_agent))
            return agent;
    }
    return NO_TERM;
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
    if (!registers_of_ports(to, agent))
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
    if (!registers_of_ports(to, agent))
        return 0;
    for (uint32_t i = 0; i < agent->count; i++)
        moves[i] = (register_move){CODE_FIRST_PORT + i, to->ports[i]};
    const int is_overwritten = partner >= CODE_FIRST_PORT && partner < CODE_FIRST_PORT + agent->count;
    moves[agent->count] = (register_move){is_overwritten ? CODE_RIGHT : partner, partner};
    assembler_move(&to->out, moves, agent->count + 1, compiler_new_register(to));
    assembler_emit(&to->out, &(instruction){CODE_LOOP_WITH, {is_overwritten ? CODE_RIGHT : partner, agent->count, ports},
                                            {{.head = inpla_head(right, ports)}, {.number = to->entry}}, NULL});
    return 1;
}

/* An agent that may loop, and its partner: a loop if the number is of the kind that the rule is for. */
static int connect_loop(compiler *to, term *agent, uint32_t partner)
{
    uint32_t number;
    if (!register_of(to, partner, &number))
        return 0;
    if (head_is_agent(to->rule->right))
        return emit_loop_with(to, agent, number);
    if (to->rule->right == (to->branch.terms[partner].is_real ? HEAD_REAL : HEAD_INT))
        return emit_loop(to, agent, number);
    if (!build(to, agent))
        return 0;
    emit(to, CODE_REDUCE, agent->place, number);
    return 1;
}

static int connect_last(compiler *to, uint32_t last, uint32_t loop)
{
    if (last == NO_TERM) {
        emit(to, CODE_END, 0, 0);
        return 1;
    }
    const uint32_t *sides = &to->branch.sides[last];
    if (loop != NO_TERM)
        return connect_loop(to, &to->branch.terms[loop], sides[sides[0] == loop]);
    return connect(to, sides[0], sides[1], 1);
}

int compile_connections(compiler *to)
{
    uint32_t count;
    const uint32_t last = find_last(to);
    if (!find_order(to, &count))
        return 0;
    mark_sent(to, last);
    cells_choose(to, to->list, count, last);
    to->loop = find_loop(to, last);
    free_cells(to, count, last);
    return build_all(to, count, to->loop) && connect_all(to, last) && connect_last(to, last, to->loop);
}
