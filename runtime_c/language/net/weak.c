/*
 * weak.c - chooses the pairs that the interface asks for.
 *
 * A pair is tested when it comes off the list. One that reaches no name waits, if a wire that it leads to is still
 * open; else nobody will ever ask for it, and it is freed. When the list is empty, those that wait are tested again,
 * from the newest on: as soon as one is asked for it is reduced, with all that comes of it.
 */
#include "net/weak.h"

#include <stdlib.h>
#include <string.h>

#include "command/dispose.h"
#include "machine/machine.h"
#include "net/names.h"
#include "net/walk.h"
#include "table/array.h"

typedef enum { REACHES_NOTHING, REACHES_OPEN_WIRE, REACHES_NAME } reach;

typedef struct {
    language *run;
    inpla_pair *waiting;
    uint32_t count;
    uint32_t room;
    walk todo;
    uint8_t is_exhausted;
} weak_loop;

/* --- what a pair reaches ----------------------------------------------------------------------------------------- */

/* What a connection is; what is behind it is pushed. */
static reach look_at(weak_loop *at, inpla_cell *value)
{
    if (inpla_is_number(value))
        return REACHES_NOTHING;
    if (!inpla_is_wire(value)) {
        at->is_exhausted |= !walk_push_ports(&at->todo, value);
        return REACHES_NOTHING;
    }
    if (names_has(value))
        return REACHES_NAME;
    if (inpla_first_of(value) == NULL)
        return REACHES_OPEN_WIRE;
    at->is_exhausted |= !walk_push(&at->todo, inpla_first_of(value));
    return REACHES_NOTHING;
}

static reach reach_of(weak_loop *at, inpla_pair pair)
{
    reach most = REACHES_NOTHING;
    at->todo.count = 0;
    at->is_exhausted |= !walk_push(&at->todo, pair.left) || !walk_push(&at->todo, pair.right);
    for (inpla_cell *value; most != REACHES_NAME && (value = walk_pop(&at->todo)) != NULL;) {
        const reach found = look_at(at, value);
        most = found > most ? found : most;
    }
    return most;
}

/* --- names at open wires ------------------------------------------------------------------------------------------ */

/* The open private wire that a name leads to, NULL if it leads to anything else. The wires between them are freed. */
static inpla_cell *open_wire_behind(const weak_loop *at, inpla_cell *name)
{
    inpla_cell *value = inpla_first_of(name);
    while (value != NULL && inpla_is_wire(value) && !names_has(value)) {
        inpla_cell *next = inpla_first_of(value);
        if (next == NULL)
            return value;
        inpla_free(at->run->worker, value, 1);
        inpla_set_first(name, next);
        value = next;
    }
    return NULL;
}

/* Where a name leads to an open wire, the wire is made to lead to the name: so who has its other end reaches it.
 * Returns whether there was one. */
static int turn_names(const weak_loop *at)
{
    const symbols *table = &at->run->symbols;
    int has_turned = 0;
    for (symbol_id id = 1; id < table->count; id++) {
        inpla_cell *name = symbols_get(table, id)->name;
        inpla_cell *wire = name == NULL ? NULL : open_wire_behind(at, name);
        if (wire == NULL)
            continue;
        inpla_set_first(wire, name);
        inpla_set_first(name, NULL);
        has_turned = 1;
    }
    return has_turned;
}

/* --- the loop ---------------------------------------------------------------------------------------------------- */

static void wait(weak_loop *at, inpla_pair pair)
{
    if (ARRAY_RESERVE(at->waiting, at->room, (size_t)at->count + 1))
        at->waiting[at->count++] = pair;
    else
        at->is_exhausted = 1;
}

/* Reduces the pair, lets it wait, or frees it. */
static inpla_status see_to(weak_loop *at, inpla_pair pair)
{
    inpla_status status = INPLA_OK;
    switch (reach_of(at, pair)) {
    case REACHES_NAME:
        status = machine_reduce_pair(at->run->worker, pair);
        break;
    case REACHES_OPEN_WIRE:
        wait(at, pair);
        break;
    case REACHES_NOTHING:
        at->is_exhausted |= !at->is_exhausted && !dispose_pair(at->run, pair);
    }
    return at->is_exhausted ? INPLA_ERROR_HEAP : status;
}

static inpla_status reduce_listed(weak_loop *at)
{
    inpla_pair pair;
    inpla_status status = INPLA_OK;
    while (status == INPLA_OK && inpla_next(at->run->worker, &pair))
        status = see_to(at, pair);
    return status;
}

/* Puts the newest pair that is asked for by now on the list, and returns whether there is one. */
static int list_newest(weak_loop *at)
{
    for (uint32_t i = at->count; i-- > 0;) {
        const inpla_pair pair = at->waiting[i];
        if (reach_of(at, pair) == REACHES_OPEN_WIRE)
            continue;
        memmove(&at->waiting[i], &at->waiting[i + 1], (--at->count - i) * sizeof pair);
        at->is_exhausted |= inpla_push(at->run->worker, pair.left, pair.right) != INPLA_OK;
        return 1;
    }
    return 0;
}

/* What waits is on the list between two calls, the newest on top. */
static inpla_status list_waiting(weak_loop *at)
{
    inpla_status status = INPLA_OK;
    for (uint32_t i = 0; status == INPLA_OK && i < at->count; i++)
        status = inpla_push(at->run->worker, at->waiting[i].left, at->waiting[i].right);
    return status;
}

inpla_status weak_reduce(language *run)
{
    weak_loop at = {.run = run};
    inpla_status status;
    do
        status = reduce_listed(&at);
    while (status == INPLA_OK && (list_newest(&at) || turn_names(&at)));
    if (at.is_exhausted)
        status = INPLA_ERROR_HEAP;
    if (status == INPLA_OK)
        status = list_waiting(&at);
    free(at.waiting);
    walk_close(&at.todo);
    return status;
}
