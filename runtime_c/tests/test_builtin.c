/*
 * test_builtin.c - Eraser and Dup with agents of every form, each in both orders.
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include "program_wide.h"
#include "testnet.h"

enum { SLOTS = 100 };

/* Runs a body of connections in a fresh net. */
static testnet run_body(image *body)
{
    image whole = finish_for(body, SLOTS, &wide_program);
    testnet net = open_net(&wide_program, 2000, 100, SLOTS, 1, NULL);
    CHECK_INT(inpla_run(net.net, whole.bytes, whole.size), INPLA_OK);
    drop_image(&whole);
    return net;
}

/* The agent `agent` whose wire ports are numbers in turn, nested, or wires to slots from `slot` on. */
static void put_filled(image *to, unsigned agent, int slot)
{
    put_agent(to, agent);
    for (unsigned i = 0; wide_agents[agent].ports[i] != 0; i++) {
        const char kind = wide_agents[agent].ports[i];
        if (kind == INPLA_PORT_WIRE && slot < 0) {
            put_float_agent(to, NUMBER, (float)i);
        } else if (kind == INPLA_PORT_WIRE) {
            put_wire(to, (unsigned)slot++);
        } else {
            put_varint(to, 0);
            if (kind == INPLA_PORT_INT)
                put_int(to, -1000 - (int)i);
            else
                put_float(to, 0.25f + (float)i);
        }
    }
}

/* Interactions of an Eraser with the agent and all that put_filled has filled it with: per port one, and one for the
 * number in a number agent. */
static unsigned erasing(unsigned agent)
{
    unsigned count = 1;
    for (const char *kind = wide_agents[agent].ports; *kind != 0; kind++)
        count += *kind == INPLA_PORT_WIRE ? 2 : 1;
    return count;
}

static unsigned wire_ports(unsigned agent)
{
    unsigned count = 0;
    for (const char *kind = wide_agents[agent].ports; *kind != 0; kind++)
        count += *kind == INPLA_PORT_WIRE;
    return count;
}

/* left ~ right, or right ~ left. */
static void put_eraser_and_agent(image *to, unsigned agent, int slot, int is_reversed)
{
    put_connection(to);
    if (is_reversed)
        put_filled(to, agent, slot);
    put_agent(to, INPLA_ERASER);
    if (!is_reversed)
        put_filled(to, agent, slot);
}

static void an_eraser_erases_every_agent_and_what_hangs_on_it(void)
{
    for (unsigned agent = 0; agent < WIDE_AGENTS; agent++) {
        for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
            image body = {NULL, 0, 0};
            put_eraser_and_agent(&body, agent, -1, is_reversed);
            testnet net = run_body(&body);
            CHECK_INT(statistics_of(net.net).live_cells, 0);
            CHECK_INT(statistics_of(net.net).interactions, erasing(agent));
            close_net(&net);
        }
    }
}

static void an_eraser_on_open_ports_waits_there(void)
{
    for (unsigned agent = 0; agent < WIDE_AGENTS; agent++) {
        image body = {NULL, 0, 0};
        put_eraser_and_agent(&body, agent, 0, 0);
        for (unsigned i = 0; i < wire_ports(agent); i++) {
            put_byte(&body, INPLA_IMAGE_SECTION);
            put_connection(&body);
            put_wire(&body, i);
            put_float_agent(&body, NUMBER, 1.0f);
        }
        testnet net = run_body(&body);
        CHECK_INT(statistics_of(net.net).live_cells, 0);
        CHECK_INT(statistics_of(net.net).interactions, erasing(agent));
        close_net(&net);
    }
}

/* An interaction whose result is no larger than the pair works in a full heap. */
static void erasing_needs_no_heap(void)
{
    for (unsigned agent = 0; agent <= PAIR; agent++) {
        image body = {NULL, 0, 0};
        put_eraser_and_agent(&body, agent, -1, 0);
        image whole = finish_for(&body, SLOTS, &wide_program);
        testnet net = open_net(&wide_program, 3 * (2 + wire_ports(agent)), 10, SLOTS, 1, NULL);
        CHECK_INT(inpla_run(net.net, whole.bytes, whole.size), INPLA_OK);
        close_net(&net);
        drop_image(&whole);
    }
}

/* The copies of an agent with two attributes and two terms. */
static void copies_have_the_form_and_the_attributes_of_the_original(void)
{
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_agent(&body, INPLA_DUP);
    put_wire(&body, 0);
    put_wire(&body, 1);
    put_filled(&body, MIXED, -1);
    testnet net = run_body(&body);
    for (unsigned slot = 0; slot < 2; slot++) {
        inpla_cell *copy = inpla_ports(net.net->slots[slot])[0].cell;
        CHECK_INT(inpla_agent_of(copy), MIXED);
        CHECK_INT(inpla_port_count(copy), 4);
        CHECK(inpla_ports(copy)[1].f == 1.25f);
        CHECK_INT(inpla_ports(copy)[3].i, -1003);
        for (unsigned port = 0; port < 4; port += 2) {
            inpla_cell *wire = inpla_ports(copy)[port].cell;
            CHECK_INT(inpla_agent_of(wire), INPLA_WIRE);
            CHECK_INT(inpla_agent_of(inpla_ports(wire)[0].cell), NUMBER);
            CHECK(inpla_ports(inpla_ports(wire)[0].cell)[0].f == (float)port);
        }
    }
    CHECK_INT(statistics_of(net.net).interactions, 3);
    close_net(&net);
}

static void a_copy_of_every_agent_is_erased_like_the_original(void)
{
    for (unsigned agent = 0; agent < WIDE_AGENTS; agent++) {
        for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
            image body = {NULL, 0, 0};
            put_connection(&body);
            if (is_reversed)
                put_filled(&body, agent, -1);
            put_agent(&body, INPLA_DUP);
            put_agent(&body, INPLA_ERASER);
            put_agent(&body, INPLA_ERASER);
            if (!is_reversed)
                put_filled(&body, agent, -1);
            testnet net = run_body(&body);
            CHECK_INT(statistics_of(net.net).live_cells, 0);
            close_net(&net);
        }
    }
}

/* Of numbers in ports only the second one of two that are all is counted. */
static void copying_counts_what_the_language_does(void)
{
    static const struct {
        unsigned agent;
        unsigned interactions;
    } copies[] = {{NIL, 1}, {COUNT, 1}, {NUMBER, 1}, {TWO_NUMBERS, 2}, {PAIR, 3}, {MIXED, 3}};
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        image body = {NULL, 0, 0};
        put_connection(&body);
        put_agent(&body, INPLA_DUP);
        put_wire(&body, 0);
        put_wire(&body, 1);
        put_filled(&body, copies[i].agent, -1);
        testnet net = run_body(&body);
        CHECK_INT(statistics_of(net.net).interactions, copies[i].interactions);
        close_net(&net);
    }
}

static void two_dups_connect_their_ports(void)
{
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_agent(&body, INPLA_DUP);
    put_float_agent(&body, NUMBER, 1.0f);
    put_wire(&body, 0);
    put_agent(&body, INPLA_DUP);
    put_wire(&body, 1);
    put_float_agent(&body, NUMBER, 2.0f);
    testnet net = run_body(&body);
    CHECK(get_number(net.net, 1, NUMBER) == 1.0f);
    CHECK(get_number(net.net, 0, NUMBER) == 2.0f);
    CHECK_INT(statistics_of(net.net).interactions, 1);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
}

/* A value through a balanced tree of Dups. */
static void a_tree_of_dups_gives_every_leaf_the_value(void)
{
    enum { LEAVES = 64 };
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_int_agent(&body, COUNT, -77);
    for (unsigned leaf = 0; leaf < LEAVES; leaf++) {
        for (unsigned leaves = LEAVES; leaves > 1; leaves /= 2)
            if (leaf % leaves == 0)
                put_agent(&body, INPLA_DUP);
        put_wire(&body, leaf);
    }
    testnet net = run_body(&body);
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
        inpla_word value;
        value.i = 0;
        CHECK_INT(inpla_get(net.net, leaf, COUNT, &value), INPLA_OK);
        CHECK_INT(value.i, -77);
    }
    CHECK_INT(statistics_of(net.net).interactions, LEAVES - 1);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
}

/* Every amount of heap below what is needed. */
static void a_copy_that_does_not_fit_is_an_error(void)
{
    inpla_status status = INPLA_ERROR_HEAP;
    size_t words = 0;
    while (status == INPLA_ERROR_HEAP) {
        image body = {NULL, 0, 0};
        put_connection(&body);
        put_agent(&body, INPLA_DUP);
        put_agent(&body, INPLA_ERASER);
        put_wire(&body, 0);
        put_filled(&body, TWENTY, -1);
        image whole = finish_for(&body, 1, &wide_program);
        testnet net = open_net(&wide_program, words++, 100, 1, 1, NULL);
        status = inpla_run(net.net, whole.bytes, whole.size);
        close_net(&net);
        drop_image(&whole);
    }
    CHECK_INT(status, INPLA_OK);
    CHECK(words > 100);
}

int main(void)
{
    RUN(an_eraser_erases_every_agent_and_what_hangs_on_it);
    RUN(an_eraser_on_open_ports_waits_there);
    RUN(erasing_needs_no_heap);
    RUN(copies_have_the_form_and_the_attributes_of_the_original);
    RUN(a_copy_of_every_agent_is_erased_like_the_original);
    RUN(copying_counts_what_the_language_does);
    RUN(two_dups_connect_their_ports);
    RUN(a_tree_of_dups_gives_every_leaf_the_value);
    RUN(a_copy_that_does_not_fit_is_an_error);
    return check_report();
}
