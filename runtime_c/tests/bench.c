/*
 * bench.c - interactions per second of the neuron rules: dot products, reduced section by section. Not a test.
 *
 *   bench [WORKERS]
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include <time.h>

#include "program_neuron.h"
#include "testnet.h"

enum { TERMS = 256, OUTPUTS = 256, ROUNDS = 40 };

/* A fan-in tree over `count` products, its result in slot `out`. Every level of the tree has two slots of its own. */
static void put_sum(image *to, unsigned out, unsigned level, unsigned count)
{
    const unsigned left = OUTPUTS + 2 * level, right = left + 1;
    put_connection(to);
    if (count == 1) {
        put_float_agent(to, CONCRETE, 1.5f);
        put_agent(to, MUL);
        put_wire(to, out);
        put_float_agent(to, CONCRETE, 0.5f);
        return;
    }
    put_wire(to, left);
    put_agent(to, ADD);
    put_wire(to, out);
    put_wire(to, right);
    put_sum(to, left, level + 1, count / 2);
    put_sum(to, right, level + 1, count - count / 2);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    const unsigned workers = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    image body = {NULL, 0, 0};
    for (unsigned i = 0; i < OUTPUTS; i++) {
        put_connection(&body);
        put_wire(&body, i);
        put_agent(&body, INPLA_ERASER);
        put_sum(&body, i, 0, TERMS);
        if (i % 16 == 15)
            put_byte(&body, INPLA_IMAGE_SECTION);
    }
    image whole = finish_for(&body, OUTPUTS + 64, &neuron_program);
    testnet net = open_net(&neuron_program, 1000000, 100000, OUTPUTS + 64, workers, NULL);
    const double start = seconds();
    for (int i = 0; i < ROUNDS; i++)
        if (inpla_run(net.net, whole.bytes, whole.size) != INPLA_OK) {
            check_message(net.net, "");
            return 1;
        }
    const double time = seconds() - start;
    const inpla_statistics facts = statistics_of(net.net);
    printf("%u workers: %.1f million interactions, loaded and reduced, per second (%zu live, %zu bytes of heap)\n", workers,
           (double)facts.interactions / time * 1e-6, facts.live_cells, facts.heap_bytes);
    drop_image(&whole);
    close_net(&net);
    return check_failures;
}
