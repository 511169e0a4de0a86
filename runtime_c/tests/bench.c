/*
 * bench.c - speed of loading and of reducing, with the neuron rules. Not a test.
 *
 *   bench [WORKERS]
 *
 * The net is a weighted sum: an input x is copied by a tree of Dups, every copy multiplied by a weight, the products
 * added up in a tree. Loading does not reduce anything, as x is missing; reducing starts when x is put.
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include <time.h>

#include "program_neuron.h"
#include "testnet.h"

enum { TERMS = 4096, ROUNDS = 200, X = 0, RESULT = 1, PRODUCTS = 2, SLOTS = PRODUCTS + TERMS };

/* Dup(.., ..) whose leaves are Mul(slot, Concrete(0.5)). */
static void put_products(image *to, unsigned slot, unsigned count)
{
    if (count > 1) {
        put_agent(to, INPLA_DUP);
        put_products(to, slot, count / 2);
        put_products(to, slot + count / 2, count - count / 2);
        return;
    }
    put_agent(to, MUL);
    put_wire(to, slot);
    put_float_agent(to, CONCRETE, 0.5f);
}

/* Adds up the wires in `count` slots; the sum is in the first of them. */
static void put_sum(image *to, unsigned slot, unsigned count)
{
    if (count == 1)
        return;
    put_sum(to, slot, count / 2);
    put_sum(to, slot + count / 2, count - count / 2);
    put_connection(to);
    put_wire(to, slot);
    put_agent(to, ADD);
    put_wire(to, slot);
    put_wire(to, slot + count / 2);
}

static image sum_image(void)
{
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_wire(&body, X);
    put_products(&body, PRODUCTS, TERMS);
    put_sum(&body, PRODUCTS, TERMS);
    put_connection(&body);
    put_wire(&body, PRODUCTS);
    put_wire(&body, RESULT);
    return finish_for(&body, SLOTS, &neuron_program);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds that one call takes; the net must not fail. */
static double time_run(inpla_net *net, const image *of)
{
    const double start = seconds();
    if (inpla_run(net, of->bytes, of->size) != INPLA_OK)
        check_message(net, "no failure");
    return seconds() - start;
}

int main(int argc, char **argv)
{
    image sum = sum_image();
    image body = {NULL, 0, 0};
    image nothing = finish_for(&body, 0, &neuron_program);
    testnet net = open_net(&neuron_program, 100000, 20000, SLOTS, argc > 1 ? (unsigned)atoi(argv[1]) : 1, NULL);
    double loading = 0, reducing = 0;
    for (int i = 0; i < ROUNDS; i++) {
        loading += time_run(net.net, &sum);
        put_number(net.net, X, CONCRETE, 1.0f);
        reducing += time_run(net.net, &nothing);
        CHECK(get_number(net.net, RESULT, CONCRETE) == TERMS / 2);
    }
    const double interactions = (double)statistics_of(net.net).interactions;
    printf("loading: %.0f million bytes per second\n", (double)sum.size * ROUNDS / loading * 1e-6);
    printf("reducing: %.0f million interactions per second\n", interactions / reducing * 1e-6);
    drop_image(&sum);
    drop_image(&nothing);
    close_net(&net);
    return check_failures != 0;
}
