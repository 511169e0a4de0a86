/*
 * plan.c - what a branch does first and last: which connection is reduced next, in which cells its agents are built and
 * in which order, and which are built only when they are connected.
 *
 * The connection that is reduced next needs no place on the list of pending pairs; where it is the rule's own pair
 * again with the same left cell, it is a loop.
 */
#include "rules/cells.h"
#include "rules/compiler.h"
#include "table/agents.h"
#include "table/array.h"

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
        if (branch_is_cell(&in->terms[in->ports[at->first + i]]))
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
    if (compiler_knows(to, left) && compiler_knows(to, right))
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

/* --- agents that are built when they are connected ---------------------------------------------------------------- */

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
        if (number == NO_TERM || compiler_knows(to, other) || to->branch.terms[number].kind != TERM_AGENT)
            continue;
        term *sent = &to->branch.terms[number];
        const int is_own = (side & ~1u) == last && is_own_agent(to, number);
        sent->is_sent = sent->count <= 2 && !is_own && !is_content(to, other);
    }
}

/* --- loops -------------------------------------------------------------------------------------------------------- */

/* The agent of the last connection, if that is the rule's own pair with the left cell: a loop. NO_TERM if it is
 * none. */
static uint32_t find_loop(const compiler *to, uint32_t last)
{
    for (uint32_t i = 0; last != NO_TERM && i < 2; i++) {
        const uint32_t agent = to->branch.sides[last + i], number = to->branch.sides[last + 1 - i];
        const term *terms = to->branch.terms;
        const int is_number = to->rule->right == HEAD_INT || to->rule->right == HEAD_REAL;
        const int is_agent = head_is_agent(to->rule->right) && !compiler_knows(to, number);
        if (terms[agent].kind == TERM_AGENT && terms[agent].cell == CODE_LEFT + 1 &&
            terms[agent].agent == to->rule->left && terms[agent].count <= LARGEST_LOOP &&
            ((is_number && terms[number].kind == TERM_NUMBER) || is_agent))
            return agent;
    }
    return NO_TERM;
}

/* --- the order of cells ------------------------------------------------------------------------------------------- */

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
static int add_to_order(compiler *to, uint32_t root)
{
    branch *in = &to->branch;
    in->stack_count = 0;
    if (!push(to, root))
        return 0;
    while (in->stack_count != 0) {
        const uint32_t number = in->stack[--in->stack_count];
        const term *at = &in->terms[number];
        count_wire(to, at);
        if (!branch_is_cell(at))
            continue;
        to->list[to->cell_count++] = number;
        for (uint32_t i = 0; i < at->count; i++)
            if (!push(to, in->ports[at->first + i]))
                return 0;
    }
    return 1;
}

/* The cells of all connections, to->list: each before those in its ports. */
static int find_order(compiler *to)
{
    const branch *in = &to->branch;
    to->cell_count = to->wire_count = 0;
    if (!ARRAY_RESERVE(to->list, to->list_room, (size_t)in->term_count + 1))
        return compiler_fail_memory(to);
    for (uint32_t side = 0; side < in->side_count; side++)
        if (in->sides[side] != NO_TERM && !add_to_order(to, in->sides[side]))
            return 0;
    return 1;
}

int plan_branch(compiler *to)
{
    to->last = find_last(to);
    mark_sent(to, to->last);
    if (!find_order(to))
        return 0;
    cells_choose(to, to->list, to->cell_count, to->last);
    to->loop = find_loop(to, to->last);
    return 1;
}
