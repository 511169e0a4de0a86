/*
 * dispose.c - frees nets.
 *
 * A wire between what is freed and what stays gets an Eraser at the freed end. So an open wire that is met is noted,
 * and marked in its port 0: met a second time, both its ends are freed and so is the wire.
 */
#include "command/dispose.h"

#include <stdlib.h>

#include "net/names.h"
#include "net/walk.h"
#include "table/agents.h"
#include "table/memory.h"

#define SEEN_ONCE ((inpla_cell *)(uintptr_t)4) /* neither a cell nor a number */
#define SEEN_TWICE ((inpla_cell *)(uintptr_t)12)

typedef struct {
    language *run;
    walk todo;
    walk open; /* open wires that were met */
} disposal;

/* --- cells ------------------------------------------------------------------------------------------------------ */

static int note_open_wire(disposal *at, inpla_cell *wire)
{
    inpla_ports(wire)[0].cell = SEEN_ONCE;
    return walk_push(&at->open, wire);
}

/* An interface hole that only the freed term has. */
static int is_own_hole(inpla_cell *wire)
{
    return names_has(wire) && names_uses(wire) == 1;
}

static int free_wire_end(disposal *at, inpla_cell *wire)
{
    inpla_cell *next = inpla_ports(wire)[0].cell;
    if (next == SEEN_ONCE) {
        inpla_ports(wire)[0].cell = SEEN_TWICE;
        return 1;
    }
    if (next == NULL && !is_own_hole(wire))
        return note_open_wire(at, wire);
    names_free_wire(at->run, wire);
    return next == NULL || walk_push(&at->todo, next);
}

/* What the two sides of a merger share goes with the second one. */
static int is_left_to_other_side(inpla_cell *value)
{
    inpla_word *sides = &inpla_ports(value)[1];
    if (inpla_agent_of(value) != AGENT_MERGED || inpla_int_of(sides->cell) == 1)
        return 0;
    sides->cell = inpla_of_int(1);
    return 1;
}

static int free_value(disposal *at, inpla_cell *value)
{
    if (inpla_is_number(value))
        return 1;
    if (inpla_is_wire(value))
        return free_wire_end(at, value);
    if (is_left_to_other_side(value))
        return 1;
    const int is_pushed = walk_push_ports(&at->todo, value);
    inpla_free(at->run->worker, value, inpla_port_count(value));
    return is_pushed;
}

/* The interface lets go of its end of a name. */
static int free_name(disposal *at, inpla_cell *name)
{
    inpla_cell *next = inpla_ports(name)[0].cell;
    const int is_held = next == NULL || names_uses(name) == 2; /* by a port: of its own net, if it is cyclic */
    const int is_joined = next == NULL && names_uses(name) == 2;
    if (is_held)
        names_remove(at->run, name);
    if (is_joined)
        return 1;
    if (is_held)
        return note_open_wire(at, name) && (next == NULL || walk_push(&at->todo, next));
    names_free_wire(at->run, name);
    return walk_push(&at->todo, next);
}

static int close_open_wires(disposal *at)
{
    for (inpla_cell *wire; (wire = walk_pop(&at->open)) != NULL;) {
        if (inpla_ports(wire)[0].cell == SEEN_TWICE) {
            names_free_wire(at->run, wire);
            continue;
        }
        inpla_cell *eraser = inpla_new(at->run->worker, INPLA_ERASER, 0);
        inpla_ports(wire)[0].cell = eraser;
        if (eraser == NULL)
            return 0;
    }
    return 1;
}

static int free_all(disposal *at)
{
    int is_well = 1;
    for (inpla_cell *value; is_well && (value = walk_pop(&at->todo)) != NULL;)
        is_well = free_value(at, value);
    return is_well && close_open_wires(at);
}

static int free_net(disposal *at, inpla_cell *name)
{
    return free_name(at, name) && free_all(at);
}

static void close_disposal(disposal *at)
{
    walk_close(&at->todo);
    walk_close(&at->open);
}

int dispose_pair(language *run, inpla_pair pair)
{
    disposal at = {.run = run};
    const int is_well = walk_push(&at.todo, pair.left) && walk_push(&at.todo, pair.right) && free_all(&at);
    close_disposal(&at);
    return is_well;
}

/* --- who refers to whom ----------------------------------------------------------------------------------------- */

/* Notes in `scratch` of the names in the net of `id` that it refers to them, if no other does. */
static int note_references(language *run, walk *todo, symbol_id id)
{
    inpla_cell *value = inpla_ports(symbols_get(&run->symbols, id)->name)[0].cell;
    int is_well = value == NULL || walk_push(todo, value);
    while (is_well && (value = walk_pop(todo)) != NULL) {
        if (inpla_is_number(value))
            continue;
        const symbol_id met = inpla_is_name(value) ? names_symbol(value) : NO_SYMBOL;
        symbol *referred = symbols_get(&run->symbols, met);
        if (met != NO_SYMBOL && met != id && referred->scratch == 0)
            referred->scratch = id;
        else if (met == NO_SYMBOL && inpla_is_wire(value) && inpla_ports(value)[0].cell != NULL)
            is_well = walk_push(todo, inpla_ports(value)[0].cell);
        else if (!inpla_is_wire(value))
            is_well = walk_push_ports(todo, value);
    }
    return is_well;
}

static int note_all_references(language *run, const symbol_id *all, uint32_t count)
{
    walk todo = {0};
    int is_well = 1;
    for (uint32_t i = 0; is_well && i < count; i++)
        is_well = note_references(run, &todo, all[i]);
    walk_close(&todo);
    return is_well;
}

static void forget_references(language *run, const symbol_id *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        symbols_get(&run->symbols, all[i])->scratch = 0;
}

/* --- commands --------------------------------------------------------------------------------------------------- */

static int is_referred_to(const language *run, const symbol *name)
{
    return name->scratch != 0 && symbols_get(&run->symbols, name->scratch)->name != NULL;
}

static outcome free_listed(language *run, const symbol_id *ids, uint32_t count)
{
    disposal at = {.run = run};
    outcome result = OUTCOME_OK;
    for (uint32_t i = 0; i < count && result != OUTCOME_EXIT; i++) {
        const symbol *name = symbols_get(&run->symbols, ids[i]);
        if (name->name != NULL && is_referred_to(run, name)) {
            fprintf(run->out, "Error: `%s' cannot be freed because it is referred to by `%s'.\n", name->text,
                    symbols_get(&run->symbols, name->scratch)->text);
            result = OUTCOME_WARNED;
        } else if (name->name != NULL && !free_net(&at, name->name)) {
            result = memory_exhausted(run);
        }
    }
    close_disposal(&at);
    return result;
}

/* Can a port have an end of one of the names? Where none can, nobody refers to them. */
static int may_be_referred_to(const language *run, const symbol_id *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        inpla_cell *name = symbols_get(&run->symbols, ids[i])->name;
        if (name != NULL && (names_uses(name) == 2 || inpla_ports(name)[0].cell == NULL))
            return 1;
    }
    return 0;
}

outcome dispose_names(language *run, const symbol_id *ids, uint32_t count)
{
    if (!may_be_referred_to(run, ids, count))
        return free_listed(run, ids, count);
    const uint32_t all_count = run->names->count;
    symbol_id *all = names_list(run);
    if (all == NULL || !note_all_references(run, all, all_count)) {
        free(all);
        return memory_exhausted(run);
    }
    const outcome result = free_listed(run, ids, count);
    forget_references(run, all, all_count);
    free(all);
    return result;
}

outcome dispose_interface(language *run)
{
    const uint32_t count = run->names->count;
    symbol_id *all = names_list(run);
    if (count == 0)
        return OUTCOME_OK;
    if (all == NULL)
        return memory_exhausted(run);
    const outcome result = dispose_names(run, all, count);
    free(all);
    return result;
}
