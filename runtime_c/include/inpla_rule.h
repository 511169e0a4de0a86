/*
 * inpla_rule.h - what compiled rules use.
 *
 * A rule is a C function (inpla_rule in inpla.h) that gets the two cells of a pair, owns them, and builds the
 * right-hand side of the rule. Its shape is always the same:
 *
 *   1. read every port of both cells into locals (inpla_ports);
 *   2. give back the cells that are not needed (inpla_free), and build agents in the others (inpla_reuse);
 *   3. take new cells for what is left (inpla_new, inpla_wire), NULL means `return INPLA_ERROR_HEAP`;
 *   4. fill all their ports;
 *   5. connect (inpla_connect), and pass its status on if it is not INPLA_OK. What has been connected, and all that is
 *      reached from there, is no longer the rule's: another worker may be at it.
 *
 * A wire has two ends; each end is held by one port or given to inpla_connect once. When both have been given, the
 * engine has freed the wire's cell.
 *
 * A rule that fails need not tidy up: the net is lost. A rule touches no cell that it does not own: the ports that it
 * reads from its pair are connections to hand on, not cells to look into.
 */
#ifndef INPLA_RULE_H
#define INPLA_RULE_H

#include "inpla_worker.h"

/* The engine's slow paths; rules do not call these. What the connection makes is returned, left NULL: nothing; or pushed. */
INPLA_API inpla_pair inplaW_join(inpla_worker *worker, inpla_cell *a, inpla_cell *b) INPLA_MAYBE_UNUSED;
INPLA_API inpla_status inplaW_connect(inpla_worker *worker, inpla_cell *a, inpla_cell *b) INPLA_MAYBE_UNUSED;

/* Does this worker own the wire, for certain? */
static inline int inpla_is_own_wire(const inpla_worker *worker, const inpla_cell *wire)
{
#if INPLA_THREADS
    return inpla_head_of(wire) == worker->wire_head;
#else
    (void)worker;
    return inpla_agent_of(wire) == INPLA_WIRE;
#endif
}

/* What becomes of a connection. */
typedef enum { INPLA_WAITS, INPLA_PAIRED, INPLA_UNDECIDED } inpla_meeting;

/*
 * The connection of *a with *b as far as it goes without a call: it waits in a wire; or *a and *b have become an active
 * pair; or what they have become is to be given to inplaW_connect or inplaW_join.
 *
 * Whoever comes second to a wire finds what the first end was connected to, and goes on with that. Coming first is the
 * owner's alone; two wires and interface names are for the slow path.
 */
static inline INPLA_MAYBE_UNUSED inpla_meeting inpla_meet(inpla_worker *worker, inpla_cell **a, inpla_cell **b)
{
    for (;;) {
        if (!inpla_is_wire(*a)) {
            if (!inpla_is_wire(*b))
                return INPLA_PAIRED;
            inpla_cell *const agent = *a;
            *a = *b;
            *b = agent;
        }
        inpla_cell *const wire = *a;
        inpla_cell *const first = inpla_first_of(wire);
        if (inpla_unlikely(inpla_agent_of(wire) != INPLA_WIRE))
            return INPLA_UNDECIDED;
        if (first == NULL) {
            if (inpla_unlikely(!inpla_is_own_wire(worker, wire) || inpla_is_wire(*b)))
                return INPLA_UNDECIDED;
            inpla_set_first(wire, *b);
            return INPLA_WAITS;
        }
        inpla_free(worker, wire, 1);
        *a = first;
    }
}

/* A pair with a number on the right, unless both are. */
static inline inpla_pair inpla_as_pair(inpla_cell *a, inpla_cell *b)
{
    const int is_swapped = inpla_is_number(a);
    const inpla_pair pair = {is_swapped ? b : a, is_swapped ? a : b};
    return pair;
}

/*
 * The connection a ~ b; each is an agent, an end of a wire or, with INPLA_VALUES, a number. Where an active pair comes
 * of it, it is *pair, and the result is 1; the pair's `left` is a number only if both are. Else the result is 0. The net
 * is lost when the heap has no room for a message to another worker.
 */
static inline INPLA_MAYBE_UNUSED int inpla_join(inpla_worker *worker, inpla_cell *a, inpla_cell *b, inpla_pair *pair)
{
    const inpla_meeting meeting = inpla_meet(worker, &a, &b);
    if (meeting == INPLA_WAITS)
        return 0;
    *pair = meeting == INPLA_PAIRED ? inpla_as_pair(a, b) : inplaW_join(worker, a, b);
    return pair->left != NULL;
}

/* The same, and the pair is put on the list of what is to be reduced. INPLA_OK, or INPLA_ERROR_STACK. */
static inline INPLA_MAYBE_UNUSED inpla_status inpla_connect(inpla_worker *worker, inpla_cell *a, inpla_cell *b)
{
    const inpla_meeting meeting = inpla_meet(worker, &a, &b);
    if (meeting == INPLA_WAITS)
        return INPLA_OK;
    if (inpla_unlikely(meeting == INPLA_UNDECIDED))
        return inplaW_connect(worker, a, b);
    const inpla_pair pair = inpla_as_pair(a, b);
    return inpla_push(worker, pair.left, pair.right);
}

#endif
