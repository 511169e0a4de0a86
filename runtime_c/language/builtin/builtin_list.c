/*
 * builtin_list.c - Append and Zip.
 *
 *   Append(r,b) ~ x:xs   r ~ x:w, Append(w,b) ~ xs            Append(r,b) ~ []   r ~ b
 *   Zip(r,b)    ~ x:xs   ZipC(r,x:xs) ~ b                     Zip(r,b)    ~ []   r ~ [], Eraser ~ b
 *   ZipC(r,x:xs) ~ y:ys  r ~ (y,x):w, Zip(w,ys) ~ xs          ZipC(r,c)   ~ []   r ~ [], Eraser ~ c
 *
 * Where the second port of a ZipC is no list cell itself (a copy of one, not yet made), _ZipD waits for it.
 */
#include "builtin/builtin.h"
#include "table/agents.h"

static inpla_status append_cons(inpla_worker *worker, inpla_cell *append, inpla_cell *cons)
{
    inpla_cell *wire = inpla_wire(worker), *r = inpla_ports(append)[0].cell, *tail = inpla_ports(cons)[1].cell;
    if (wire == NULL)
        return INPLA_ERROR_HEAP;
    inpla_ports(append)[0].cell = wire;
    inpla_ports(cons)[1].cell = wire;
    return builtin_connect_two(worker, r, cons, append, tail);
}

static inpla_status append_nil(inpla_worker *worker, inpla_cell *append, inpla_cell *nil)
{
    inpla_cell *r = inpla_ports(append)[0].cell, *rest = inpla_ports(append)[1].cell;
    inpla_free(worker, append, 2);
    inpla_free(worker, nil, 0);
    return inpla_connect(worker, r, rest);
}

static inpla_status zip_cons(inpla_worker *worker, inpla_cell *zip, inpla_cell *cons)
{
    inpla_cell *other = inpla_ports(zip)[1].cell;
    inpla_reuse(zip, AGENT_ZIPC, 2);
    inpla_ports(zip)[1].cell = cons;
    return inpla_connect(worker, zip, other);
}

/* One list has ended: the result does as well, what is left of the other one is erased. */
static inpla_status zip_nil(inpla_worker *worker, inpla_cell *zip, inpla_cell *nil)
{
    inpla_cell *r = inpla_ports(zip)[0].cell, *rest = inpla_ports(zip)[1].cell;
    inpla_reuse(zip, INPLA_ERASER, 0);
    return builtin_connect_two(worker, r, nil, zip, rest);
}

/* The cells x:xs and y:ys, and the zip agent, become (y,x), its list cell, and Zip(w,ys). */
static inpla_status zip_cells(inpla_worker *worker, inpla_cell *zip, inpla_cell *x_cell, inpla_cell *y_cell)
{
    inpla_word *x = inpla_ports(x_cell), *y = inpla_ports(y_cell);
    inpla_cell *r = inpla_ports(zip)[0].cell, *xs = x[1].cell, *ys = y[1].cell, *wire = inpla_wire(worker);
    if (wire == NULL)
        return INPLA_ERROR_HEAP;
    x[1].cell = x[0].cell;
    x[0].cell = y[0].cell;
    inpla_reuse(x_cell, AGENT_PAIR, 2);
    y[0].cell = x_cell;
    y[1].cell = wire;
    inpla_reuse(zip, AGENT_ZIP, 2);
    inpla_ports(zip)[0].cell = wire;
    inpla_ports(zip)[1].cell = ys;
    return builtin_connect_two(worker, r, y_cell, zip, xs);
}

static inpla_status zipc_cons(inpla_worker *worker, inpla_cell *zip, inpla_cell *y_cell)
{
    inpla_cell *x_cell = inpla_ports(zip)[1].cell;
    if (!inpla_is_number(x_cell) && inpla_agent_of(x_cell) == AGENT_CONS)
        return zip_cells(worker, zip, x_cell, y_cell);
    inpla_reuse(zip, AGENT_ZIPD, 2);
    inpla_ports(zip)[1].cell = y_cell;
    return inpla_connect(worker, zip, x_cell);
}

/* The same the other way round: what came second is in the port. */
static inpla_status zipd_cons(inpla_worker *worker, inpla_cell *zip, inpla_cell *x_cell)
{
    inpla_cell *y_cell = inpla_ports(zip)[1].cell;
    if (!inpla_is_number(y_cell) && inpla_agent_of(y_cell) == AGENT_CONS)
        return zip_cells(worker, zip, x_cell, y_cell);
    inpla_reuse(zip, AGENT_ZIPC, 2);
    inpla_ports(zip)[1].cell = x_cell;
    return inpla_connect(worker, zip, y_cell);
}

int builtin_add_list_rules(language *run)
{
    static const builtin_rule table[] = {
        {AGENT_APPEND, AGENT_CONS, append_cons}, {AGENT_APPEND, AGENT_NIL, append_nil},
        {AGENT_ZIP, AGENT_CONS, zip_cons},       {AGENT_ZIP, AGENT_NIL, zip_nil},
        {AGENT_ZIPC, AGENT_CONS, zipc_cons},     {AGENT_ZIPC, AGENT_NIL, zip_nil},
        {AGENT_ZIPD, AGENT_CONS, zipd_cons},     {AGENT_ZIPD, AGENT_NIL, zip_nil}};
    return builtin_add_table(run, table, sizeof table / sizeof table[0]);
}
