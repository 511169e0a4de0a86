/*
 * bench_values.c - measures of the engine with INPLA_VALUES, rules written by hand: seconds per program.
 * With an argument: with so many workers.
 */
#define _POSIX_C_SOURCE 200112L
#define INPLA_VALUES 1
#include "inpla_all.c"

#include <time.h>

#include "check.h"
#include "machine.h"

static double seconds(clockid_t of)
{
    struct timespec now;
    clock_gettime(of, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef enum { IS_NUMBER, IS_LIST, IS_PASSES, IS_UNARY } partner_kind;

typedef struct {
    const char *name;
    unsigned agent;
    partner_kind kind;
    int64_t port;
    int64_t size;
} program;

static const program programs[] = {
    {"fib 38", FIB, IS_NUMBER, -1, 38},
    {"ack 3 11", ACK, IS_NUMBER, 3, 11},
    {"unary ack 3 7", UACK, IS_UNARY, 7, 3},
    {"isort 20000", SORT, IS_LIST, -1, 20000},
    {"bsort 20000", BSORT, IS_PASSES, -1, 20000},
};

static inpla_cell *unary(inpla_net *net, int64_t n)
{
    inpla_cell *of = inpla_new(inpla_first_worker(net), NIL, 0);
    for (; n != 0; n--) {
        inpla_cell *s = inpla_new(inpla_first_worker(net), S, 1);
        inpla_ports(s)[0].cell = of;
        of = s;
    }
    return of;
}

static void measure(const program *of, unsigned workers)
{
    machine host = open_machine(workers);
    inpla_cell *port = of->port < 0 ? NULL : inpla_of_int(of->port);
    inpla_cell *partner = of->kind == IS_LIST ? random_list(host.net, (unsigned)of->size) : inpla_of_int(of->size);
    if (of->kind == IS_PASSES)
        port = random_list(host.net, (unsigned)of->size);
    if (of->kind == IS_UNARY) {
        port = unary(host.net, of->port);
        partner = unary(host.net, of->size);
    }
    ask(host.net, of->agent, port, partner);
    const double start = seconds(CLOCK_MONOTONIC), cpu_start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    CHECK_INT(inpla_reduce(host.net), INPLA_OK);
    const double time = seconds(CLOCK_MONOTONIC) - start, cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
    const inpla_statistics facts = facts_of(host.net);
    printf("%-12s %6.3f s (CPU %6.3f s) %10llu interactions %8.1f million per second %6zu MB\n", of->name, time, cpu,
           (unsigned long long)facts.interactions, (double)facts.interactions / time * 1e-6, facts.heap_bytes >> 20);
    for (unsigned i = 0; i < workers && workers > 1; i++)
        printf("    worker %u: %5.1f %%\n", i,
               100.0 * (double)inplaN_worker(host.net, i)->interactions / (double)facts.interactions);
    close_machine(&host);
}

int main(int argc, char **argv)
{
    const unsigned workers = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (argc < 3 || strstr(programs[i].name, argv[2]) != NULL)
            measure(&programs[i], workers);
    return check_failures != 0;
}
