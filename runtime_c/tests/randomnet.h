/*
 * randomnet.h - random nets over program_neuron.h with a known result and a known number of interactions.
 *
 * A net is grown value by value, each agent taking values that are still open, and then written with its connections in
 * random order and with sections at random places.
 */
#ifndef RANDOMNET_H
#define RANDOMNET_H

#include "program_neuron.h"
#include "testnet.h"

enum { MAX_WIRES = 40000, NO_WIRE = -1 };

/* left ~ agent(first, second), or left ~ Concrete(number); left is a wire. */
typedef struct {
    unsigned agent;
    int left;
    int first;
    int second;
    float number;
} random_connection;

typedef struct {
    image whole;
    unsigned slots;
    unsigned outputs; /* in the slots from 0 */
    float *expected;
    uint64_t interactions;
} random_net;

/* While a net is grown. */
typedef struct {
    random_connection *connections;
    unsigned count;
    int wires;
    int *open; /* wires with a value that nothing takes yet */
    unsigned open_count;
    float *values; /* by wire */
    uint64_t interactions;
    uint32_t seed;
} growing;

static inline int new_value(growing *net, float value)
{
    net->values[net->wires] = value;
    net->open[net->open_count++] = net->wires;
    return net->wires++;
}

static inline int take_value(growing *net)
{
    const unsigned i = check_random(&net->seed) % net->open_count;
    const int wire = net->open[i];
    net->open[i] = net->open[--net->open_count];
    return wire;
}

static inline void grow_leaf(growing *net)
{
    const float number = (float)(int)(check_random(&net->seed) % 2001) / 1000.0f - 1.0f;
    const random_connection leaf = {CONCRETE, new_value(net, number), NO_WIRE, NO_WIRE, number};
    net->connections[net->count++] = leaf;
}

/* What an agent makes of its values, and in how many interactions. */
static inline float apply(unsigned agent, float x, float y, uint64_t *interactions)
{
    switch (agent) {
    case ADD:
        *interactions += 2;
        return x + y;
    case MUL:
        *interactions += 2;
        return x * y;
    case RELU:
        *interactions += 1;
        return x > 0.0f ? x : 0.0f;
    case TWICE:
        *interactions += 3;
        return x + x;
    case INPLA_ERASER: /* the agent and the number in it */
        *interactions += 2;
        return x;
    default: /* Dup */
        *interactions += 1;
        return x;
    }
}

static inline void grow_agent(growing *net, unsigned agent)
{
    random_connection made = {agent, take_value(net), NO_WIRE, NO_WIRE, 0.0f};
    if (agent == ADD || agent == MUL)
        made.second = take_value(net);
    const float y = made.second == NO_WIRE ? 0.0f : net->values[made.second];
    const float result = apply(agent, net->values[made.left], y, &net->interactions);
    if (agent != INPLA_ERASER)
        made.first = new_value(net, result);
    if (agent == INPLA_DUP)
        made.second = new_value(net, result);
    net->connections[net->count++] = made;
}

/* An agent that keeps the values small. */
static inline void grow(growing *net)
{
    static const unsigned agents[] = {ADD, ADD, MUL, MUL, RELU, TWICE, INPLA_DUP, INPLA_DUP, INPLA_DUP, INPLA_ERASER};
    const unsigned agent = agents[check_random(&net->seed) % (sizeof agents / sizeof agents[0])];
    if (net->open_count < 4 || check_random(&net->seed) % 8 == 0) {
        grow_leaf(net);
        return;
    }
    const float last = net->values[net->open[net->open_count - 1]];
    if (last > 100.0f || last < -100.0f) {
        const int wire = net->open[--net->open_count];
        const random_connection eraser = {INPLA_ERASER, wire, NO_WIRE, NO_WIRE, 0.0f};
        net->connections[net->count++] = eraser;
        net->interactions += 2;
        return;
    }
    grow_agent(net, agent);
}

static inline void shuffle(growing *net)
{
    for (unsigned i = net->count - 1; i > 0; i--) {
        const unsigned j = check_random(&net->seed) % (i + 1);
        const random_connection swap = net->connections[i];
        net->connections[i] = net->connections[j];
        net->connections[j] = swap;
    }
}

/* Slots of wires while an image is written: outputs have theirs, others take a free one and give it back. */
typedef struct {
    int *slot_of;
    unsigned *free_slots;
    unsigned free_count;
    unsigned slots;
    unsigned outputs;
} slot_table;

static inline void put_slot(image *to, slot_table *table, int wire)
{
    int *slot = &table->slot_of[wire];
    if (*slot == -1) {
        *slot = (int)(table->free_count != 0 ? table->free_slots[--table->free_count] : table->slots++);
    } else if ((unsigned)*slot >= table->outputs) {
        table->free_slots[table->free_count++] = (unsigned)*slot;
        put_wire(to, (unsigned)*slot);
        *slot = -2;
        return;
    }
    put_wire(to, (unsigned)*slot);
}

static inline void put_random_connection(image *to, slot_table *table, const random_connection *connection)
{
    put_connection(to);
    put_slot(to, table, connection->left);
    if (connection->agent == CONCRETE) {
        put_float_agent(to, CONCRETE, connection->number);
        return;
    }
    put_agent(to, connection->agent);
    if (connection->first != NO_WIRE)
        put_slot(to, table, connection->first);
    if (connection->second != NO_WIRE)
        put_slot(to, table, connection->second);
}

static inline void write_random_net(growing *from, random_net *to, unsigned sections)
{
    slot_table table = {NULL, NULL, 0, from->open_count, from->open_count};
    image body = {NULL, 0, 0};
    table.slot_of = (int *)malloc(sizeof(int) * MAX_WIRES);
    table.free_slots = (unsigned *)malloc(sizeof(unsigned) * MAX_WIRES);
    for (int i = 0; i < from->wires; i++)
        table.slot_of[i] = -1;
    for (unsigned i = 0; i < from->open_count; i++)
        table.slot_of[from->open[i]] = (int)i;
    for (unsigned i = 0; i < from->count; i++) {
        put_random_connection(&body, &table, &from->connections[i]);
        if (sections != 0 && check_random(&from->seed) % from->count < sections)
            put_byte(&body, INPLA_IMAGE_SECTION);
    }
    to->slots = table.slots;
    to->whole = finish_for(&body, table.slots, &neuron_program);
    free(table.slot_of);
    free(table.free_slots);
}

/* A net of about `agents` agents and `sections` sections; drop_random_net frees it. */
static inline random_net make_random_net(uint32_t seed, unsigned agents, unsigned sections)
{
    growing net = {NULL, 0, 0, NULL, 0, NULL, 0, seed * 2654435761u + 1u};
    random_net result;
    net.connections = (random_connection *)malloc(sizeof(random_connection) * MAX_WIRES);
    net.open = (int *)malloc(sizeof(int) * MAX_WIRES);
    net.values = (float *)malloc(sizeof(float) * MAX_WIRES);
    while (net.count < agents)
        grow(&net);
    shuffle(&net);
    write_random_net(&net, &result, sections);
    result.outputs = net.open_count;
    result.interactions = net.interactions;
    result.expected = (float *)malloc(sizeof(float) * (net.open_count + 1));
    for (unsigned i = 0; i < net.open_count; i++)
        result.expected[i] = net.values[net.open[i]];
    free(net.connections);
    free(net.open);
    free(net.values);
    return result;
}

static inline void drop_random_net(random_net *net)
{
    drop_image(&net->whole);
    free(net->expected);
}

/* Runs it and checks status, count, every output bit for bit, and that no cell is left. */
static inline void check_random_net(const random_net *of, testnet *net)
{
    CHECK_INT(inpla_run(net->net, of->whole.bytes, of->whole.size), INPLA_OK);
    for (unsigned i = 0; i < of->outputs; i++) {
        const float actual = get_number(net->net, i, CONCRETE);
        CHECK(memcmp(&actual, &of->expected[i], sizeof actual) == 0);
    }
    CHECK_INT(statistics_of(net->net).interactions, of->interactions);
    CHECK_INT(statistics_of(net->net).live_cells, 0);
}

#endif
