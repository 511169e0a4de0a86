/*
 * lookup.c - tuples that meet their like; else a wildcard, first of the left agent.
 */
#include "machine/lookup.h"

#include "rules/rule.h"
#include "table/agents.h"

static const code_word *find_wildcard(const language *run, inpla_pair *pair)
{
    const rule *found = agents_get(run, inpla_agent_of(pair->left))->any_rule;
    if (found == NULL) {
        *pair = (inpla_pair){pair->right, pair->left};
        found = agents_get(run, inpla_agent_of(pair->left))->any_rule;
    }
    if (found == NULL)
        *pair = (inpla_pair){pair->right, pair->left};
    return found == NULL ? NULL : found->code + 1;
}

const code_word *lookup_rule(const language *run, inpla_pair *pair)
{
    const uint32_t left = inpla_agent_of(pair->left);
    if (left == inpla_agent_of(pair->right) && agents_is_tuple(run, left))
        return run->rules->unify_code;
    return find_wildcard(run, pair);
}
