/*
 * compiled.c - the run of an executable that inpla-cc has made: its agents' numbers, its files, its rules' failures.
 */
#include "executable/compiled.h"

#include <string.h>

#include "machine/postponed.h"
#include "number/number.h"
#include "rules/rule.h"
#include "table/agents.h"

const compiled_file *compiled_find_file(const compiled_program *program, const char *name)
{
    for (uint32_t i = 0; i < program->file_count; i++)
        if (strcmp(program->files[i].name, name) == 0)
            return &program->files[i];
    return NULL;
}

int compiled_open(language *run)
{
    for (uint32_t i = 0; i < run->compiled->agent_count; i++) {
        const compiled_agent *added = &run->compiled->agents[i];
        const symbol_id id = symbols_intern(&run->symbols, added->name, strlen(added->name));
        if (id == NO_SYMBOL || agents_number(run, id, added->ports) == AGENT_NONE)
            return 0;
    }
    return 1;
}

/* The rule at this place of the program. It has been defined, as it is being executed. */
static const rule *find_rule(const language *run, uint32_t number)
{
    const rule *found = run->rules->newest;
    while (found->is_builtin || found->number != number)
        found = found->next;
    return found;
}

/* What is in port `what` of a pair, counted in the order of the rule's heads. */
static inpla_cell *port_of(const rule *failed, inpla_pair pair, uint32_t what)
{
    const int is_exchanged = inpla_agent_of(pair.left) != failed->left;
    inpla_cell *const first = is_exchanged ? pair.right : pair.left;
    inpla_cell *const second = is_exchanged ? pair.left : pair.right;
    const uint32_t ports = inpla_port_count(first);
    return what < ports ? inpla_ports(first)[what].cell : inpla_ports(second)[what - ports].cell;
}

/* Of a pair that has not been changed: does it lack a number that may come? Then it waits, and does not count. */
static int is_postponed(inpla_worker *worker, inpla_pair pair, failure reason)
{
    if (pair.left == NULL || (reason.kind != FAILURE_INT && reason.kind != FAILURE_FLOAT) ||
        !postponed_may_come(worker, port_of(reason.rule, pair, reason.what), reason.kind) ||
        !postponed_add(worker, pair, reason))
        return 0;
    worker->interactions--;
    return 1;
}

inpla_status compiled_fail(inpla_worker *worker, inpla_cell *left, inpla_cell *right, failure_kind kind,
                           uint32_t number, uint32_t what)
{
    const inpla_pair pair = {left, right};
    const failure reason = {.kind = kind, .what = what, .rule = find_rule(worker->user, number)};
    return is_postponed(worker, pair, reason) ? INPLA_OK : failure_set(worker, pair, reason);
}

inpla_status compiled_fail_native(inpla_worker *worker, inpla_cell *left, inpla_cell *right, uint32_t number,
                                  const char *name)
{
    language *run = worker->user;
    const symbol_id id = symbols_intern(&run->symbols, name, strlen(name));
    return compiled_fail(worker, left, right, FAILURE_NATIVE, number, id);
}

inpla_cell *compiled_follow(inpla_worker *worker, inpla_cell **port)
{
    inpla_cell *value = inpla_is_number(*port) ? *port : inpla_follow(worker, *port);
    if (value != NULL)
        *port = value;
    return value;
}

int64_t compiled_rand(int64_t n)
{
    return number_random(n);
}
