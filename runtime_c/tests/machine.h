/*
 * machine.h - a host of the engine for the general language: its loop with hand-written rules, and its memory.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "inpla_value.h"

enum machine_agent { FIB = INPLA_BUILTIN_COUNT, ADD, ADD_TO };

static inpla_cell *consumed = NULL; /* the last interface name that was */

void inplaR_name_consumed(inpla_worker *worker, inpla_cell *name)
{
    (void)worker;
    consumed = name;
}

static inpla_status fib(inpla_worker *worker, inpla_cell *left, int64_t n)
{
    inpla_cell *r = inpla_ports(left)[0].cell;
    if (n < 2) {
        inpla_free(worker, left, 1);
        return inpla_connect(worker, r, inpla_of_int(n));
    }
    inpla_cell *other = inpla_new(worker, FIB, 1), *add = inpla_new(worker, ADD, 2);
    inpla_cell *a = inpla_wire(worker), *b = inpla_wire(worker);
    if (other == NULL || add == NULL || a == NULL || b == NULL)
        return INPLA_ERROR_HEAP;
    inpla_ports(left)[0].cell = a;
    inpla_ports(other)[0].cell = b;
    inpla_ports(add)[0].cell = r;
    inpla_ports(add)[1].cell = b;
    inpla_status status = inpla_connect(worker, add, a);
    if (status == INPLA_OK)
        status = inpla_connect(worker, other, inpla_of_int(n - 2));
    return status != INPLA_OK ? status : inpla_connect(worker, left, inpla_of_int(n - 1));
}

static inpla_status add(inpla_worker *worker, inpla_cell *left, inpla_cell *m)
{
    inpla_cell *b = inpla_ports(left)[1].cell;
    inpla_cell *add_to = inpla_reuse(left, ADD_TO, 2);
    inpla_ports(add_to)[1].cell = m;
    return inpla_connect(worker, add_to, b);
}

static inpla_status add_to(inpla_worker *worker, inpla_cell *left, int64_t n)
{
    inpla_cell *r = inpla_ports(left)[0].cell;
    const int64_t m = inpla_int_of(inpla_ports(left)[1].cell);
    inpla_free(worker, left, 2);
    return inpla_connect(worker, r, inpla_of_int(m + n));
}

static inpla_status interact_by_hand(inpla_worker *worker, inpla_pair pair)
{
    const unsigned agent = inpla_is_number(pair.left) ? INPLA_FREE : inpla_agent_of(pair.left);
    if (agent == FIB && inpla_is_int(pair.right))
        return fib(worker, pair.left, inpla_int_of(pair.right));
    if (agent == ADD && inpla_is_int(pair.right))
        return add(worker, pair.left, pair.right);
    if (agent == ADD_TO && inpla_is_int(pair.right))
        return add_to(worker, pair.left, inpla_int_of(pair.right));
    return inpla_builtin_rule(worker, pair.left, pair.right);
}

void inplaR_reduce(inpla_worker *worker)
{
    inpla_pair pair;
    while (inpla_next(worker, &pair)) {
        const inpla_status status = interact_by_hand(worker, pair);
        if (status != INPLA_OK) {
            const inpla_failed failed = {status, pair.left, pair.right, 0};
            inpla_fail(worker, failed);
            return;
        }
        worker->interactions++;
    }
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

static void *grow_by_realloc(void *user, void *block, size_t old_bytes, size_t bytes)
{
    (void)user, (void)old_bytes;
    if (bytes != 0)
        return realloc(block, bytes);
    free(block);
    return NULL;
}

typedef struct {
    inpla_net *net;
    void *block;
} machine;

static machine open_machine(unsigned workers)
{
    const inpla_limits limits = {0, 0, 0, workers, grow_by_realloc};
    const size_t size = (inpla_memory_bytes(&limits) + INPLA_ALIGN - 1) / INPLA_ALIGN * INPLA_ALIGN;
    machine of = {NULL, aligned_alloc(INPLA_ALIGN, size)};
    CHECK_INT(inpla_open(&of.net, NULL, &limits, of.block, size, NULL), INPLA_OK);
    consumed = NULL;
    return of;
}

static void close_machine(machine *of)
{
    inpla_close(of->net);
    free(of->block);
}

static inpla_statistics facts_of(const inpla_net *net)
{
    inpla_statistics facts;
    inpla_get_statistics(net, &facts);
    return facts;
}

#endif
