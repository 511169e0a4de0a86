/*
 * rule.c - defines rules: checks, compiles, and enters them into the table of agents.
 */
#include "rules/rule.h"

#include <stdlib.h>

#include "builtin/builtin.h"
#include "executable/compiled.h"
#include "machine/postponed.h"
#include "rules/compiler.h"
#include "rules/disassembler.h"
#include "rules/head.h"
#include "table/agents.h"
#include "table/memory.h"

enum { PAGE = 4096 };

/* --- the list of rules -------------------------------------------------------------------------------------------- */

static rule *new_rule(language *run)
{
    rule *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->next = run->rules->newest;
    made->file = run->file;
    made->line = run->line;
    run->rules->newest = made;
    return made;
}

/* A rule of a C function has code that calls it, in the same two orders as bytecode. */
static int set_call(rule *made, code_operation operation)
{
    code_word *words = malloc(3 * sizeof *words);
    if (words == NULL)
        return 0;
    words[0] = machine_word(CODE_SWAP);
    words[1] = machine_word(operation);
    words[2].rule = made;
    free(made->code);
    made->code = words;
    made->word_count = 3;
    return 1;
}

/* A jump may be about to leave the code. */
const rule *rules_find_code(const language *run, const code_word *at)
{
    const uintptr_t place = (uintptr_t)at;
    const rule *found = run->rules->newest;
    while (found != NULL && (place < (uintptr_t)found->code || place > (uintptr_t)(found->code + found->word_count)))
        found = found->next;
    return found;
}

/* --- the table of agents ------------------------------------------------------------------------------------------ */

/* Integers go to the rule for floats where they have none of their own. */
static void set_number_rule(agent_row *row, const rule *made)
{
    if (made->right == HEAD_INT) {
        row->int_rule = made;
        row->with_int = made->code + 1;
        return;
    }
    row->float_rule = made;
    row->with_float = made->code + 1;
    if (row->int_rule == NULL)
        row->with_int = made->code + 1;
}

static int enter(language *run, const rule *made)
{
    agent_row *row = &run->agents->all[made->left];
    if (made->right == HEAD_ANY)
        row->any_rule = made;
    else if (!head_is_agent(made->right))
        set_number_rule(row, made);
    else
        return agents_set_rule(run, made->left, made->right, made, made->code + 1) &&
               (made->left == made->right || agents_set_rule(run, made->right, made->left, made, made->code));
    return 1;
}

const rule *rules_add_operation(language *run, uint32_t left, uint32_t right, code_operation operation, inpla_rule call)
{
    rule *made = new_rule(run);
    if (made == NULL)
        return NULL;
    made->left = left;
    made->right = right;
    made->compiled = call;
    made->is_builtin = 1;
    return set_call(made, operation) && enter(run, made) ? made : NULL;
}

const rule *rules_add_builtin(language *run, uint32_t left, uint32_t right, inpla_rule call)
{
    return rules_add_operation(run, left, right, CODE_CALL, call);
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

/* Far apart: a processor fetches lines around those that it uses, and each worker writes its registers all the time. */
static inpla_cell **new_registers(uint32_t count)
{
    const size_t bytes = ((size_t)count * sizeof(inpla_cell *) + PAGE - 1) / PAGE * PAGE;
    return aligned_alloc(PAGE, bytes);
}

/* Room for the registers of a rule, of every worker. */
static int reserve_registers(language *run, uint32_t needed)
{
    rules *all = run->rules;
    if (needed <= all->register_count)
        return 1;
    const uint32_t count = needed < UINT32_MAX / 2 ? needed * 2 : needed;
    for (unsigned i = 0; i < run->options.threads; i++) {
        inpla_cell **larger = new_registers(count);
        if (larger == NULL)
            return 0;
        free(all->registers[i]);
        all->registers[i] = larger;
    }
    all->register_count = count;
    return 1;
}

/* --- definition --------------------------------------------------------------------------------------------------- */

/* The function that an executable of inpla-cc has for the rule at hand, or NULL. Functions go on where they can: they are
 * not for the weak strategy, which looks at each pair anew. */
static inpla_rule find_compiled(language *run)
{
    const compiled_program *program = run->options.is_weak ? NULL : run->compiled;
    const uint32_t number = run->rules->met++;
    return program != NULL && number < program->rule_count ? program->rules[number] : NULL;
}

static outcome compile(language *run, const statement *source, rule *made)
{
    compiler *to = run->rules->compiler;
    to->run = run;
    to->source = source;
    to->rule = made;
    to->outcome = OUTCOME_OK;
    to->is_expression_refused = 0;
    to->scope.count = 0;
    const outcome result = head_read_both(to) ? compiler_compile(to) : to->outcome;
    scope_shrink(run, &to->scope, 0);
    return result;
}

outcome rule_define(language *run, const statement *source)
{
    rule *made = new_rule(run);
    if (made == NULL)
        return memory_exhausted(run);
    made->number = run->rules->met;
    made->compiled = find_compiled(run);
    const outcome result = compile(run, source, made);
    if (result == OUTCOME_FAILED)
        return result;
    if (result != OUTCOME_OK || !reserve_registers(run, made->register_count) ||
        (made->compiled != NULL && !set_call(made, CODE_CALL)) || !enter(run, made))
        return memory_exhausted(run);
    if (run->options.prints_code)
        disassemble_rule(run, made);
    return OUTCOME_OK;
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

int rules_open(language *run)
{
    rules *opened = calloc(1, sizeof *opened);
    run->rules = opened;
    if (opened == NULL)
        return 0;
    opened->compiler = calloc(1, sizeof *opened->compiler);
    opened->registers = calloc(run->options.threads, sizeof *opened->registers);
    opened->failures = calloc(run->options.threads, sizeof *opened->failures);
    opened->postponed = postponed_open();
    return opened->compiler != NULL && opened->registers != NULL && opened->failures != NULL &&
           opened->postponed != NULL && reserve_registers(run, CODE_FIRST_PORT) &&
           builtin_add_rules(run);
}

void rules_close(language *run)
{
    rules *closed = run->rules;
    while (closed->newest != NULL) {
        rule *last = closed->newest;
        closed->newest = last->next;
        free(last->code);
        free(last);
    }
    for (unsigned i = 0; closed->registers != NULL && i < run->options.threads; i++)
        free(closed->registers[i]);
    free(closed->registers);
    free(closed->failures);
    postponed_close(closed->postponed);
    if (closed->compiler != NULL)
        compiler_close(closed->compiler);
    free(closed->compiler);
    free(closed);
    run->rules = NULL;
}
