/*
 * random_machine.h - a host of the engine with INPLA_VALUES that reduces nets of a random_program, in any order.
 */
#ifndef RANDOM_MACHINE_H
#define RANDOM_MACHINE_H

#include "random_program.h"

/* Which pair comes next. NEWEST_AT_ONCE: that of a rule's last connection, without the worker's list. */
typedef enum { NEWEST, NEWEST_AT_ONCE, OLDEST, RANDOM_ORDER, REDUCTION_ORDERS } reduction_order;

enum { MOST_COPIES = 64 };

static struct {
    const random_program *program;
    reduction_order order;
    uint64_t most; /* interactions of a worker */
    uint32_t seed;
    inpla_cell *names[MOST_COPIES][MOST_NAMES];
} random_host;

void inplaR_name_consumed(inpla_worker *worker, inpla_cell *name)
{
    (void)worker, (void)name;
}

/* --- building ------------------------------------------------------------------------------------------------------ */

/* A graph being built: what each end is, a cell to connect or a port to fill. */
typedef struct {
    inpla_cell *cells[MOST_ENDS];
    inpla_word *ports[MOST_ENDS]; /* NULL where `cells` counts */
} graph_ends;

static inline int take_nodes(inpla_worker *worker, const random_graph *graph, graph_ends *ends, int64_t number)
{
    unsigned end = graph->open;
    for (unsigned i = 0; i < graph->node_count; i++) {
        const unsigned agent = graph->agents[i];
        const unsigned ports = random_host.program->ports[agent];
        inpla_cell *cell = agent == NODE_NUMBER ? inpla_of_int((int64_t)((uint64_t)number + i)) : inpla_new(worker, agent, ports);
        if (cell == NULL)
            return 0;
        ends->ports[end] = NULL;
        ends->cells[end++] = cell;
        for (unsigned port = 0; port < ports; port++)
            ends->ports[end++] = &inpla_ports(cell)[port];
    }
    return 1;
}

/* Fills the ports; returns 0 when the heap is exhausted. */
static inline int fill_ports(inpla_worker *worker, const random_graph *graph, graph_ends *ends)
{
    for (unsigned end = 0; end < graph->end_count; end++) {
        const unsigned mate = graph->mate[end];
        if (ends->ports[end] == NULL)
            continue;
        if (ends->ports[mate] == NULL) {
            ends->ports[end]->cell = ends->cells[mate];
        } else if (end < mate) {
            inpla_cell *wire = inpla_wire(worker);
            if (wire == NULL)
                return 0;
            ends->ports[end]->cell = ends->ports[mate]->cell = wire;
        }
    }
    return 1;
}

/* The agent `made` is new and connected to a wire: it moves there, if the worker may. Returns whether it has. */
static inline int move_into_wire(inpla_worker *worker, inpla_cell *wire, inpla_cell *made)
{
    if (inpla_is_number(made) || inpla_port_count(made) > 2 || inpla_is_number(wire) || !inpla_is_wire(wire) ||
        !inpla_may_become(worker, wire))
        return 0;
    const unsigned ports = inpla_port_count(made);
    if (ports == 0)
        inpla_become_0(wire, made->head);
    else if (ports == 1)
        inpla_become_1(wire, made->head, inpla_ports(made)[0].cell);
    else
        inpla_become_2(wire, made->head, inpla_ports(made)[0].cell, inpla_ports(made)[1].cell);
    inpla_free(worker, made, ports);
    return 1;
}

/* Makes the connections; the last one that makes a pair may be left in *pair. */
static inline inpla_status connect_ends(inpla_worker *worker, const random_graph *graph, graph_ends *ends, inpla_pair *pair)
{
    inpla_status status = INPLA_OK;
    pair->left = NULL;
    for (unsigned end = 0; end < graph->end_count && status == INPLA_OK; end++) {
        const unsigned mate = graph->mate[end];
        inpla_pair made;
        if (end > mate || ends->ports[end] != NULL || ends->ports[mate] != NULL)
            continue;
        if (end < graph->open && mate >= graph->open && move_into_wire(worker, ends->cells[end], ends->cells[mate]))
            continue;
        if (!inpla_join(worker, ends->cells[end], ends->cells[mate], &made))
            continue;
        if (pair->left != NULL)
            status = inpla_push(worker, pair->left, pair->right);
        *pair = made;
    }
    return status;
}

static inline inpla_status build_graph(inpla_worker *worker, const random_graph *graph, graph_ends *ends, int64_t number,
                                       inpla_pair *pair)
{
    for (unsigned end = 0; end < graph->open; end++)
        ends->ports[end] = NULL;
    if (!take_nodes(worker, graph, ends, number) || !fill_ports(worker, graph, ends))
        return INPLA_ERROR_HEAP;
    return connect_ends(worker, graph, ends, pair);
}

/* --- reducing ------------------------------------------------------------------------------------------------------ */

static inline void open_ports(inpla_worker *worker, inpla_cell *cell, graph_ends *ends, unsigned *end)
{
    const unsigned ports = inpla_port_count(cell);
    for (unsigned port = 0; port < ports; port++)
        ends->cells[(*end)++] = inpla_ports(cell)[port].cell;
    inpla_free(worker, cell, ports);
}

static inpla_status interact(inpla_worker *worker, inpla_pair *pair)
{
    inpla_cell *const left = pair->left, *const right = pair->right;
    graph_ends ends;
    unsigned end = 0;
    pair->left = NULL;
    if (inpla_is_number(left))
        return INPLA_OK; /* two numbers vanish */
    if (inpla_agent_of(left) < INPLA_BUILTIN_COUNT ||
        (!inpla_is_number(right) && inpla_agent_of(right) < INPLA_BUILTIN_COUNT))
        return inpla_builtin_rule(worker, left, right);
    const unsigned l = inpla_agent_of(left) - INPLA_BUILTIN_COUNT;
    unsigned r = RANKS;
    int64_t number = 0;
    if (inpla_is_number(right)) {
        number = (int64_t)((uint64_t)inpla_int_of(right) * 5 + 1);
        open_ports(worker, left, &ends, &end);
        return build_graph(worker, &random_host.program->rules[l][r], &ends, number, pair);
    }
    r = inpla_agent_of(right) - INPLA_BUILTIN_COUNT;
    /* the sides of a pair have no order */
    open_ports(worker, l <= r ? left : right, &ends, &end);
    open_ports(worker, l <= r ? right : left, &ends, &end);
    return build_graph(worker, &random_host.program->rules[l <= r ? l : r][l <= r ? r : l], &ends, number, pair);
}

/* Brings the pair to the top that the order wants there. */
static inline void choose_pair(inpla_worker *worker, uint32_t *seed)
{
    const unsigned count = (unsigned)(worker->top - worker->low);
    if (count < 2 || random_host.order < OLDEST)
        return;
    inpla_pair *chosen = worker->low + (random_host.order == OLDEST ? 0 : random_below(seed, count));
    const inpla_pair swap = *chosen;
    *chosen = worker->top[-1];
    worker->top[-1] = swap;
}

static void fail_at(inpla_worker *worker, inpla_pair pair, inpla_status status)
{
    const inpla_failed failed = {status, pair.left, pair.right, 0};
    inpla_fail(worker, failed);
}

void inplaR_reduce(inpla_worker *worker)
{
    uint32_t seed = random_host.seed;
    inpla_pair pair;
    for (choose_pair(worker, &seed); inpla_next(worker, &pair); choose_pair(worker, &seed)) {
        inpla_status status = INPLA_OK;
        while (pair.left != NULL && status == INPLA_OK) {
            status = worker->interactions < random_host.most ? interact(worker, &pair) : INPLA_ERROR_NATIVE;
            worker->interactions++;
            if (pair.left != NULL && (random_host.order != NEWEST_AT_ONCE || inpla_is_wanted(worker))) {
                status = status == INPLA_OK ? inpla_push(worker, pair.left, pair.right) : status;
                pair.left = NULL;
            }
        }
        if (status != INPLA_OK) {
            fail_at(worker, pair, status);
            return;
        }
    }
}

/* Builds the program's net; its names are in random_host from then on. */
static inpla_status build_net(inpla_net *net, unsigned copy)
{
    const random_program *program = random_host.program;
    inpla_worker *worker = inpla_first_worker(net);
    graph_ends ends;
    inpla_pair pair;
    for (unsigned i = 0; i < program->names; i++)
        ends.cells[i] = random_host.names[copy][i] = inpla_name(worker, i);
    for (unsigned i = 0; i < program->twice; i++)
        ends.cells[program->names + i] = random_host.names[copy][i];
    const inpla_status status = build_graph(worker, &program->net, &ends, 7, &pair);
    return status == INPLA_OK && pair.left != NULL ? inpla_push(worker, pair.left, pair.right) : status;
}

#endif
