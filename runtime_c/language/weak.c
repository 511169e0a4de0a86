/*
 * weak.c - chooses the pairs that the interface asks for.
 *
 * A pair is tested when it comes off the list. One that reaches no name waits; when the list is empty and something has
 * been reduced meanwhile, all that wait are tested again.
 */
#include "weak.h"

#include <stdlib.h>

#include "array.h"
#include "machine.h"
#include "names.h"
#include "walk.h"

typedef struct {
    language *run;
    inpla_pair *waiting;
    uint32_t count;
    uint32_t room;
    walk todo;
    uint8_t is_exhausted;
    uint8_t has_changed; /* since the waiting pairs were tested */
} weak_loop;

/* --- what a pair reaches ----------------------------------------------------------------------------------------- */

/* Pushes what is behind a connection; 1: it is an interface name. */
static int look_behind(weak_loop *at, inpla_cell *value)
{
    int is_well = 1;
    if (inpla_is_number(value))
        return 0;
    if (!inpla_is_wire(value))
        is_well = walk_push_ports(&at->todo, value);
    else if (names_has(value))
        return 1;
    else if (inpla_ports(value)[0].cell != NULL)
        is_well = walk_push(&at->todo, inpla_ports(value)[0].cell);
    at->is_exhausted |= !is_well;
    return 0;
}

static int reaches_name(weak_loop *at, inpla_pair pair)
{
    int is_reached = look_behind(at, pair.left) || look_behind(at, pair.right);
    for (inpla_cell *value; !is_reached && (value = walk_pop(&at->todo)) != NULL;)
        is_reached = look_behind(at, value);
    at->todo.count = 0;
    return is_reached;
}

/* The open private wire that a name leads to, NULL if it leads to anything else. The wires between them are freed. */
static inpla_cell *open_wire_behind(const weak_loop *at, inpla_cell *name)
{
    inpla_cell *value = inpla_ports(name)[0].cell;
    while (value != NULL && inpla_is_wire(value) && !names_has(value)) {
        inpla_cell *next = inpla_ports(value)[0].cell;
        if (next == NULL)
            return value;
        inpla_free(at->run->worker, value, 1);
        inpla_ports(name)[0].cell = value = next;
    }
    return NULL;
}

/* Where a name leads to an open wire, the wire is made to lead to the name: so who has its other end reaches it. */
static void turn_names(weak_loop *at)
{
    const symbols *table = &at->run->symbols;
    for (symbol_id id = 1; id < table->count; id++) {
        inpla_cell *name = symbols_get(table, id)->name;
        inpla_cell *wire = name == NULL ? NULL : open_wire_behind(at, name);
        if (wire == NULL)
            continue;
        inpla_ports(wire)[0].cell = name;
        inpla_ports(name)[0].cell = NULL;
        at->has_changed = 1;
    }
}

/* --- the loop ---------------------------------------------------------------------------------------------------- */

static void wait(weak_loop *at, inpla_pair pair)
{
    if (ARRAY_RESERVE(at->waiting, at->room, (size_t)at->count + 1))
        at->waiting[at->count++] = pair;
    else
        at->is_exhausted = 1;
}

/* Goes through the list; what waits then was not reached when it was tested. */
static inpla_status reduce_listed(weak_loop *at)
{
    inpla_pair pair;
    inpla_status status = INPLA_OK;
    while (status == INPLA_OK && inpla_next(at->run->worker, &pair)) {
        if (reaches_name(at, pair)) {
            at->has_changed = 1;
            status = machine_reduce_pair(at->run->worker, pair);
        } else {
            wait(at, pair);
        }
        if (at->is_exhausted)
            status = INPLA_ERROR_HEAP;
    }
    return status;
}

/* Puts the pairs that wait back on the list. */
static inpla_status list_waiting(weak_loop *at)
{
    inpla_status status = INPLA_OK;
    while (status == INPLA_OK && at->count != 0) {
        const inpla_pair pair = at->waiting[--at->count];
        status = inpla_push(at->run->worker, pair.left, pair.right);
    }
    return status;
}

inpla_status weak_reduce(language *run)
{
    weak_loop at = {.run = run};
    inpla_status status;
    do {
        at.has_changed = 0;
        status = reduce_listed(&at);
        if (status == INPLA_OK)
            turn_names(&at);
        if (status == INPLA_OK)
            status = list_waiting(&at);
    } while (status == INPLA_OK && at.has_changed);
    free(at.waiting);
    walk_close(&at.todo);
    return status;
}
