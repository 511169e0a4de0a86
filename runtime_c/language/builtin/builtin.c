/*
 * builtin.c - the table of built-in rules; agents that meet their like.
 */
#include "builtin/builtin.h"

#include "rules/rule.h"
#include "table/agents.h"

int builtin_add_table(language *run, const builtin_rule *table, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (rules_add_builtin(run, table[i].left, table[i].right, table[i].call) == NULL)
            return 0;
    return 1;
}

inpla_status builtin_unify(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    const unsigned ports = inpla_port_count(left);
    inpla_status status = INPLA_OK;
    for (unsigned i = 0; status == INPLA_OK && i < ports; i++)
        status = inpla_connect(worker, inpla_ports(left)[i].cell, inpla_ports(right)[i].cell);
    inpla_free(worker, left, ports);
    inpla_free(worker, right, ports);
    return status;
}

int builtin_add_rules(language *run)
{
    static const builtin_rule table[] = {
        {INPLA_ERASER, HEAD_INT, inpla_builtin_rule}, {INPLA_ERASER, HEAD_REAL, inpla_builtin_rule},
        {INPLA_DUP, HEAD_INT, inpla_builtin_rule},    {INPLA_DUP, HEAD_REAL, inpla_builtin_rule},
        {AGENT_NIL, AGENT_NIL, builtin_unify},        {AGENT_PAIR, AGENT_PAIR, builtin_unify}};
    const rule *unify = rules_add_builtin(run, AGENT_CONS, AGENT_CONS, builtin_unify);
    if (unify == NULL)
        return 0;
    run->rules->unify_code = unify->code + 1; /* for tuples of every size */
    return builtin_add_table(run, table, sizeof table / sizeof table[0]) && builtin_add_list_rules(run) &&
           builtin_add_merger_rules(run) && builtin_add_function_rules(run) && builtin_add_number_rules(run);
}
