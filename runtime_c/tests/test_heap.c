/*
 * test_heap.c - cells of all sizes: taken, given back, taken again; the memory of a net.
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include "program_wide.h"
#include "testnet.h"

static testnet open_words(size_t words, unsigned workers)
{
    return open_net(&wide_program, words, 4, 2, workers, NULL);
}

static void a_cell_given_back_is_taken_again_by_the_next_of_its_size(void)
{
    static const unsigned ports[] = {0, 1, 2, 3, 8, 9, 20, 254};
    testnet net = open_words(1000, 1);
    inpla_worker *worker = inplaN_worker(net.net, 0);
    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++) {
        inpla_cell *cell = inpla_new(worker, NIL, ports[i]);
        CHECK_INT(inpla_port_count(cell), ports[i]);
        CHECK_INT(inpla_agent_of(cell), NIL);
        inpla_free(worker, cell, ports[i]);
        CHECK(inpla_new(worker, PAIR, ports[i]) == cell);
    }
    close_net(&net);
}

static void agents_of_up_to_two_ports_and_wires_are_one_size(void)
{
    testnet net = open_words(3, 1);
    inpla_worker *worker = inplaN_worker(net.net, 0);
    for (unsigned ports = 0; ports <= 2; ports++) {
        inpla_cell *cell = inpla_new(worker, NIL, ports);
        CHECK(cell != NULL);
        CHECK(inpla_new(worker, NIL, 0) == NULL);
        inpla_free(worker, cell, ports);
    }
    CHECK(inpla_wire(worker) != NULL);
    CHECK(inpla_wire(worker) == NULL);
    CHECK_INT(statistics_of(net.net).heap_bytes, 3 * sizeof(void *));
    close_net(&net);
}

static void a_cell_of_n_ports_takes_n_plus_1_words(void)
{
    for (unsigned ports = 2; ports <= INPLA_MAX_PORTS; ports++) {
        testnet net = open_words(ports + 1, 1);
        inpla_worker *worker = inplaN_worker(net.net, 0);
        CHECK(inpla_new(worker, NIL, ports) != NULL);
        CHECK(inpla_new(worker, NIL, 0) == NULL);
        close_net(&net);
        net = open_words(ports, 1);
        CHECK(inpla_new(inplaN_worker(net.net, 0), NIL, ports) == NULL);
        close_net(&net);
    }
}

/* Takes and gives back cells of random sizes; a cell is filled with its own number, so that overlaps show. */
static void cells_do_not_overlap(void)
{
    enum { CELLS = 200 };
    inpla_cell *cells[CELLS] = {NULL};
    unsigned sizes[CELLS];
    uint32_t seed = 1;
    testnet net = open_words(100000, 1);
    inpla_worker *worker = inplaN_worker(net.net, 0);
    for (int round = 0; round < 20000; round++) {
        const unsigned i = check_random(&seed) % CELLS;
        if (cells[i] != NULL) {
            CHECK_INT(inpla_port_count(cells[i]), sizes[i]);
            for (unsigned port = 0; port < sizes[i]; port++)
                CHECK_INT(inpla_ports(cells[i])[port].i, i);
            inpla_free(worker, cells[i], sizes[i]);
            cells[i] = NULL;
            continue;
        }
        sizes[i] = check_random(&seed) % (check_random(&seed) % 8 == 0 ? 255 : 12);
        cells[i] = inpla_new(worker, NIL, sizes[i]);
        for (unsigned port = 0; cells[i] != NULL && port < sizes[i]; port++)
            inpla_ports(cells[i])[port].i = (inpla_int)i;
    }
    size_t live = 0;
    for (int i = 0; i < CELLS; i++)
        live += cells[i] != NULL;
    CHECK_INT(statistics_of(net.net).live_cells, live);
    close_net(&net);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static void the_macro_and_the_function_count_the_same_bytes(void)
{
    static const inpla_limits limits[] = {
        {0, 0, 0, 1}, {1, 1, 1, 1}, {1001, 17, 3, 1}, {4096, 100, 9, 2}, {77, 1, 2, 8},
    };
    static const uint8_t constant[INPLA_MEMORY_BYTES(100, 10, 5, 2)] = {0};
    const size_t word = sizeof(void *);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const inpla_limits *of = &limits[i];
        CHECK_INT(inpla_memory_bytes(of), INPLA_MEMORY_BYTES(of->heap_bytes, of->pairs, of->slots, of->workers));
    }
    CHECK_INT(sizeof constant, 384 + 2 * (384 + 2 * word * 10) + word * 5 + 104 / word * word + 2 * 2688 * word);
    CHECK_INT(INPLA_MEMORY_BYTES(96, 10, 5, 1), 384 + 384 + 2 * word * 10 + word * 5 + 96);
}

static void open_refuses_memory_that_is_too_small_or_misaligned(void)
{
    const inpla_limits limits = {300, 5, 5, 1};
    const size_t size = inpla_memory_bytes(&limits);
    void *memory;
    inpla_net *net;
    if (posix_memalign(&memory, INPLA_ALIGN, size + INPLA_ALIGN) != 0)
        abort();
    CHECK_INT(inpla_open(&net, &wide_program, &limits, memory, size, NULL), INPLA_OK);
    CHECK((void *)net == memory);
    CHECK_INT(inpla_open(&net, &wide_program, &limits, memory, size - 1, NULL), INPLA_ERROR_MEMORY);
    CHECK(net == NULL);
    CHECK_INT(inpla_open(&net, &wide_program, &limits, (char *)memory + 8, size + 8, NULL), INPLA_ERROR_MEMORY);
    CHECK_INT(inpla_open(&net, &wide_program, &limits, NULL, size, NULL), INPLA_ERROR_MEMORY);
    free(memory);
}

static void open_refuses_absurd_limits(void)
{
    static const inpla_limits limits[] = {
        {SIZE_MAX, 1, 1, 1}, {1, SIZE_MAX / 16, 1, 1},      {1, 1, SIZE_MAX / 8, 1},
        {1, 1, 1, 0},        {1, SIZE_MAX / 1000, 1, 900},
    };
    void *memory;
    inpla_net *net;
    if (posix_memalign(&memory, INPLA_ALIGN, 4096) != 0)
        abort();
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        CHECK_INT(inpla_open(&net, &wide_program, &limits[i], memory, 4096, NULL), INPLA_ERROR_MEMORY);
    free(memory);
}

/* --- several workers -------------------------------------------------------------------------------------------- */

#if INPLA_THREADS
/* One worker takes, another gives back: what the net holds in `heap` circulates, however it is spread. */
static void the_slack_covers_what_workers_keep(void)
{
    enum { LIVE = 40 };
    static const unsigned ports[] = {1, 3, 8, 20};
    size_t words = 0;
    for (int i = 0; i < 4; i++)
        words += LIVE * inplaH_cell_bytes(ports[i]) / sizeof(void *);
    testnet net = open_words(words, 2);
    inpla_cell *cells[LIVE];
    for (unsigned round = 0; round < 400; round++) {
        const unsigned size = ports[round % 4];
        inpla_worker *taker = inplaN_worker(net.net, round / 4 % 2);
        inpla_worker *giver = inplaN_worker(net.net, (round / 4 + 1) % 2);
        for (int i = 0; i < LIVE; i++)
            CHECK((cells[i] = inpla_new(taker, NIL, size)) != NULL);
        for (int i = 0; i < LIVE; i++)
            inpla_free(giver, cells[i], size);
    }
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
}
#endif

int main(void)
{
    RUN(a_cell_given_back_is_taken_again_by_the_next_of_its_size);
    RUN(agents_of_up_to_two_ports_and_wires_are_one_size);
    RUN(a_cell_of_n_ports_takes_n_plus_1_words);
    RUN(cells_do_not_overlap);
    RUN(the_macro_and_the_function_count_the_same_bytes);
    RUN(open_refuses_memory_that_is_too_small_or_misaligned);
    RUN(open_refuses_absurd_limits);
#if INPLA_THREADS
    RUN(the_slack_covers_what_workers_keep);
#endif
    return check_report();
}
