/*
 * machine_parts.h - what the machine's operations do that takes more than a line.
 */
#ifndef INPLA_MACHINE_PARTS_H
#define INPLA_MACHINE_PARTS_H

#include "code.h"
#include "failure.h"
#include "language.h"

/* The connection of anything with an agent or a number. 1: it is an active pair, *pair. As inpla_join. */
static inline int machine_meet(inpla_worker *worker, inpla_cell *any, inpla_cell *known, inpla_pair *pair)
{
    for (;;) {
        if (inpla_is_number(any)) {
            *pair = (inpla_pair){known, any};
            return 1;
        }
        const uintptr_t head = any->head;
        if (inpla_likely((uint32_t)head == INPLA_WIRE)) {
            inpla_cell *const first = inpla_first_of(any);
            if (first == NULL) {
                if (inpla_unlikely(head != worker->wire_head))
                    break;
                inpla_set_first(any, known);
                return 0;
            }
            inpla_free(worker, any, 1);
            any = first;
            continue;
        }
        if (inpla_unlikely((uint32_t)head == INPLA_NAME))
            break;
        *pair = (inpla_pair){any, known};
        return 1;
    }
    *pair = inplaW_join(worker, any, known);
    return pair->left != NULL;
}

/* A register of a port that should be an int, or a float, follows wires. 0: there is no such number; *reason says so. */
int machine_take_int(inpla_worker *worker, inpla_cell **registers, uint32_t place, failure *reason);
int machine_take_real(inpla_worker *worker, inpla_cell **registers, uint32_t place, failure *reason);

/* Calls native function number `number`; NULL: it has failed. */
inpla_cell *machine_call_native(inpla_worker *worker, uint32_t number, inpla_cell *const *registers,
                                const code_word *list, uint32_t count);

#endif
