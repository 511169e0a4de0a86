/*
 * machine_parts.h - what the machine's operations do that takes more than a line.
 */
#ifndef INPLA_MACHINE_PARTS_H
#define INPLA_MACHINE_PARTS_H

#include "machine/failure.h"
#include "rules/code.h"
#include "run/language.h"
#include "table/agents.h"

/* The code of the rule for exactly this pair of agents, NULL if the table has none. */
static inline const code_word *machine_find(const agent_row *rows, const inpla_cell *left, const inpla_cell *right)
{
    const agent_rule *found = agents_find_rule(&rows[inpla_agent_of(left)], inpla_agent_of(right));
    return found == NULL ? NULL : found->code;
}

/* A small cell of the pair becomes a wire. */
static inline inpla_cell *machine_make_wire(const inpla_worker *worker, inpla_cell *cell)
{
    cell->head = worker->wire_head;
    inpla_ports(cell)[0].cell = NULL;
    return cell;
}

/* The connection of anything with an agent. 1: it is an active pair, *pair. As inpla_join. */
static inline int machine_meet(inpla_worker *worker, inpla_cell *any, inpla_cell *agent, inpla_pair *pair)
{
    while (!inpla_is_number(any)) {
        inpla_cell *const first = inpla_first_of(any);
        const uintptr_t head = inpla_head_of(any);
        if (inpla_likely((uint32_t)head < INPLA_NAME)) {
            *pair = (inpla_pair){any, agent};
            return 1;
        }
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
        inpla_cell *const first = inpla_first_of(any);
        const uintptr_t head = inpla_head_of(any);
        if (inpla_likely((uint32_t)head < INPLA_NAME))
            break;
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

/* A register of a port that should be an int, or a float, follows wires. 0: there is no such number; *reason says
 * so. */
int machine_take_int(inpla_worker *worker, inpla_cell **registers, uint32_t place, failure *reason);
int machine_take_real(inpla_worker *worker, inpla_cell **registers, uint32_t place, failure *reason);

/* The pair of registers CODE_LEFT and CODE_RIGHT lacks a number: it waits, if that may be on its way. 0: it is not. */
int machine_postpone(inpla_worker *worker, inpla_cell *const *registers, failure reason);

/* Calls native function number `number`; NULL: it has failed. */
inpla_cell *machine_call_native(inpla_worker *worker, uint32_t number, inpla_cell *const *registers,
                                const code_word *list, uint32_t count);

#endif
