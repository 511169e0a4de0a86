/*
 * agents.c - the table of agents. Must not know what rules do.
 */
#include "table/agents.h"

#include <stdlib.h>
#include <string.h>

#include "rules/code.h"
#include "table/array.h"

enum { FIRST_SLOTS = 256, FIRST_RULES = 4, SPARSE_RULES = 64 };

/* An agent of the engine: how scripts write it, or what no script can write; its name in messages; its ports. */
typedef struct {
    const char *text;
    const char *name;
    uint32_t ports;
} builtin_agent;

/* ORDER BUILTIN, ORDER BUILTIN_AGENT */
static const builtin_agent builtin_agents[AGENT_FIRST_USER] = {
    {"Eraser", NULL, 0}, {"Dup", NULL, 2},      {"()", "Tuple", 0},    {"()", NULL, 2}, {"[]", NULL, 0},
    {":", "Cons", 2},    {"Append", NULL, 2},   {"Zip", NULL, 2},      {"ZipC", NULL, 2},  {"_ZipD", NULL, 2},
    {"Map", NULL, 2},    {"Merger", NULL, 1},   {"_MergerP", NULL, 1}, {"_Merged", NULL, 2},
    {"Add", NULL, 2},    {"Sub", NULL, 2},      {"Mul", NULL, 2},      {"Div", NULL, 2},   {"Mod", NULL, 2},
    {"_Add", NULL, 2},   {"_Sub", NULL, 2},     {"_Mul", NULL, 2},     {"_Div", NULL, 2},  {"_Mod", NULL, 2},
    {"%", NULL, 1},
};

/* The rules of an agent that has none: one empty entry, at mask 0. */
static const agent_rule no_rules[1] = {{NULL, NULL, AGENT_NONE}};

const char *agents_name(const language *run, uint32_t number)
{
    const symbol_id id = agents_get(run, number)->symbol;
    const uint32_t named = id == agents_get(run, AGENT_UNIT)->symbol ? AGENT_UNIT : number;
    if (named < AGENT_FIRST_USER && builtin_agents[named].name != NULL)
        return builtin_agents[named].name;
    return symbols_get(&run->symbols, id)->text;
}

/* --- numbers ---------------------------------------------------------------------------------------------------- */

/* The slot of an identifier with this port count, or the empty one where it belongs. */
static uint32_t *find_slot(const agents *table, symbol_id id, uint32_t arity)
{
    uint32_t i = (id * 31 + arity) & (table->slot_count - 1);
    for (; table->slots[i] != 0; i = (i + 1) & (table->slot_count - 1)) {
        const agent_row *found = &table->all[table->slots[i] - 1];
        if (found->symbol == id && found->arity == arity)
            break;
    }
    return &table->slots[i];
}

static int grow_slots(agents *table)
{
    const uint32_t count = table->slot_count == 0 ? FIRST_SLOTS : table->slot_count * 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return 0;
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    for (uint32_t i = 0; i < table->count; i++)
        *find_slot(table, table->all[i].symbol, table->all[i].arity) = i + 1;
    return 1;
}

static uint32_t add(agents *table, symbol_id id, uint32_t arity)
{
    const int is_full = table->count >= table->slot_count / 2;
    if (!ARRAY_RESERVE(table->all, table->room, (size_t)table->count + 1) || (is_full && !grow_slots(table)))
        return AGENT_NONE;
    table->all[table->count] = (agent_row){.with_int = table->no_rule, .with_float = table->no_rule, .rules = no_rules,
                                         .symbol = id, .arity = arity};
    *find_slot(table, id, arity) = table->count + 1;
    return table->count++;
}

uint32_t agents_number(language *run, symbol_id id, uint32_t arity)
{
    const uint32_t slot = *find_slot(run->agents, id, arity);
    return slot != 0 ? slot - 1 : add(run->agents, id, arity);
}

uint32_t agents_tuple(language *run, uint32_t size)
{
    return agents_number(run, agents_get(run, AGENT_UNIT)->symbol, size);
}

uint32_t agents_find_tuple(const language *run, uint32_t size)
{
    return *find_slot(run->agents, agents_get(run, AGENT_UNIT)->symbol, size) - 1;
}

/* The number, and that of the tuple with as many ports: %f needs it. */
static uint32_t number_with_tuple(language *run, symbol_id id, uint32_t arity)
{
    const uint32_t number = agents_number(run, id, arity);
    return arity >= 2 && agents_tuple(run, arity) == AGENT_NONE ? AGENT_NONE : number;
}

uint32_t agents_use(language *run, symbol_id id, uint32_t arity, uint32_t line)
{
    const uint32_t before = symbols_get(&run->symbols, id)->agent;
    const uint32_t old_arity = before == 0 ? arity : agents_get(run, before - 1)->arity;
    (void)line;
    if (before != 0 && old_arity == arity)
        return before - 1;
    const uint32_t number = number_with_tuple(run, id, arity);
    if (number == AGENT_NONE)
        return AGENT_NONE;
    symbols_get(&run->symbols, id)->agent = number + 1;
    if (old_arity != arity)
        fprintf(run->out,
                "Warning: The agent `%s' has been previously defined of arity %u, but is now used of arity %u.\n",
                symbols_get(&run->symbols, id)->text, (unsigned)old_arity, (unsigned)arity);
    return number;
}

/* --- rules ------------------------------------------------------------------------------------------------------ */

/* The entry of `right`, or the empty one where it belongs. */
static agent_rule *find_entry(agent_rule *rules, uint32_t mask, uint32_t right)
{
    uint32_t i = right & mask;
    while (rules[i].right != AGENT_NONE && rules[i].right != right)
        i = (i + 1) & mask;
    return &rules[i];
}

static void free_rules(agent_row *row)
{
    if (row->rules != no_rules)
        free((void *)(uintptr_t)row->rules);
}

static int grow_rules(agent_row *row)
{
    const uint32_t count = row->rules == no_rules ? FIRST_RULES : (row->mask + 1) * 2;
    agent_rule *rules = malloc(count * sizeof *rules);
    if (rules == NULL)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        rules[i] = no_rules[0];
    for (uint32_t i = 0; i <= row->mask; i++)
        if (row->rules[i].right != AGENT_NONE)
            *find_entry(rules, count - 1, row->rules[i].right) = row->rules[i];
    free_rules(row);
    row->rules = rules;
    row->mask = count - 1;
    return 1;
}

static agent_rule *entry_of(const agent_row *row, uint32_t right)
{
    return find_entry((agent_rule *)(uintptr_t)row->rules, row->mask, right);
}

/* The machine looks at one entry only before it searches: small tables grow until it is the right one for all. */
static int is_crowded(const agent_row *row, uint32_t right)
{
    if ((row->rule_count + 1) * 2 > row->mask + 1)
        return 1;
    return row->mask + 1 < SPARSE_RULES && entry_of(row, right) != &row->rules[right & row->mask];
}

int agents_set_rule(language *run, uint32_t left, uint32_t right, const struct rule *rule,
                    const union code_word *start)
{
    agent_row *row = &run->agents->all[left];
    while (is_crowded(row, right))
        if (!grow_rules(row))
            return 0;
    agent_rule *entry = entry_of(row, right);
    row->rule_count += entry->right == AGENT_NONE;
    *entry = (agent_rule){rule, start, right};
    return 1;
}

/* --- the table -------------------------------------------------------------------------------------------------- */

static int add_builtin(language *run, const builtin_agent *added)
{
    const symbol_id id = symbols_intern(&run->symbols, added->text, strlen(added->text));
    const uint32_t number = id == NO_SYMBOL ? AGENT_NONE : agents_number(run, id, added->ports);
    if (number == AGENT_NONE)
        return 0;
    symbols_get(&run->symbols, id)->agent = number + 1;
    return 1;
}

int agents_open(language *run)
{
    agents *opened = calloc(1, sizeof *opened);
    run->agents = opened;
    if (opened == NULL || (opened->no_rule = malloc(sizeof *opened->no_rule)) == NULL || !grow_slots(opened))
        return 0;
    opened->no_rule[0] = machine_word(CODE_NO_RULE);
    for (uint32_t i = 0; i < AGENT_FIRST_USER; i++)
        if (!add_builtin(run, &builtin_agents[i]))
            return 0;
    return 1;
}

void agents_close(language *run)
{
    agents *closed = run->agents;
    if (closed == NULL)
        return;
    for (uint32_t i = 0; i < closed->count; i++)
        free_rules(&closed->all[i]);
    free(closed->all);
    free(closed->slots);
    free(closed->no_rule);
    free(closed);
    run->agents = NULL;
}
