/*
 * failure.c - failures as text.
 */
#include "machine/failure.h"

#include "command/print.h"
#include "rules/head.h"
#include "rules/rule.h"
#include "syntax/input.h"
#include "table/agents.h"
#include "table/memory.h"

/* --- from the machine to the core --------------------------------------------------------------------------------- */

/* Each worker has one of its own, as each may fail; the core keeps the address of the first one's. */
static failure *failure_of(inpla_worker *worker)
{
    language *run = worker->user;
    return &run->rules->failures[worker->number];
}

inpla_status failure_set(inpla_worker *worker, inpla_pair pair, failure reason)
{
    failure *kept = failure_of(worker);
    *kept = reason;
    const inpla_status status = reason.kind == FAILURE_MEMORY ? INPLA_ERROR_HEAP : INPLA_ERROR_NO_RULE;
    return inpla_fail(worker, (inpla_failed){status, pair.left, pair.right, (uintptr_t)kept});
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static void print_pair(language *run, const inpla_failed *failed)
{
    print_value(run, failed->left);
    fputc('~', run->out);
    print_value(run, failed->right);
    fputc('\n', run->out);
}

static void print_no_rule(language *run, const inpla_failed *failed)
{
    fputs("Runtime Error: There is no interaction rule for the following pair:\n", run->out);
    if (inpla_is_number(failed->right))
        fputs("  ", run->out);
    print_pair(run, failed);
}

static void print_numbers(language *run, const inpla_failed *failed)
{
    const int is_int = inpla_is_int(failed->left) && inpla_is_int(failed->right);
    fputs("Runtime ERROR: ", run->out);
    print_pair(run, failed);
    fputs(is_int ? "Integer " : "Float ", run->out);
    print_value(run, failed->left);
    fputs(" >< ", run->out);
    print_value(run, failed->right);
    fputs(" can not be used as an active pair\n", run->out);
}

static void print_no_ports(language *run, const inpla_failed *failed)
{
    const symbol_id id = (symbol_id)inpla_int_of(inpla_ports(failed->left)[0].cell);
    fprintf(run->out, "Runtime error: `%s' has no arity.\n", symbols_get(&run->symbols, id)->text);
    print_pair(run, failed);
}

static const char *native_name(const language *run, const failure *what)
{
    return symbols_get(&run->symbols, what->what)->text;
}

/* What is wrong with a port. The ports of the right agent are counted on from those of the left one. */
static void print_port(language *run, const failure *what)
{
    const uint32_t arity = agents_get(run, what->rule->left)->arity;
    const int is_left = what->what < arity;
    const char *name = head_name(run, is_left ? what->rule->left : what->rule->right);
    fprintf(run->out, "port %u of %s holds no %s", (unsigned)(is_left ? what->what : what->what - arity) + 1, name,
            what->kind == FAILURE_INT ? "integer" : "number");
}

/* Built-in rules have none: the statement's, whose net is being reduced. */
static void print_place(language *run, const rule *failed)
{
    const char *file = run->file;
    if (!failed->is_builtin)
        run->file = failed->file;
    language_report(run, failed->is_builtin ? run->line : failed->line, "ERROR: ");
    run->file = file;
}

static void print_in_rule(language *run, const failure *what)
{
    print_place(run, what->rule);
    if (what->kind == FAILURE_MEMORY)
        fputs("Memory is exhausted", run->out);
    else if (what->kind == FAILURE_DIVISION)
        fputs("division by zero", run->out);
    else if (what->kind == FAILURE_NATIVE)
        fprintf(run->out, "the native function `%s' is unknown or has failed", native_name(run, what));
    else
        print_port(run, what);
    fputs(" in the rule ", run->out);
    head_print(run, what->rule);
    fputs(".\n", run->out);
}

static void print_in_agent(language *run, const failure *what, const inpla_failed *failed)
{
    language_report(run, run->line, "ERROR: %s in ", what->kind == FAILURE_DIVISION ? "division by zero" : "no number");
    print_pair(run, failed);
}

/* The reference's words name no line: it follows on standard error. At the keyboard it is the one that was typed; hosts
 * with a stream of their own get the reference's words alone. */
static void print_line(language *run)
{
    if (run->out != stdout || run->input->is_terminal)
        return;
    fflush(run->out);
    fprintf(stderr, "%s%s%u: the pair is one of the net of this statement.\n", run->file == NULL ? "" : run->file,
            run->file == NULL ? "" : ":", (unsigned)run->line);
}

static void print_in_words_of_reference(language *run, failure_kind kind, const inpla_failed *failed)
{
    if (kind == FAILURE_NO_RULE)
        print_no_rule(run, failed);
    else if (kind == FAILURE_NUMBERS)
        print_numbers(run, failed);
    else
        print_no_ports(run, failed);
    print_line(run);
}

void failure_print(language *run)
{
    const inpla_failed failed = inpla_get_failed(run->net);
    const failure *what = (const failure *)failed.detail;
    if (what->kind < FAILURE_DIVISION)
        print_in_words_of_reference(run, what->kind, &failed);
    else if (what->rule != NULL)
        print_in_rule(run, what);
    else
        print_in_agent(run, what, &failed);
}

outcome failure_print_memory(language *run)
{
    const inpla_failed failed = inpla_get_failed(run->net);
    const failure *what = failed.status == INPLA_OK ? NULL : (const failure *)failed.detail;
    if (what == NULL || (what->rule == NULL && what->agents[0] == what->agents[1]))
        return memory_exhausted(run);
    if (what->rule != NULL)
        print_in_rule(run, what);
    else
        language_report(run, run->line, "ERROR: Memory is exhausted in the pair %s >< %s.\n",
                        head_name(run, what->agents[0]), head_name(run, what->agents[1]));
    run->status = 1;
    return OUTCOME_EXIT;
}
