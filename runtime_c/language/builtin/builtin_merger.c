/*
 * builtin_merger.c - Merger, which takes the cells of two lists as they come.
 *
 *   Merger(r) ~ (a,b)        _MergerP(m) ~ a, _MergerP(m) ~ b, with m = _Merged(r,2)
 *   _MergerP(m) ~ x:xs       r ~ x:w, _MergerP(m) ~ xs, and m holds w in place of r
 *   _MergerP(m) ~ []         nothing; of the second list: r ~ []
 *
 * The cell m is in two ports, and two workers may come to it at once: they exchange what it holds by atomic operations.
 */
#include "builtin/builtin.h"
#include "table/agents.h"

#include "machine/failure.h"

static inpla_cell *new_side(inpla_worker *worker, inpla_cell *merged)
{
    inpla_cell *side = inpla_new(worker, AGENT_MERGERP, 1);
    if (side != NULL)
        inpla_ports(side)[0].cell = merged;
    return side;
}

static inpla_status merge_pair(inpla_worker *worker, inpla_cell *merger, inpla_cell *pair)
{
    inpla_cell *merged = builtin_new_2(worker, AGENT_MERGED, inpla_ports(merger)[0].cell, inpla_of_int(2));
    inpla_cell *a = inpla_ports(pair)[0].cell, *b = inpla_ports(pair)[1].cell;
    inpla_free(worker, merger, 1);
    inpla_free(worker, pair, 2);
    inpla_cell *left = new_side(worker, merged), *right = new_side(worker, merged);
    if (merged == NULL || left == NULL || right == NULL)
        return INPLA_ERROR_HEAP;
    return builtin_connect_two(worker, left, a, right, b);
}

static inpla_status merge_cons(inpla_worker *worker, inpla_cell *side, inpla_cell *cons)
{
    inpla_cell *wire = inpla_wire(worker), *tail = inpla_ports(cons)[1].cell;
    if (wire == NULL)
        return INPLA_ERROR_HEAP;
    inpla_ports(cons)[1].cell = wire;
    inpla_cell **end = &inpla_ports(inpla_ports(side)[0].cell)[0].cell;
    inpla_cell *r = __atomic_exchange_n(end, wire, __ATOMIC_ACQ_REL);
    return builtin_connect_two(worker, r, cons, side, tail);
}

/* One side has gone. The end of the merged list if it was the last one, else NULL. */
static inpla_cell *end_side(inpla_worker *worker, inpla_cell *side)
{
    inpla_cell *merged = inpla_ports(side)[0].cell;
    inpla_free(worker, side, 1);
    /* Integers are counted in twos (inpla_value.h). */
    if (__atomic_sub_fetch(&inpla_ports(merged)[1].i, 2, __ATOMIC_ACQ_REL) != (inpla_int)(intptr_t)inpla_of_int(0))
        return NULL;
    inpla_cell *r = inpla_ports(merged)[0].cell;
    inpla_free(worker, merged, 2);
    return r;
}

/* Also of an Eraser in place of the list: the result ends with []. */
static inpla_status merge_nil(inpla_worker *worker, inpla_cell *side, inpla_cell *nil)
{
    inpla_cell *r = end_side(worker, side);
    if (r != NULL)
        return inpla_connect(worker, r, inpla_reuse(nil, AGENT_NIL, 0));
    inpla_free(worker, nil, 0);
    return INPLA_OK;
}

/* What a merger holds is not to be had twice. */
static inpla_status refuse(inpla_worker *worker, inpla_cell *side, inpla_cell *other)
{
    return failure_set(worker, (inpla_pair){side, other}, (failure){.kind = FAILURE_NO_RULE});
}

int builtin_add_merger_rules(language *run)
{
    static const builtin_rule table[] = {
        {AGENT_MERGER, AGENT_PAIR, merge_pair},   {AGENT_MERGERP, AGENT_CONS, merge_cons},
        {AGENT_MERGERP, AGENT_NIL, merge_nil},    {AGENT_MERGERP, INPLA_ERASER, merge_nil},
        {AGENT_MERGERP, INPLA_DUP, refuse}};
    return builtin_add_table(run, table, sizeof table / sizeof table[0]);
}
