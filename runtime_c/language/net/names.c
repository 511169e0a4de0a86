/*
 * names.c - which names are in the interface, and in which order they are listed.
 */
#include "net/names.h"

#include <stdlib.h>

int names_open(language *run)
{
    run->names = calloc(1, sizeof *run->names);
    return run->names != NULL;
}

void names_close(language *run)
{
    if (run->names == NULL)
        return;
    free(run->names->locals.all);
    free(run->names->terms);
    free(run->names);
    run->names = NULL;
}

/* The word is what the core orders names by: of two that meet, the older one leads to the younger one; those without a
 * symbol are below all others. */
static uintptr_t pack(symbol_id id, unsigned uses, uint32_t number)
{
    return (uintptr_t)(id != NO_SYMBOL) << 63 | (uintptr_t)number << 34 | (uintptr_t)uses << 32 | id;
}

static uint32_t next_number(names *all)
{
    return all->introduced < NAMES_LAST ? all->introduced++ : NAMES_LAST;
}

inpla_cell *names_introduce(language *run, symbol_id id, inpla_cell *bound)
{
    inpla_cell *name = inpla_name(run->worker, pack(id, 1, next_number(run->names)));
    if (name == NULL)
        return NULL;
    inpla_ports(name)[0].cell = bound;
    symbols_get(&run->symbols, id)->name = name;
    run->names->count++;
    return name;
}

static void forget(language *run, symbol_id id)
{
    symbols_get(&run->symbols, id)->name = NULL;
    run->names->count--;
}

void names_remove(language *run, inpla_cell *name)
{
    forget(run, names_symbol(name));
    name->head ^= INPLA_WIRE ^ INPLA_NAME;
}

void names_rename(language *run, inpla_cell *name, symbol_id id)
{
    symbols_get(&run->symbols, names_symbol(name))->name = NULL;
    symbols_get(&run->symbols, id)->name = name;
    inpla_ports(name)[1].i = (inpla_int)pack(id, names_uses(name), next_number(run->names));
}

void names_free_wire(language *run, inpla_cell *wire)
{
    if (names_has(wire))
        forget(run, names_symbol(wire));
    inpla_free(run->worker, wire, 1);
}

uint32_t names_label(language *run, inpla_cell *wire)
{
    if (!inpla_is_name(wire)) {
        wire->head ^= INPLA_WIRE ^ INPLA_NAME;
        inpla_ports(wire)[1].i = (inpla_int)pack(NO_SYMBOL, 0, run->names->labels);
        if (run->names->labels < NAMES_LAST)
            run->names->labels++;
    }
    return names_number(wire);
}

/* Called by the core. */
void inplaR_name_consumed(inpla_worker *worker, inpla_cell *name)
{
    if (names_symbol(name) != NO_SYMBOL)
        forget(worker->user, names_symbol(name));
}

/* --- the order of listing ----------------------------------------------------------------------------------------- */

typedef struct {
    symbol_id id;
    uint32_t number;
    unsigned key;
} listed;

/* The reference's: its hash, whose modulus is that of the table of its dialect. */
static unsigned listing_key(const language *run, const symbol *name)
{
    const unsigned char *text = (const unsigned char *)name->text;
    const unsigned sum = (unsigned)text[0] + text[name->length - 1] + text[(name->length - 1) / 2];
    return sum % (run->options.is_float ? 65535u : 127u);
}

static int compare(const void *left, const void *right)
{
    const listed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->number != b->number)
        return a->number > b->number ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void collect(const language *run, listed *to)
{
    for (symbol_id id = 1; id < run->symbols.count; id++) {
        const symbol *name = symbols_get(&run->symbols, id);
        if (name->name != NULL)
            *to++ = (listed){id, names_number(name->name), listing_key(run, name)};
    }
}

symbol_id *names_list(const language *run)
{
    const size_t count = run->names->count;
    listed *sorted = count == 0 ? NULL : malloc(count * sizeof *sorted);
    symbol_id *list = sorted == NULL ? NULL : malloc(count * sizeof *list);
    if (list != NULL) {
        collect(run, sorted);
        qsort(sorted, count, sizeof *sorted, compare);
        for (size_t i = 0; i < count; i++)
            list[i] = sorted[i].id;
    }
    free(sorted);
    return list;
}
