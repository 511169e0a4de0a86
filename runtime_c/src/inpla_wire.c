/*
 * inpla_wire.c - connections that inpla_join leaves to the slow path: two wires, interface names, wires of other
 * workers.
 *
 * A wire's first end is connected by its owner alone, which writes what it is connected to into port 0; the second end
 * by whoever has it, who reads that, frees the wire and goes on. So no connection needs an atomic operation, and who has
 * a first end of another worker's wire asks the owner (inpla_post.c). Wires that are everybody's, as all those of an
 * image that several workers reduce, are connected with an atomic operation.
 */
#include "inpla_internal.h"

static void swap(inpla_cell **a, inpla_cell **b)
{
    inpla_cell *const other = *a;
    *a = *b;
    *b = other;
}

/* Plain wires by their address; above them interface names, by the word that the host gave them. */
static int is_lower(inpla_cell *a, inpla_cell *b)
{
#if INPLA_VALUES
    const int a_is_name = inpla_agent_of(a) == INPLA_NAME, b_is_name = inpla_agent_of(b) == INPLA_NAME;
    if (a_is_name && b_is_name)
        return (uintptr_t)inpla_ports(a)[1].i < (uintptr_t)inpla_ports(b)[1].i;
    if (a_is_name != b_is_name)
        return b_is_name;
#endif
    return (uintptr_t)a < (uintptr_t)b;
}

/* Of two wires, the one to go through first: one that leads on, else the lower one. As only a lower one is ever given a
 * higher one, wires form no ring, whoever connects them in whatever order, and a loop without an agent is freed when it
 * closes. And a name is what is found at the end of wires, whatever the order. */
static int goes_first(inpla_cell *a, inpla_cell *b)
{
    if (inpla_first_of(a) != NULL)
        return 1;
    return inpla_first_of(b) == NULL && is_lower(a, b);
}

/* May this worker connect an end of the wire with this header, of which `first` is known? Interface names are for their owner alone, as the host
 * hears of them. */
static int may_connect(const inpla_worker *worker, uintptr_t head, const inpla_cell *first)
{
#if INPLA_THREADS
    if ((head & INPLA_AGENT_MASK) == INPLA_WIRE && (first != NULL || inplaN_is_common(head)))
        return 1;
    return inplaN_owner(worker->net, head) == worker->number;
#else
    (void)worker, (void)head, (void)first;
    return 1;
#endif
}

/* Has a cell with this header two ends, as a wire has, or an interface name? */
static int is_wire_head(uintptr_t head)
{
#if INPLA_VALUES
    if ((head & INPLA_AGENT_MASK) == INPLA_NAME)
        return 1;
#endif
    return (head & INPLA_AGENT_MASK) == INPLA_WIRE;
}

/* Connects an end of a wire that seems to be the first. NULL: it was; else what the first one was connected to. */
static inpla_cell *connect_first(inpla_cell *wire, uintptr_t head, inpla_cell *value)
{
    inpla_cell *first = NULL;
#if INPLA_THREADS
    if (inplaN_is_common(head)) {
        __atomic_compare_exchange_n(&inpla_ports(wire)[0].cell, &first, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        return first;
    }
#else
    (void)head;
#endif
    inpla_set_first(wire, value);
    return first;
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
        if (!inpla_is_wire(a)) { /* asked once: what was a wire may be an agent the next time */
            if (!inpla_is_wire(b))
                return inpla_as_pair(a, b);
            swap(&a, &b);
        }
        if (inpla_is_wire(b) && !goes_first(a, b))
            swap(&a, &b);
        inpla_cell *first = inpla_first_of(a);
        const uintptr_t head = inpla_head_of(a);
        if (!is_wire_head(head))
            continue; /* its owner has made, or is making, an agent of it */
        if (!may_connect(worker, head, first)) {
#if INPLA_THREADS
            inplaP_send(worker, inplaN_owner(worker->net, head), a, b);
#endif
            return nothing;
        }
        if (first == NULL && a != b)
            first = connect_first(a, head, b);
        if (first == NULL && a != b)
            return nothing;
        end_wire(worker, a);
        if (a == b)
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

/* What the first end of a wire is connected to, NULL: this worker does not know, or must not take it: the host of a
 * name has to hear when it goes, in the thread of the name's owner. */
static inpla_cell *next_of(const inpla_worker *worker, inpla_cell *wire)
{
    inpla_cell *const first = inpla_first_of(wire);
    const uintptr_t head = inpla_head_of(wire);
    return first != NULL && is_wire_head(head) && may_connect(worker, head, first) ? first : NULL;
}

INPLA_API inpla_cell *inpla_follow(inpla_worker *worker, inpla_cell *port)
{
    inpla_cell *value = port;
    while (value != NULL && inpla_is_wire(value))
        value = next_of(worker, value);
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
