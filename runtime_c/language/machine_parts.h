/*
 * machine_parts.h - what the machine's operations do that takes more than a line.
 */
#ifndef INPLA_MACHINE_PARTS_H
#define INPLA_MACHINE_PARTS_H

#include "code.h"
#include "failure.h"
#include "language.h"

/* The connection of anything with an agent. 1: it is an active pair, *pair. As inpla_join. */
static inline int machine_meet(inpla_worker *worker, inpla_cell *any, inpla_cell *agent, inpla_pair *pair)
{
    while (!inpla_is_number(any)) {
        const uintptr_t head = any->head;
        if (inpla_likely((uint32_t)head < INPLA_NAME)) {
            *pair = (inpla_pair){any, agent};
            return 1;
        }
        inpla_cell *const first = inpla_first_of(any);
        if (head == worker->wire_head && first == NULL) {
            inpla_set_first(any, agent);
            return 0;
        }
        if (inpla_unlikely(first == NULL || (uint32_t)head != INPLA_WIRE)) {
            *pair = inplaW_join(worker, any, agent);
            return pair->left != NULL;
        }
        inpla_free(worker, any, 1);
        any = first;
    }
    *pair = (inpla_pair){agent, any};
    return 1;
}

/* The connection of anything with a number. Returns the agent that it meets, or the other number; else NULL. */
static inline inpla_cell *machine_meet_number(inpla_worker *worker, inpla_cell *any, inpla_cell *number)
{
    while (!inpla_is_number(any)) {
        const uintptr_t head = any->head;
        if (inpla_likely((uint32_t)head < INPLA_NAME))
            break;
        inpla_cell *const first = inpla_first_of(any);
        if (head == worker->wire_head && first == NULL) {
            inpla_set_first(any, number);
            return NULL;
        }
        if (inpla_unlikely(first == NULL || (uint32_t)head != INPLA_WIRE))
            return inplaW_join(worker, any, number).left;
        inpla_free(worker, any, 1);
        any = first;
    }
    return any;
}

/* Is it a wire that this worker may build an agent in, as its first end is connected to the new agent now? */
static inline int machine_may_become(const inpla_worker *worker, inpla_cell *wire)
{
    return !inpla_is_number(wire) && wire->head == worker->wire_head && inpla_ports(wire)[0].cell == NULL &&
           !worker->sharing;
}

/* Where a connection leads to over wires, which are freed; the last wire if nothing is at its other end yet. */
static inline inpla_cell *machine_partner(inpla_worker *worker, inpla_cell *any)
{
    while (!inpla_is_number(any) && (uint32_t)any->head == INPLA_WIRE) {
        inpla_cell *const first = inpla_first_of(any);
        if (first == NULL)
            break;
        inpla_free(worker, any, 1);
        any = first;
    }
    return any;
}

/* A register of a port that should be an int, or a float, follows wires. 0: there is no such number; *reason says so. */
int machine_take_int(inpla_worker *worker, inpla_cell **registers, uint32_t place, failure *reason);
int machine_take_real(inpla_worker *worker, inpla_cell **registers, uint32_t place, failure *reason);

/* Calls native function number `number`; NULL: it has failed. */
inpla_cell *machine_call_native(inpla_worker *worker, uint32_t number, inpla_cell *const *registers,
                                const code_word *list, uint32_t count);

#endif
