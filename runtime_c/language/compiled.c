/*
 * compiled.c - the run of an executable that inpla-cc has made: its agents' numbers, its files, its rules' failures.
 */
#include "compiled.h"

#include <string.h>

#include "agents.h"
#include "number.h"
#include "rule.h"

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

inpla_status compiled_fail(inpla_worker *worker, inpla_cell *left, inpla_cell *right, failure_kind kind, uint32_t number,
                           uint32_t what)
{
    return failure_set(worker, (inpla_pair){left, right}, (failure){kind, what, find_rule(worker->user, number)});
}

inpla_status compiled_fail_native(inpla_worker *worker, inpla_cell *left, inpla_cell *right, uint32_t number,
                                  const char *name)
{
    language *run = worker->user;
    const symbol_id id = symbols_intern(&run->symbols, name, strlen(name));
    return compiled_fail(worker, left, right, FAILURE_NATIVE, number, id);
}

inpla_cell *compiled_follow(inpla_worker *worker, inpla_cell *port)
{
    return inpla_is_number(port) ? port : inpla_follow(worker, port);
}

int64_t compiled_rand(int64_t n)
{
    return number_random(n);
}
