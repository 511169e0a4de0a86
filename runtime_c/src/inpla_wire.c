/*
 * inpla_wire.c - connections that inpla_join leaves to the slow path: two wires, interface names, wires of other
 * workers.
 *
 * A wire's first end is connected by its owner alone, which writes what it is connected to into port 0; the second end
 * by whoever has it, who reads that, frees the wire and goes on. So no connection needs an atomic operation, and who has
 * a first end of another worker's wire asks the owner (inpla_post.c).
 */
#include "inpla_internal.h"

static void swap(inpla_cell **a, inpla_cell **b)
{
    inpla_cell *const other = *a;
    *a = *b;
    *b = other;
}

/*
 * Of two wires, the one to go through first: one that leads on, else the one that is lower. As only a lower one is ever
 * given a higher one, wires form no ring, whoever connects them in whatever order, and a loop without an agent is freed
 * when it closes. An interface name is higher than a plain wire, as whoever looks from the other end is to see the name;
 * else the address decides. A worker alone needs no order, as nothing that was connected before is hidden from it: the
 * left one is given the right one.
 */
static int goes_first(const inpla_worker *worker, inpla_cell *a, inpla_cell *b)
{
    const int a_is_plain = inpla_agent_of(a) == INPLA_WIRE, b_is_plain = inpla_agent_of(b) == INPLA_WIRE;
    if (inpla_first_of(a) != NULL || inpla_first_of(b) != NULL)
        return inpla_first_of(a) != NULL;
    if (a_is_plain != b_is_plain)
        return a_is_plain;
#if INPLA_THREADS
    return !worker->sharing || (uintptr_t)a < (uintptr_t)b;
#else
    (void)worker;
    return 1;
#endif
}

/* May this worker connect an end of the wire? Interface names are for their owner alone, as the host hears of them. */
static int may_connect(const inpla_worker *worker, const inpla_cell *wire, const inpla_cell *first)
{
#if INPLA_THREADS
    if (first != NULL && inpla_agent_of(wire) == INPLA_WIRE)
        return 1;
    return inplaN_owner(worker->net, wire) == worker->number;
#else
    (void)worker, (void)wire, (void)first;
    return 1;
#endif
}

/* Both ends were connected. */
static void end_wire(inpla_worker *worker, inpla_cell *wire)
{
#if INPLA_VALUES
    if (inpla_agent_of(wire) == INPLA_NAME)
        inplaR_name_consumed(worker, wire);
#endif
    inpla_free(worker, wire, 1);
}

INPLA_API inpla_pair inplaW_join(inpla_worker *worker, inpla_cell *a, inpla_cell *b)
{
    const inpla_pair nothing = {NULL, NULL};
    for (;;) {
        if (!inpla_is_wire(a))
            swap(&a, &b);
        if (!inpla_is_wire(a))
            return inpla_as_pair(a, b);
        if (inpla_is_wire(b) && !goes_first(worker, a, b))
            swap(&a, &b);
        inpla_cell *const first = inpla_first_of(a);
        if (!may_connect(worker, a, first)) {
#if INPLA_THREADS
            inplaP_send(worker, a, b);
#endif
            return nothing;
        }
        if (a == b || first != NULL)
            end_wire(worker, a);
        else
            inpla_set_first(a, b);
        if (a == b || first == NULL)
            return nothing;
        a = first;
    }
}

INPLA_API inpla_status inplaW_connect(inpla_worker *worker, inpla_cell *a, inpla_cell *b)
{
    const inpla_pair pair = inplaW_join(worker, a, b);
    return pair.left == NULL ? INPLA_OK : inpla_push(worker, pair.left, pair.right);
}

#if INPLA_VALUES

/* Does the host of this worker's thread have to hear when the wire goes? */
static int is_free_to_go(const inpla_worker *worker, const inpla_cell *wire)
{
    return inpla_agent_of(wire) == INPLA_WIRE || may_connect(worker, wire, NULL);
}

INPLA_API inpla_cell *inpla_follow(inpla_worker *worker, inpla_cell *port)
{
    inpla_cell *value = port;
    while (value != NULL && inpla_is_wire(value))
        value = is_free_to_go(worker, value) ? inpla_first_of(value) : NULL;
    if (value == NULL || !inpla_is_number(value))
        return NULL;
    while (port != value) {
        inpla_cell *const next = inpla_first_of(port);
        end_wire(worker, port);
        port = next;
    }
    return value;
}

#endif
