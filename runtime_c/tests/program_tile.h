/*
 * program_tile.h - a program compiled by hand: tasks that wait for tokens, as in a tile translation.
 *
 * A worked example of rules against inpla_rule.h. The script it stands for:
 *
 *   Task(r, int t)       >< Ready(int e) | e != 0 => r ~ Ready(e) | _ => r ~ Ready(x) where x = task(t);
 *   Join(r, other)       >< Ready(int e) => other ~ Joined(r, e);
 *   Joined(r, int e)     >< Ready(int f) | e != 0 => r ~ Ready(e) | _ => r ~ Ready(f);
 */
#ifndef PROGRAM_TILE_H
#define PROGRAM_TILE_H

#include "inpla_rule.h"

enum tile_agent { READY = INPLA_BUILTIN_COUNT, TASK, JOIN, JOINED, TILE_AGENTS };

static const inpla_agent tile_agents[TILE_AGENTS] = {
    {"Eraser", ""}, {"Dup", "ww"}, {"Ready", "i"}, {"Task", "wi"}, {"Join", "ww"}, {"Joined", "wi"},
};

/* What the host hands to inpla_open for this program: returns 0 or an error code of the task. */
typedef struct {
    inpla_int (*run)(void *data, inpla_int task);
    void *data;
} tile_user;

static inpla_int native_task(void *user, inpla_int task)
{
    const tile_user *tile = (const tile_user *)user;
    return tile->run(tile->data, task);
}

static inpla_status rule_task_ready(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = inpla_ports(left)[0].cell;
    const inpla_int t = inpla_ports(left)[1].i;
    const inpla_int e = inpla_ports(right)[0].i;
    if (e != 0) {
        inpla_free(worker, left, 2);
        inpla_cell *ready = inpla_reuse(right, READY, 1);
        inpla_ports(ready)[0].i = e;
        return inpla_connect(worker, r, ready);
    }
    const inpla_int x = native_task(inpla_user(worker), t);
    inpla_free(worker, left, 2);
    inpla_cell *ready = inpla_reuse(right, READY, 1);
    inpla_ports(ready)[0].i = x;
    return inpla_connect(worker, r, ready);
}

static inpla_status rule_join_ready(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = inpla_ports(left)[0].cell;
    inpla_cell *other = inpla_ports(left)[1].cell;
    const inpla_int e = inpla_ports(right)[0].i;
    inpla_free(worker, right, 1);
    inpla_cell *joined = inpla_reuse(left, JOINED, 2);
    inpla_ports(joined)[0].cell = r;
    inpla_ports(joined)[1].i = e;
    return inpla_connect(worker, other, joined);
}

static inpla_status rule_joined_ready(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = inpla_ports(left)[0].cell;
    const inpla_int e = inpla_ports(left)[1].i;
    const inpla_int f = inpla_ports(right)[0].i;
    inpla_free(worker, left, 2);
    inpla_cell *ready = inpla_reuse(right, READY, 1);
    if (e != 0) {
        inpla_ports(ready)[0].i = e;
        return inpla_connect(worker, r, ready);
    }
    inpla_ports(ready)[0].i = f;
    return inpla_connect(worker, r, ready);
}

enum { TILE_RULES = 3 };

static const inpla_rule_entry tile_rules[TILE_RULES] = {
    {TASK, READY, rule_task_ready},
    {JOIN, READY, rule_join_ready},
    {JOINED, READY, rule_joined_ready},
};

static const uint16_t tile_first_rule[TILE_AGENTS + 1] = {0, 0, 0, 0, 1, 2, 3};

static const inpla_program tile_program = {
    "tile", tile_agents, tile_rules, tile_first_rule, NULL, TILE_AGENTS, TILE_RULES, 0,
};

#endif
