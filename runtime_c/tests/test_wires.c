/*
 * test_wires.c - connections: whatever the order in which the ends of wires are connected, what belongs together meets,
 * and no wire is left.
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include "program_wide.h"
#include "testnet.h"

enum { LENGTH = 5 };

/* A chain A ~ w0, w0 ~ w1, ..., w4 ~ B has LENGTH + 1 connections; does them in the order of `order`. */
static void connect_chain(const unsigned *order)
{
    testnet net = open_net(&wide_program, 100, 4, 0, 1, NULL);
    inpla_worker *worker = inplaN_worker(net.net, 0);
    inpla_cell *ends[LENGTH + 2];
    ends[0] = inpla_new(worker, NIL, 0);
    for (int i = 1; i <= LENGTH; i++)
        ends[i] = inpla_wire(worker);
    ends[LENGTH + 1] = inpla_new(worker, NUMBER, 1);
    for (unsigned i = 0; i <= LENGTH; i++) {
        CHECK(worker->top == worker->base);
        CHECK_INT(inpla_connect(worker, ends[order[i]], ends[order[i] + 1]), INPLA_OK);
    }
    CHECK_INT(worker->top - worker->base, 1);
    CHECK((worker->base->left == ends[0] && worker->base->right == ends[LENGTH + 1]) ||
          (worker->base->right == ends[0] && worker->base->left == ends[LENGTH + 1]));
    CHECK_INT(statistics_of(net.net).live_cells, 2);
    close_net(&net);
}

/* All orders, by Heap's algorithm. */
static void for_all_orders(unsigned *order, unsigned count, void (*act)(const unsigned *order))
{
    if (count <= 1) {
        act(order);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        for_all_orders(order, count - 1, act);
        const unsigned other = count % 2 == 0 ? i : 0;
        const unsigned swap = order[other];
        order[other] = order[count - 1];
        order[count - 1] = swap;
    }
}

static void two_agents_meet_through_a_chain_of_wires_in_every_order(void)
{
    unsigned order[LENGTH + 1] = {0, 1, 2, 3, 4, 5};
    for_all_orders(order, LENGTH + 1, connect_chain);
}

/* A ring of wires and no agent. */
static void connect_ring(const unsigned *order)
{
    testnet net = open_net(&wide_program, 100, 4, 0, 1, NULL);
    inpla_worker *worker = inplaN_worker(net.net, 0);
    inpla_cell *wires[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        wires[i] = inpla_wire(worker);
    for (unsigned i = 0; i < LENGTH; i++)
        CHECK_INT(inpla_connect(worker, wires[order[i]], wires[(order[i] + 1) % LENGTH]), INPLA_OK);
    CHECK(worker->top == worker->base);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
}

static void a_ring_of_wires_vanishes_in_every_order(void)
{
    unsigned order[LENGTH] = {0, 1, 2, 3, 4};
    for_all_orders(order, LENGTH, connect_ring);
}

static void a_wire_with_both_ends_in_one_connection_vanishes(void)
{
    testnet net = open_net(&wide_program, 100, 4, 0, 1, NULL);
    inpla_worker *worker = inplaN_worker(net.net, 0);
    inpla_cell *wire = inpla_wire(worker);
    CHECK_INT(inpla_connect(worker, wire, wire), INPLA_OK);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
}

static void a_pair_too_many_is_an_error(void)
{
    testnet net = open_net(&wide_program, 100, 2, 0, 1, NULL);
    inpla_worker *worker = inplaN_worker(net.net, 0);
    inpla_cell *left = inpla_new(worker, NIL, 0), *right = inpla_new(worker, NIL, 0);
    CHECK_INT(inpla_connect(worker, left, right), INPLA_OK);
    CHECK_INT(inpla_connect(worker, left, right), INPLA_OK);
    CHECK_INT(inpla_connect(worker, left, right), INPLA_ERROR_STACK);
    close_net(&net);
}

static void a_cell_of_the_pair_becomes_another_agent_in_place(void)
{
    testnet net = open_net(&wide_program, 100, 2, 0, 1, NULL);
    inpla_worker *worker = inplaN_worker(net.net, 0);
    inpla_cell *cell = inpla_new(worker, PAIR, 2);
    CHECK(inpla_reuse(cell, NIL, 0) == cell);
    CHECK_INT(inpla_agent_of(cell), NIL);
    CHECK_INT(inpla_port_count(cell), 0);
    CHECK_INT(statistics_of(net.net).live_cells, 1);
    close_net(&net);
}

int main(void)
{
    RUN(two_agents_meet_through_a_chain_of_wires_in_every_order);
    RUN(a_ring_of_wires_vanishes_in_every_order);
    RUN(a_wire_with_both_ends_in_one_connection_vanishes);
    RUN(a_pair_too_many_is_an_error);
    RUN(a_cell_of_the_pair_becomes_another_agent_in_place);
    return check_report();
}
