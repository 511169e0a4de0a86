/*
 * random_program.h - random interaction systems: agents, a rule for every pair of them, and a net with an interface.
 *
 * Agents have ranks, and a rule makes agents of lower rank than one of its pair only; so without Dup every net has a
 * normal form. Dup may go round in circles: such nets reduce for ever in every order, and are told by the count.
 */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include "inpla_value.h"

enum {
    RANKS = 8,
    MOST_PORTS = 5,
    MOST_NODES = 120,
    MOST_ENDS = 800,
    MOST_NAMES = 8,
    NODE_NUMBER = INPLA_BUILTIN_COUNT + RANKS, /* in place of an agent */
    PARTNERS = RANKS + 1                       /* a rule's right side: an agent or a number */
};

/*
 * A net with open ends: ends 0 to `open` - 1 come from outside; then, node by node, principal port and auxiliary ports.
 * Each end is connected to its mate.
 */
typedef struct {
    uint8_t node_count;
    uint8_t open;
    uint16_t end_count;
    uint8_t agents[MOST_NODES];
    uint16_t mate[MOST_ENDS];
} random_graph;

typedef struct {
    uint8_t ports[NODE_NUMBER + 1]; /* by agent */
    random_graph rules[RANKS][PARTNERS];
    random_graph net; /* its open ends are names; the first `twice` of these have two */
    unsigned names;
    unsigned twice;
} random_program;

static inline unsigned random_below(uint32_t *seed, unsigned limit)
{
    return (check_random(seed) >> 8) % limit;
}

/* An agent of a rank below `rank`, or one of those that have none. */
static inline unsigned random_agent(uint32_t *seed, unsigned rank)
{
    const unsigned choice = random_below(seed, 32);
    if (choice < 2)
        return INPLA_ERASER;
    if (choice < 5)
        return INPLA_DUP;
    if (choice < 8 || rank == 0)
        return NODE_NUMBER;
    const unsigned one = random_below(seed, rank), other = random_below(seed, rank);
    return INPLA_BUILTIN_COUNT + (one > other ? one : other);
}

static inline void add_node(const random_program *program, random_graph *graph, unsigned agent)
{
    graph->agents[graph->node_count++] = (uint8_t)agent;
    graph->end_count = (uint16_t)(graph->end_count + 1 + program->ports[agent]);
}

static inline void mate_ends(uint32_t *seed, random_graph *graph)
{
    uint16_t order[MOST_ENDS];
    for (unsigned i = 0; i < graph->end_count; i++)
        order[i] = (uint16_t)i;
    for (unsigned i = graph->end_count - 1u; i > 0; i--) {
        const unsigned j = random_below(seed, i + 1);
        const uint16_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (unsigned i = 0; i < graph->end_count; i += 2) {
        graph->mate[order[i]] = order[i + 1];
        graph->mate[order[i + 1]] = order[i];
    }
}

static inline void make_graph(const random_program *program, uint32_t *seed, random_graph *graph, unsigned open,
                              unsigned nodes, unsigned rank)
{
    graph->node_count = 0;
    graph->open = (uint8_t)open;
    graph->end_count = (uint16_t)open;
    for (unsigned i = 0; i < nodes; i++)
        add_node(program, graph, random_agent(seed, rank));
    if (graph->end_count % 2 != 0)
        add_node(program, graph, INPLA_ERASER);
    if (graph->end_count != 0)
        mate_ends(seed, graph);
}

/* Of an agent with itself: port by port, which is the same when the sides are exchanged. */
static inline void make_symmetric(random_graph *graph, unsigned ports)
{
    graph->node_count = 0;
    graph->open = (uint8_t)(2 * ports);
    graph->end_count = (uint16_t)(2 * ports);
    for (unsigned i = 0; i < ports; i++) {
        graph->mate[i] = (uint16_t)(ports + i);
        graph->mate[ports + i] = (uint16_t)i;
    }
}

static inline void make_rules(random_program *program, uint32_t *seed)
{
    for (unsigned left = 0; left < RANKS; left++) {
        for (unsigned right = 0; right < PARTNERS; right++) {
            random_graph *rule = &program->rules[left][right];
            const unsigned rank = right < RANKS && right > left ? right : left;
            const unsigned open = program->ports[INPLA_BUILTIN_COUNT + left] + program->ports[INPLA_BUILTIN_COUNT + right];
            if (left == right)
                make_symmetric(rule, open / 2);
            else
                make_graph(program, seed, rule, open, random_below(seed, 6), rank);
        }
    }
}

static inline void make_random_program(random_program *program, uint32_t number)
{
    uint32_t seed = number * 2654435761u + 12345u;
    for (unsigned agent = 0; agent <= NODE_NUMBER; agent++)
        program->ports[agent] = (uint8_t)random_below(&seed, random_below(&seed, 3) == 0 ? MOST_PORTS + 1 : 3);
    program->ports[INPLA_ERASER] = program->ports[NODE_NUMBER] = 0;
    program->ports[INPLA_DUP] = 2;
    make_rules(program, &seed);
    program->names = 1 + random_below(&seed, MOST_NAMES);
    program->twice = random_below(&seed, 3) == 0 ? random_below(&seed, program->names) : 0;
    make_graph(program, &seed, &program->net, program->names + program->twice, 3 + random_below(&seed, MOST_NODES - 4),
               RANKS);
}

#endif
