/*
 * inpla_builtin.c - the rules of Eraser and Dup with every agent. ORDER BUILTIN (inpla_rule.h)
 *
 *   Eraser     >< A(t1, ...)   Eraser ~ ti for every port; numbers vanish with the cell
 *   Dup(a, b)  >< A(t1, ...)   a ~ A(u1, ...), b ~ A(v1, ...), Dup(ui, vi) ~ ti for every port; numbers are copied
 *   Dup(a, b)  >< Dup(c, d)    a ~ c, b ~ d
 *
 * Each is one interaction. Numbers in ports count as if they were met there: every one that is erased, and the second one
 * of two that are all the ports of what is copied; others do not, so it is in the language. Cells are given back before new ones are taken, so that a rule whose result is no larger
 * than the pair needs no heap.
 */
#include "inpla_internal.h"

/* Does the port hold a connection, and not a number? */
static int is_wire_port(inpla_worker *worker, inpla_cell *cell, unsigned port)
{
#if INPLA_VALUES
    (void)worker;
    return !inpla_is_number(inpla_ports(cell)[port].cell);
#else
    return inplaN_agent(worker->net, inpla_agent_of(cell))->ports[port] == INPLA_PORT_WIRE;
#endif
}

static inpla_status erase_term(inpla_worker *worker, inpla_cell *term)
{
    inpla_cell *eraser = inpla_new(worker, INPLA_ERASER, 0);
    return eraser == NULL ? INPLA_ERROR_HEAP : inpla_connect(worker, eraser, term);
}

static inpla_status erase(inpla_worker *worker, inpla_cell *eraser, inpla_cell *cell)
{
    inpla_free(worker, eraser, 0);
    if (inpla_is_number(cell))
        return INPLA_OK;
    const unsigned ports = inpla_port_count(cell);
    for (unsigned i = 0; i < ports; i++) {
        inpla_cell *term = inpla_ports(cell)[i].cell;
        const int is_wire = is_wire_port(worker, cell, i);
        if (i == ports - 1)
            inpla_free(worker, cell, ports);
        const inpla_status status = is_wire ? erase_term(worker, term) : INPLA_OK;
        if (status != INPLA_OK)
            return status;
        worker->interactions += !is_wire;
    }
    if (ports == 0)
        inpla_free(worker, cell, 0);
    return INPLA_OK;
}

static inpla_status connect_both(inpla_worker *worker, inpla_cell *a, inpla_cell *to_a, inpla_cell *b, inpla_cell *to_b)
{
    const inpla_status status = inpla_connect(worker, a, to_a);
    return status != INPLA_OK ? status : inpla_connect(worker, b, to_b);
}

static inpla_status annihilate(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_word *l = inpla_ports(left);
    inpla_word *r = inpla_ports(right);
    inpla_cell *a = l[0].cell, *b = l[1].cell, *c = r[0].cell, *d = r[1].cell;
    inpla_free(worker, left, 2);
    inpla_free(worker, right, 2);
    return connect_both(worker, a, c, b, d);
}

/* Dup(u, v) ~ term, with new wires u and v. */
static inpla_status duplicate_term(inpla_worker *worker, inpla_cell *term, inpla_word *u, inpla_word *v)
{
    u->cell = inpla_wire(worker);
    v->cell = inpla_wire(worker);
    inpla_cell *dup = inpla_new(worker, INPLA_DUP, 2);
    if (u->cell == NULL || v->cell == NULL || dup == NULL)
        return INPLA_ERROR_HEAP;
    inpla_ports(dup)[0] = *u;
    inpla_ports(dup)[1] = *v;
    return inpla_connect(worker, dup, term);
}

/* Has an agent at most two ports, and only numbers in them? */
static int is_plain(inpla_worker *worker, inpla_cell *cell)
{
    const unsigned ports = inpla_port_count(cell);
    return ports == 0 || (ports <= 2 && !is_wire_port(worker, cell, 0) && !is_wire_port(worker, cell, ports - 1));
}

/* The copy of a plain cell is made in the cell of the Dup. */
static inpla_status duplicate_plain(inpla_worker *worker, inpla_cell *dup, inpla_cell *cell)
{
    inpla_cell *a = inpla_ports(dup)[0].cell;
    inpla_cell *b = inpla_ports(dup)[1].cell;
    worker->interactions += inpla_port_count(cell) == 2;
    dup->head = cell->head;
    inpla_ports(dup)[0] = inpla_ports(cell)[0];
    inpla_ports(dup)[1] = inpla_ports(cell)[1];
    return connect_both(worker, a, cell, b, dup);
}

static inpla_status duplicate(inpla_worker *worker, inpla_cell *dup, inpla_cell *cell)
{
    inpla_cell *a = inpla_ports(dup)[0].cell;
    inpla_cell *b = inpla_ports(dup)[1].cell;
    if (inpla_is_number(cell)) {
        inpla_free(worker, dup, 2);
        return connect_both(worker, a, cell, b, cell);
    }
    if (is_plain(worker, cell))
        return duplicate_plain(worker, dup, cell);
    inpla_free(worker, dup, 2);
    const unsigned ports = inpla_port_count(cell);
    inpla_cell *copy = inpla_new(worker, (inpla_agent_id)inpla_agent_of(cell), ports);
    if (copy == NULL)
        return INPLA_ERROR_HEAP;
    inpla_word *first = inpla_ports(cell);
    inpla_word *second = inpla_ports(copy);
    for (unsigned i = 0; i < ports; i++) {
        if (is_wire_port(worker, cell, i)) {
            const inpla_status status = duplicate_term(worker, first[i].cell, &first[i], &second[i]);
            if (status != INPLA_OK)
                return status;
        } else {
            second[i] = first[i];
        }
    }
    return connect_both(worker, a, cell, b, copy);
}

INPLA_FUNC inpla_status inplaB_interact(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    const unsigned l = inpla_is_number(left) ? INPLA_FREE : inpla_agent_of(left);
    const unsigned r = inpla_is_number(right) ? INPLA_FREE : inpla_agent_of(right);
    if (l == INPLA_ERASER)
        return erase(worker, left, right);
    if (r == INPLA_ERASER)
        return erase(worker, right, left);
    if (l == INPLA_DUP && r == INPLA_DUP)
        return annihilate(worker, left, right);
    if (l == INPLA_DUP)
        return duplicate(worker, left, right);
    if (r == INPLA_DUP)
        return duplicate(worker, right, left);
    return INPLA_ERROR_NO_RULE;
}

#if INPLA_VALUES
INPLA_API inpla_status inpla_builtin_rule(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    return inplaB_interact(worker, left, right);
}
#endif
