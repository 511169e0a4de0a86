/*
 * machine.h - a host of the engine with INPLA_VALUES: its loop over the rules of machine_rules.h.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "machine_memory.h"
#include "machine_rules.h"

static inpla_cell *consumed = NULL; /* the last interface name that was, of all nets */

void inplaR_name_consumed(inpla_worker *worker, inpla_cell *name)
{
    (void)worker;
    consumed = name;
}

void inplaR_reduce(inpla_worker *worker)
{
    inpla_pair pair;
    while (inpla_next(worker, &pair)) {
        worker->interactions++;
        if (interact(worker, pair.left, pair.right) != INPLA_OK)
            return;
    }
}

/* --- nets ---------------------------------------------------------------------------------------------------------- */

/* The interface name r of agent(r, ports) ~ partner. */
static inpla_cell *ask(inpla_net *net, unsigned agent, inpla_cell *port, inpla_cell *partner)
{
    inpla_worker *worker = inpla_first_worker(net);
    inpla_cell *result = inpla_name(worker, 7);
    inpla_cell *cell = inpla_new(worker, agent, port == NULL ? 1 : 2);
    inpla_ports(cell)[0].cell = result;
    if (port != NULL)
        inpla_ports(cell)[1].cell = port;
    CHECK_INT(inpla_connect(worker, cell, partner), INPLA_OK);
    return result;
}

/* A list of `count` pseudo-random numbers. */
static inpla_cell *random_list(inpla_net *net, unsigned count)
{
    inpla_worker *worker = inpla_first_worker(net);
    inpla_cell *list = inpla_new(worker, NIL, 0);
    uint32_t seed = 1;
    for (unsigned i = 0; i < count; i++) {
        inpla_cell *cons = inpla_new(worker, CONS, 2);
        inpla_ports(cons)[0].cell = inpla_of_int(check_random(&seed) % 100000);
        inpla_ports(cons)[1].cell = list;
        list = cons;
    }
    return list;
}

/* The value that a name or port leads to. */
static inline inpla_cell *value_of(inpla_cell *value)
{
    while (value != NULL && inpla_is_wire(value))
        value = inpla_first_of(value);
    return value;
}

#endif
