/*
 * scope.c - variables of a rule by symbol.
 */
#include "rules/scope.h"

#include "table/array.h"

variable *scope_add(language *run, scope *in, symbol_id id, variable_kind kind)
{
    if (!ARRAY_RESERVE(in->all, in->room, (size_t)in->count + 1))
        return NULL;
    variable *added = &in->all[in->count++];
    symbol *of = symbols_get(&run->symbols, id);
    *added = (variable){.symbol = id, .kind = (uint8_t)kind, .place = NO_REGISTER, .hidden = of->scratch};
    of->scratch = in->count;
    return added;
}

variable *scope_find(language *run, const scope *in, symbol_id id)
{
    const uint32_t scratch = symbols_get(&run->symbols, id)->scratch;
    return scratch == 0 ? NULL : &in->all[scratch - 1];
}

void scope_shrink(language *run, scope *in, uint32_t count)
{
    while (in->count > count) {
        const variable *last = &in->all[--in->count];
        symbols_get(&run->symbols, last->symbol)->scratch = last->hidden;
    }
}

void scope_begin_branch(scope *in)
{
    for (uint32_t i = 0; i < in->count; i++) {
        in->all[i].uses = 0;
        in->all[i].is_operand = in->all[i].is_guarded;
    }
}

void scope_end_guard(scope *in)
{
    for (uint32_t i = 0; i < in->count; i++)
        in->all[i].is_guarded |= in->all[i].is_operand;
}
