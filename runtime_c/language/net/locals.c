/*
 * locals.c - the table of a statement's identifiers.
 */
#include "net/locals.h"

#include "net/names.h"
#include "table/array.h"

local *locals_add(language *run, symbol_id id)
{
    locals *table = &run->names->locals;
    symbol *entry = symbols_get(&run->symbols, id);
    if (entry->scratch == 0) {
        if (!ARRAY_RESERVE(table->all, table->room, (size_t)table->count + 1))
            return NULL;
        table->all[table->count++] = (local){.symbol = id};
        entry->scratch = table->count;
    }
    return &table->all[entry->scratch - 1];
}

local *locals_get(language *run, symbol_id id)
{
    return &run->names->locals.all[symbols_get(&run->symbols, id)->scratch - 1];
}

inpla_cell *locals_value(language *run, symbol_id id)
{
    if (symbols_get(&run->symbols, id)->scratch == 0)
        return NULL;
    const local *entry = locals_get(run, id);
    return entry->is_variable ? entry->value : NULL;
}

void locals_clear(language *run)
{
    locals *table = &run->names->locals;
    for (uint32_t i = 0; i < table->count; i++)
        symbols_get(&run->symbols, table->all[i].symbol)->scratch = 0;
    table->count = 0;
}
