/*
 * builtin_function.c - function values and Map.
 *
 *   %f ~ ((r,p2,...,pn),z)   f(r,p2,...,pn) ~ z, for a pair that holds the tuple itself; else the tuple is waited for:
 *                            f(r,...) ~ z, (r,...) ~ t
 *   %f ~ (r,z)               f(r) ~ z, if f has one port
 *   Map(r,f) ~ x:xs          Dup((w,x),g) ~ f, r ~ w:ws, Map(ws,g) ~ xs; without a Dup if the port is %f itself
 *   Map(r,f) ~ []            r ~ [], Eraser ~ f
 */
#include "builtin/builtin.h"
#include "machine/failure.h"
#include "table/agents.h"

static const language *run_of(const inpla_worker *worker)
{
    return worker->user;
}

/* The number of the agent that a function value stands for, with its present arity; AGENT_NONE if it has no port. */
static uint32_t function_agent(const inpla_worker *worker, inpla_cell *percent, uint32_t *arity)
{
    const symbol_id id = (symbol_id)inpla_int_of(inpla_ports(percent)[0].cell);
    const uint32_t number = symbols_get(&run_of(worker)->symbols, id)->agent;
    *arity = number == 0 ? 0 : agents_get(run_of(worker), number - 1)->arity;
    return *arity == 0 ? AGENT_NONE : number - 1;
}

/* Fills the ports of two agents with new wires between them. */
static int wire_ports(inpla_worker *worker, inpla_cell *a, inpla_cell *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        inpla_cell *wire = inpla_wire(worker);
        if (wire == NULL)
            return 0;
        inpla_ports(a)[i].cell = inpla_ports(b)[i].cell = wire;
    }
    return 1;
}

/* f(r,...) ~ z, and a tuple of the ports of f meets t. */
static inpla_status apply_to_any(inpla_worker *worker, uint32_t agent, uint32_t arity, inpla_cell *t, inpla_cell *z)
{
    inpla_cell *f = inpla_new(worker, agent, arity);
    inpla_cell *tuple = inpla_new(worker, agents_find_tuple(run_of(worker), arity), arity);
    if (f == NULL || tuple == NULL || !wire_ports(worker, f, tuple, arity))
        return INPLA_ERROR_HEAP;
    return builtin_connect_two(worker, tuple, t, f, z);
}

/* f ~ z with the ports of a tuple, which becomes f. */
static inpla_status apply_to_tuple(inpla_worker *worker, uint32_t agent, uint32_t arity, inpla_cell *t, inpla_cell *z)
{
    return inpla_connect(worker, inpla_reuse(t, agent, arity), z);
}

static inpla_status apply_to_one(inpla_worker *worker, uint32_t agent, inpla_cell *r, inpla_cell *z)
{
    inpla_cell *f = inpla_new(worker, agent, 1);
    if (f == NULL)
        return INPLA_ERROR_HEAP;
    inpla_ports(f)[0].cell = r;
    return inpla_connect(worker, f, z);
}

static int is_tuple_of(const inpla_worker *worker, const inpla_cell *t, uint32_t size)
{
    return !inpla_is_number(t) && inpla_head_of(t) == inpla_head(agents_find_tuple(run_of(worker), size), size);
}

static inpla_status apply(inpla_worker *worker, inpla_cell *percent, inpla_cell *pair)
{
    uint32_t arity;
    const uint32_t agent = function_agent(worker, percent, &arity);
    inpla_cell *t = inpla_ports(pair)[0].cell, *z = inpla_ports(pair)[1].cell;
    if (agent == AGENT_NONE)
        return failure_set(worker, (inpla_pair){percent, pair}, (failure){.kind = FAILURE_NO_PORTS});
    inpla_free(worker, percent, 1);
    inpla_free(worker, pair, 2);
    if (arity == 1)
        return apply_to_one(worker, agent, t, z);
    return is_tuple_of(worker, t, arity) ? apply_to_tuple(worker, agent, arity, t, z)
                                         : apply_to_any(worker, agent, arity, t, z);
}

/* --- Map ---------------------------------------------------------------------------------------------------------- */

/* r ~ w:ws, Map(ws,g) ~ xs in the cells of the pair, where w and g are given. */
static inpla_status map_on(inpla_worker *worker, inpla_cell *map, inpla_cell *cons, inpla_cell *w, inpla_cell *g)
{
    inpla_cell *ws = inpla_wire(worker), *r = inpla_ports(map)[0].cell, *xs = inpla_ports(cons)[1].cell;
    if (ws == NULL)
        return INPLA_ERROR_HEAP;
    inpla_ports(cons)[0].cell = w;
    inpla_ports(cons)[1].cell = ws;
    inpla_ports(map)[0].cell = ws;
    inpla_ports(map)[1].cell = g;
    return builtin_connect_two(worker, r, cons, map, xs);
}

/* A copy of %f, which is what Dup would make, meets (w,x). */
static inpla_status map_function(inpla_worker *worker, inpla_cell *map, inpla_cell *cons, inpla_cell *percent)
{
    inpla_cell *copy = inpla_new(worker, AGENT_PERCENT, 1), *w = inpla_wire(worker);
    inpla_cell *pair = builtin_new_2(worker, AGENT_PAIR, w, inpla_ports(cons)[0].cell);
    if (copy == NULL || w == NULL || pair == NULL)
        return INPLA_ERROR_HEAP;
    inpla_ports(copy)[0] = inpla_ports(percent)[0];
    const inpla_status status = inpla_push(worker, copy, pair);
    return status != INPLA_OK ? status : map_on(worker, map, cons, w, percent);
}

static inpla_status map_any(inpla_worker *worker, inpla_cell *map, inpla_cell *cons, inpla_cell *f)
{
    inpla_cell *w = inpla_wire(worker), *g = inpla_wire(worker);
    inpla_cell *pair = builtin_new_2(worker, AGENT_PAIR, w, inpla_ports(cons)[0].cell);
    inpla_cell *dup = builtin_new_2(worker, INPLA_DUP, pair, g);
    if (w == NULL || g == NULL || pair == NULL || dup == NULL)
        return INPLA_ERROR_HEAP;
    const inpla_status status = inpla_connect(worker, dup, f);
    return status != INPLA_OK ? status : map_on(worker, map, cons, w, g);
}

static inpla_status map_cons(inpla_worker *worker, inpla_cell *map, inpla_cell *cons)
{
    inpla_cell *f = inpla_ports(map)[1].cell;
    const int is_function = !inpla_is_number(f) && inpla_agent_of(f) == AGENT_PERCENT;
    return is_function ? map_function(worker, map, cons, f) : map_any(worker, map, cons, f);
}

static inpla_status map_nil(inpla_worker *worker, inpla_cell *map, inpla_cell *nil)
{
    inpla_cell *r = inpla_ports(map)[0].cell, *f = inpla_ports(map)[1].cell;
    inpla_reuse(map, INPLA_ERASER, 0);
    return builtin_connect_two(worker, r, nil, map, f);
}

int builtin_add_function_rules(language *run)
{
    static const builtin_rule table[] = {
        {AGENT_PERCENT, AGENT_PAIR, apply}, {AGENT_MAP, AGENT_CONS, map_cons}, {AGENT_MAP, AGENT_NIL, map_nil}};
    return builtin_add_table(run, table, sizeof table / sizeof table[0]);
}
