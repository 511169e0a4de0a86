/*
 * command.c - the statements that print, list and free, and those about constants and memory.
 */
#include <stdlib.h>

#include "command/dispose.h"
#include "command/print.h"
#include "net/expression.h"
#include "net/names.h"
#include "net/walk.h"
#include "table/agents.h"
#include "table/memory.h"

/* --- printing --------------------------------------------------------------------------------------------------- */

static outcome print_names(language *run, const statement *command)
{
    for (uint32_t i = 0; i < command->name_count; i++) {
        if (i != 0)
            fputc(' ', run->out);
        if (!print_name(run, command->names[i]))
            return memory_exhausted(run);
    }
    fputc('\n', run->out);
    return OUTCOME_OK;
}

static int list_names(language *run, const symbol_id *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fprintf(run->out, "%s ", symbols_get(&run->symbols, all[i])->text);
    fprintf(run->out, "\n\nConnections:\n");
    for (uint32_t i = 0; i < count; i++) {
        fprintf(run->out, "%s ->", symbols_get(&run->symbols, all[i])->text);
        if (!print_listed(run, all[i]))
            return 0;
        fputc('\n', run->out);
    }
    fputc('\n', run->out);
    return 1;
}

static outcome list_interface(language *run)
{
    if (run->names->count == 0) {
        fprintf(run->out, "<NO-INTERFACE>\n");
        return OUTCOME_OK;
    }
    symbol_id *all = names_list(run);
    const int is_whole = all != NULL && list_names(run, all, run->names->count);
    free(all);
    return is_whole ? OUTCOME_OK : memory_exhausted(run);
}

/* --- unary numbers ---------------------------------------------------------------------------------------------- */

/* What a connection leads to: an agent, a number, an open wire, or `root` again. */
static inpla_cell *look_through(inpla_cell *value, const inpla_cell *root)
{
    while (inpla_is_wire(value) && value != root && inpla_ports(value)[0].cell != NULL)
        value = inpla_ports(value)[0].cell;
    return value;
}

static int is_agent(const language *run, inpla_cell *value, const char *name, unsigned ports)
{
    if (inpla_is_number(value) || inpla_is_wire(value) || inpla_port_count(value) != ports)
        return 0;
    const char *text = symbols_get(&run->symbols, agents_get(run, inpla_agent_of(value))->symbol)->text;
    return text[0] == name[0] && text[1] == 0;
}

/* Of S(S(Z)) or the like; -1: it is none. */
static int64_t unary_number(const language *run, inpla_cell *value, const inpla_cell *root)
{
    int64_t number = 0;
    for (; is_agent(run, value, "S", 1); number++)
        value = look_through(inpla_ports(value)[0].cell, root);
    return is_agent(run, value, "Z", 0) ? number : -1;
}

static outcome print_unary(language *run, symbol_id id)
{
    inpla_cell *name = symbols_get(&run->symbols, id)->name;
    inpla_cell *value = name == NULL ? NULL : inpla_first_of(name);
    if (value != NULL)
        value = look_through(value, name);
    if (value == NULL || inpla_is_wire(value)) {
        fprintf(run->out, name == NULL ? "<NOT-DEFINED>\n" : "<EMPTY>\n");
        return OUTCOME_OK;
    }
    const int64_t number = unary_number(run, value, name);
    if (number < 0) {
        fprintf(run->out, "ERROR: it is not unary number.\n");
        return OUTCOME_FAILED;
    }
    fprintf(run->out, "%lld\n", (long long)number);
    return OUTCOME_OK;
}

/* --- constants, memory ------------------------------------------------------------------------------------------- */

static outcome bind_constant(language *run, const statement *command)
{
    symbol *constant = symbols_get(&run->symbols, command->names[0]);
    if (constant->value == NULL) {
        constant->value = expression_number(&command->nodes[0]);
        return OUTCOME_OK;
    }
    fprintf(run->out, "`%s' has been already bound to a value `", constant->text);
    print_number(run, constant->value);
    fprintf(run->out, "' as immutable.\n\n");
    return OUTCOME_WARNED;
}

/* Wires in the net of a name, which other names' nets have no part in; ends of open ones count for half. */
static int count_half_wires(walk *todo, inpla_cell *name, size_t *halves)
{
    inpla_cell *value = inpla_ports(name)[0].cell;
    int is_well = value == NULL || walk_push(todo, value);
    while (is_well && (value = walk_pop(todo)) != NULL) {
        if (inpla_is_number(value))
            continue;
        if (!inpla_is_wire(value)) {
            is_well = walk_push_ports(todo, value);
        } else if (!names_has(value)) {
            inpla_cell *next = inpla_ports(value)[0].cell;
            *halves += next == NULL ? 1 : 2;
            is_well = next == NULL || walk_push(todo, next);
        }
    }
    return is_well;
}

static outcome print_memory(language *run)
{
    inpla_statistics statistics;
    walk todo = {0};
    size_t halves = 0;
    int is_well = 1;
    for (symbol_id id = 1; is_well && id < run->symbols.count; id++) {
        inpla_cell *name = symbols_get(&run->symbols, id)->name;
        is_well = name == NULL || count_half_wires(&todo, name, &halves);
    }
    walk_close(&todo);
    if (!is_well)
        return memory_exhausted(run);
    inpla_get_statistics(run->net, &statistics);
    const size_t wires = run->names->count + (halves + 1) / 2;
    fprintf(run->out, "Using %zu agent nodes and %zu name nodes.\n\n", statistics.live_cells - wires, wires);
    return OUTCOME_OK;
}

outcome command_execute(language *run, const statement *command)
{
    switch (command->kind) {
    case STATEMENT_PRINT:
        return print_names(run, command);
    case STATEMENT_FREE:
        return dispose_names(run, command->names, command->name_count);
    case STATEMENT_FREE_INTERFACE:
        return dispose_interface(run);
    case STATEMENT_INTERFACE:
        return list_interface(run);
    case STATEMENT_PRNAT:
        return print_unary(run, command->names[0]);
    case STATEMENT_CONST:
        return bind_constant(run, command);
    case STATEMENT_MEMSTAT:
        return print_memory(run);
    case STATEMENT_EXIT:
        return OUTCOME_EXIT;
    default:
        return OUTCOME_OK;
    }
}
