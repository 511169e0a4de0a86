/*
 * net.c - executes a net: its expressions are evaluated, its names checked, then it is built and reduced.
 *
 * Nothing is built before all is checked, so a statement that is refused leaves no trace.
 */
#include <inttypes.h>
#include <time.h>

#include "machine/failure.h"
#include "machine/machine.h"
#include "net/build.h"
#include "net/expression.h"
#include "net/names.h"
#include "net/weak.h"
#include "table/memory.h"

/* --- names ------------------------------------------------------------------------------------------------------ */

/* A wire has two ends. The interface has used one or both of those of its names. */
static outcome check_name(language *run, const local *name, uint32_t line)
{
    const symbol *known = symbols_get(&run->symbols, name->symbol);
    const unsigned used = known->name == NULL ? 0 : names_uses(known->name);
    if (name->occurrences > 2 || (name->occurrences == 2 && used == 1)) {
        language_report(run, line, "ERROR: The name `%s' occurs more than twice.\n", known->text);
        return OUTCOME_FAILED;
    }
    if (name->occurrences != 0 && used == 2) {
        language_report(run, line, "ERROR: `%s' occurs twice already. \n", known->text);
        fprintf(run->out, "Use `ifce' command to see the occurrence.\n");
        return OUTCOME_FAILED;
    }
    return OUTCOME_OK;
}

static outcome check_names(language *run, uint32_t line)
{
    const locals *all = &run->names->locals;
    for (uint32_t i = 0; i < all->count; i++) {
        const outcome result = check_name(run, &all->all[i], line);
        if (result != OUTCOME_OK)
            return result;
    }
    return OUTCOME_OK;
}

static outcome prepare(language *run, statement *net)
{
    outcome result = expression_evaluate(run, net, &net->net.bindings);
    if (result == OUTCOME_OK)
        result = expression_evaluate(run, net, &net->net.connections);
    if (result == OUTCOME_OK)
        result = check_names(run, net->last_line);
    if (result == OUTCOME_OK && !build_net(run, net))
        result = memory_exhausted(run);
    locals_clear(run);
    return result;
}

/* --- reduction -------------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void print_count(const language *run, uint64_t count, double seconds)
{
    if (run->options.is_float)
        return;
    fprintf(run->out, "(%" PRIu64 " interactions", count);
    if (run->options.threads > 1)
        fprintf(run->out, " by %u threads", run->options.threads);
    fprintf(run->out, ", %.2f sec)\n", seconds);
}

static outcome reduce(language *run)
{
    const uint64_t before = inpla_interactions(run->net);
    const double start = now();
    const inpla_status status = run->options.is_weak ? weak_reduce(run) : machine_reduce(run);
    if (status == INPLA_ERROR_NO_RULE) {
        failure_print(run);
        inpla_recover(run->net);
        return OUTCOME_FAILED;
    }
    if (status != INPLA_OK)
        return failure_print_memory(run);
    print_count(run, inpla_interactions(run->net) - before, now() - start);
    return OUTCOME_OK;
}

outcome net_execute(language *run, const statement *net)
{
    statement prepared = *net;
    const outcome result = prepare(run, &prepared);
    return result == OUTCOME_OK ? reduce(run) : result;
}
