/*
 * lookup.c - a rule of the table for exactly this pair, of a user or built in; else a built-in rule for any partner;
 * else a wildcard, first of the left agent.
 */
#include "lookup.h"

#include "agents.h"
#include "rule.h"

static int is_eraser_or_dup(uint32_t agent)
{
    return agent < INPLA_BUILTIN_COUNT;
}

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
    const uint32_t left = inpla_agent_of(pair->left), right = inpla_agent_of(pair->right);
    const agent_rule *entry = agents_find_rule(agents_get(run, left), right);
    if (entry != NULL)
        return entry->code;
    if (is_eraser_or_dup(left) || is_eraser_or_dup(right))
        return run->rules->core_code;
    if (left == right && agents_is_tuple(run, left))
        return run->rules->unify_code;
    return find_wildcard(run, pair);
}
