/*
 * branch.c - reads the connections of a branch into terms.
 *
 * A name counts as an occurrence when it turns out to be a port or a side; as an operand it is none.
 */
#include "rules/branch.h"

#include <stdlib.h>

#include "rules/compiler.h"
#include "rules/head.h"
#include "table/agents.h"
#include "table/array.h"

void branch_close(branch *closed)
{
    free(closed->terms);
    free(closed->ports);
    free(closed->sides);
    free(closed->stack);
}

/* --- terms ------------------------------------------------------------------------------------------------------- */

/* A new term on the stack, in place of the topmost `popped` ones, whose nodes become part of its own. */
static term *push(compiler *to, term_kind kind, uint32_t node, uint32_t popped)
{
    branch *in = &to->branch;
    if (!ARRAY_RESERVE(in->terms, in->term_room, (size_t)in->term_count + 1) ||
        !ARRAY_RESERVE(in->stack, in->stack_room, (size_t)in->stack_count + 1)) {
        compiler_fail_memory(to);
        return NULL;
    }
    in->stack_count -= popped;
    const uint32_t begin = popped == 0 ? node : in->terms[in->stack[in->stack_count]].nodes.begin;
    term *pushed = &in->terms[in->term_count];
    *pushed = (term){.kind = (uint8_t)kind, .flags = to->source->nodes[node].flags, .place = NO_REGISTER,
                     .nodes = {begin, node + 1}};
    in->stack[in->stack_count++] = in->term_count++;
    return pushed;
}

/* The variable of a name that is a port or a side; a new wire if it is unknown. */
static variable *find_variable(compiler *to, symbol_id id)
{
    variable *found = scope_find(to->run, &to->scope, id);
    if (found == NULL && (found = scope_add(to->run, &to->scope, id, VARIABLE_WIRE)) == NULL)
        compiler_fail_memory(to);
    return found;
}

/* The term is at this place from now on. */
static int put(compiler *to, uint32_t number, uint32_t place)
{
    term *at = &to->branch.terms[number];
    *branch_at(&to->branch, place) = number;
    if (at->kind != TERM_NAME)
        return 1;
    variable *found = find_variable(to, to->source->nodes[at->nodes.begin].symbol);
    if (found == NULL)
        return 0;
    at->variable = (uint32_t)(found - to->scope.all);
    if (found->uses < 2)
        found->ends[found->uses] = place;
    found->uses++;
    return 1;
}

/* --- agents ------------------------------------------------------------------------------------------------------ */

static int push_agent(compiler *to, uint32_t node, uint32_t agent, uint32_t count)
{
    branch *in = &to->branch;
    if (agent == AGENT_NONE || !ARRAY_RESERVE(in->ports, in->port_room, (size_t)in->port_count + count))
        return compiler_fail_memory(to);
    const uint32_t first = in->port_count;
    in->port_count += count;
    for (uint32_t i = 0; i < count; i++)
        if (!put(to, in->stack[in->stack_count - count + i], first + i))
            return 0;
    term *pushed = push(to, TERM_AGENT, node, count);
    if (pushed == NULL)
        return 0;
    pushed->agent = agent;
    pushed->first = first;
    pushed->count = count;
    return 1;
}

static int push_percent(compiler *to, uint32_t node)
{
    const symbol *of = symbols_get(&to->run->symbols, to->source->nodes[node].symbol);
    if (of->agent == 0)
        language_report(to->run, to->source->last_line,
                        "Warning: `%s' is given to %%, although it hasn't yet been defined.\n", of->text);
    term *pushed = push(to, TERM_PERCENT, node, 0);
    if (pushed != NULL)
        pushed->agent = to->source->nodes[node].symbol;
    return pushed != NULL;
}

/* --- expressions ------------------------------------------------------------------------------------------------- */

static void mark_operand(compiler *to, const term *marked)
{
    if (marked->kind != TERM_NAME)
        return;
    variable *found = scope_find(to->run, &to->scope, to->source->nodes[marked->nodes.begin].symbol);
    if (found != NULL)
        found->is_operand = 1;
}

/* An operator, or a call, whose operands are no terms of their own any more. */
static int push_expression(compiler *to, uint32_t node, uint32_t operands)
{
    const branch *in = &to->branch;
    for (uint32_t i = in->stack_count - operands; i != in->stack_count; i++)
        mark_operand(to, &in->terms[in->stack[i]]);
    return push(to, TERM_NUMBER, node, operands) != NULL;
}

static int push_word(compiler *to, uint32_t node)
{
    const variable *found = scope_find(to->run, &to->scope, to->source->nodes[node].symbol);
    return push(to, found != NULL && found->kind == VARIABLE_NUMBER ? TERM_NUMBER : TERM_NAME, node, 0) != NULL;
}

static int push_identifier(compiler *to, uint32_t node)
{
    const syntax_node *read = &to->source->nodes[node];
    const symbol *of = symbols_get(&to->run->symbols, read->symbol);
    if ((read->flags & SYNTAX_BARE ? of->value != NULL : of->native != 0))
        return push_expression(to, node, read->count);
    return push_agent(to, node, agents_use(to->run, read->symbol, read->count, read->line), read->count);
}

/* --- connections ------------------------------------------------------------------------------------------------- */

/* The name of an attribute variable that is all there is to a term, or NULL. */
static const char *variable_name(const compiler *to, uint32_t number)
{
    const term *side = &to->branch.terms[number];
    const syntax_node *node = &to->source->nodes[side->nodes.begin];
    const int is_one = side->kind == TERM_NUMBER && side->nodes.end - side->nodes.begin == 1;
    return is_one && node->kind == SYNTAX_NAME ? symbols_get(&to->run->symbols, node->symbol)->text : NULL;
}

static void warn_of_numbers(compiler *to, uint32_t left, uint32_t right)
{
    const term *terms = to->branch.terms;
    const char *name = variable_name(to, left) != NULL ? variable_name(to, left) : variable_name(to, right);
    if (name != NULL && terms[left].kind == TERM_NUMBER && terms[right].kind == TERM_NUMBER)
        language_report(to->run, to->source->last_line,
                        "Warning: The variable `%s' is connected to an expression. It may cause runtime error.\n",
                        name);
}

static int connect(compiler *to)
{
    branch *in = &to->branch;
    if (!ARRAY_RESERVE(in->sides, in->side_room, (size_t)in->side_count + 2))
        return compiler_fail_memory(to);
    const uint32_t right = in->stack[--in->stack_count], left = in->stack[--in->stack_count];
    const uint32_t first = in->side_count;
    in->side_count += 2;
    warn_of_numbers(to, left, right);
    return put(to, left, first | PLACE_IS_SIDE) && put(to, right, (first + 1) | PLACE_IS_SIDE);
}

/* --- nodes ------------------------------------------------------------------------------------------------------- */

static int read_node(compiler *to, uint32_t node)
{
    const syntax_node *read = &to->source->nodes[node];
    switch (read->kind) {
    case SYNTAX_NAME:
    case SYNTAX_TYPED:
        return push_word(to, node);
    case SYNTAX_AGENT:
        return push_identifier(to, node);
    case SYNTAX_TUPLE:
        return push_agent(to, node, agents_tuple(to->run, read->count), read->count);
    case SYNTAX_NIL:
        return push_agent(to, node, AGENT_NIL, 0);
    case SYNTAX_CONS:
        return push_agent(to, node, AGENT_CONS, 2);
    case SYNTAX_PERCENT:
        return push_percent(to, node);
    case SYNTAX_CONNECT:
        return connect(to);
    case SYNTAX_AND_THEN:
    case SYNTAX_OR_ELSE:
        return 1; /* a part of the nodes of the operator that follows */
    case SYNTAX_INT:
    case SYNTAX_FLOAT:
        return push_expression(to, node, 0);
    case SYNTAX_NEGATE:
    case SYNTAX_NOT:
    case SYNTAX_RAND:
        return push_expression(to, node, 1);
    default:
        return push_expression(to, node, 2);
    }
}

int branch_read(compiler *to, syntax_range connections)
{
    branch *in = &to->branch;
    in->term_count = in->port_count = in->side_count = in->stack_count = 0;
    for (uint32_t i = connections.begin; i != connections.end; i++)
        if (!read_node(to, i))
            return 0;
    return 1;
}

/* --- linearity --------------------------------------------------------------------------------------------------- */

static int is_linear(const variable *checked)
{
    switch (checked->kind) {
    case VARIABLE_PORT:
        return checked->uses == 1 || checked->is_operand;
    case VARIABLE_WIRE:
        return checked->uses == 2;
    default:
        return 1;
    }
}

int branch_check_linearity(compiler *to)
{
    for (uint32_t i = 0; i < to->scope.count; i++)
        if (!is_linear(&to->scope.all[i]))
            return head_refuse_name(to, &to->scope.all[i]);
    return 1;
}
