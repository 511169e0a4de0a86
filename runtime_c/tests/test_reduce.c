/*
 * test_reduce.c - reduction: results and counts of random nets, the user's rules before the built-in ones, too little
 * memory of every amount.
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include "randomnet.h"

enum { HEAP_WORDS = 400000, PAIRS = 20000 };

static void random_nets_give_the_known_result(void)
{
    for (uint32_t seed = 1; seed <= 60; seed++) {
        random_net of = make_random_net(seed, 10 + seed * 20, seed % 5);
        testnet net = open_net(&neuron_program, HEAP_WORDS, PAIRS, of.slots, 1, NULL);
        check_random_net(&of, &net);
        close_net(&net);
        drop_random_net(&of);
    }
}

static void any_number_of_workers_gives_the_same(void)
{
    static const unsigned workers[] = {1, 2, 4, 8};
    for (uint32_t seed = 100; seed < 112; seed++) {
        random_net of = make_random_net(seed, 2500, seed % 4);
        for (unsigned i = 0; i < 4; i++) {
            testnet net = open_net(&neuron_program, HEAP_WORDS, PAIRS, of.slots, workers[i], NULL);
            check_random_net(&of, &net);
            close_net(&net);
        }
        drop_random_net(&of);
    }
}

static void run_again_and_again(unsigned workers)
{
    random_net of = make_random_net(7, 300, 3);
    testnet net = open_net(&neuron_program, HEAP_WORDS, PAIRS, of.slots, workers, NULL);
    const uint64_t once = of.interactions;
    for (unsigned i = 1; i <= 20; i++) {
        of.interactions = i * once;
        check_random_net(&of, &net);
    }
    close_net(&net);
    drop_random_net(&of);
}

static void a_net_can_be_run_again_and_again(void)
{
    run_again_and_again(1);
    run_again_and_again(3);
}

/* The cells of one run serve the next one. */
static void the_high_water_mark_does_not_rise_from_run_to_run(void)
{
    random_net of = make_random_net(8, 300, 0);
    testnet net = open_net(&neuron_program, HEAP_WORDS, PAIRS, of.slots, 1, NULL);
    check_random_net(&of, &net);
    const size_t peak = statistics_of(net.net).heap_bytes;
    of.interactions *= 2;
    check_random_net(&of, &net);
    CHECK_INT(statistics_of(net.net).heap_bytes, peak);
    close_net(&net);
    drop_random_net(&of);
}

/* Runs with so much memory; returns the status, which stays what it is after a failure. */
static inpla_status run_with(const random_net *of, size_t heap_words, size_t pairs, unsigned workers)
{
    testnet net = open_net(&neuron_program, heap_words, pairs, of->slots, workers, NULL);
    const inpla_status status = inpla_run(net.net, of->whole.bytes, of->whole.size);
    if (status != INPLA_OK)
        CHECK_INT(inpla_run(net.net, of->whole.bytes, of->whole.size), status);
    close_net(&net);
    return status;
}

/* One cell after another is missing. */
static void too_small_a_heap_is_an_error_and_no_crash(void)
{
    random_net of = make_random_net(3, 120, 2);
    testnet net = open_net(&neuron_program, HEAP_WORDS, PAIRS, of.slots, 1, NULL);
    check_random_net(&of, &net);
    const size_t needed = statistics_of(net.net).heap_bytes / sizeof(void *);
    close_net(&net);
    for (size_t words = 0; words < needed; words++)
        CHECK_INT(run_with(&of, words, PAIRS, 1), INPLA_ERROR_HEAP);
    drop_random_net(&of);
}

static void a_heap_of_the_high_water_mark_is_enough(void)
{
    for (uint32_t seed = 20; seed < 40; seed++) {
        random_net of = make_random_net(seed, 200, seed % 3);
        testnet net = open_net(&neuron_program, HEAP_WORDS, PAIRS, of.slots, 1, NULL);
        check_random_net(&of, &net);
        const size_t needed = statistics_of(net.net).heap_bytes / sizeof(void *);
        close_net(&net);
        net = open_net(&neuron_program, needed, PAIRS, of.slots, 1, NULL);
        check_random_net(&of, &net);
        close_net(&net);
        drop_random_net(&of);
    }
}

static void too_few_pairs_are_an_error_and_no_crash(void)
{
    random_net of = make_random_net(5, 200, 0);
    size_t pairs = 0;
    while (run_with(&of, HEAP_WORDS, pairs, 1) == INPLA_ERROR_STACK)
        pairs++;
    CHECK(pairs > 1);
    CHECK_INT(run_with(&of, HEAP_WORDS, pairs, 1), INPLA_OK);
    drop_random_net(&of);
}

static void no_memory_limit_of_several_workers_crashes(void)
{
    random_net of = make_random_net(9, 400, 1);
    for (size_t words = 0; words < 1500; words += 100) {
        const inpla_status status = run_with(&of, words, PAIRS, 4);
        CHECK(status == INPLA_OK || status == INPLA_ERROR_HEAP);
    }
    for (size_t pairs = 0; pairs < 60; pairs += 4) {
        const inpla_status status = run_with(&of, HEAP_WORDS, pairs, 4);
        CHECK(status == INPLA_OK || status == INPLA_ERROR_STACK);
    }
    drop_random_net(&of);
}

/* --- which rule ------------------------------------------------------------------------------------------------- */

static int own_rule_calls = 0;

static inpla_status rule_own_eraser(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    CHECK_INT(inpla_agent_of(left), INPLA_ERASER);
    own_rule_calls++;
    inpla_free(worker, left, 0);
    inpla_free(worker, right, 1);
    return INPLA_OK;
}

static void a_rule_of_the_program_goes_before_a_built_in_one_in_both_orders(void)
{
    static const inpla_rule_entry rules[] = {{INPLA_ERASER, CONCRETE, rule_own_eraser}};
    static const uint16_t first_rule[4] = {0, 1, 1, 1};
    const inpla_program program = {"own", neuron_agents, rules, first_rule, NULL, 3, 1, 0};
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_agent(&body, INPLA_ERASER);
    put_float_agent(&body, CONCRETE, 1.0f);
    put_connection(&body);
    put_float_agent(&body, CONCRETE, 1.0f);
    put_agent(&body, INPLA_ERASER);
    image whole = finish_for(&body, 0, &program);
    testnet net = open_net(&program, 100, 10, 0, 1, NULL);
    own_rule_calls = 0;
    CHECK_INT(inpla_run(net.net, whole.bytes, whole.size), INPLA_OK);
    CHECK_INT(own_rule_calls, 2);
    CHECK_INT(statistics_of(net.net).interactions, 2);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    close_net(&net);
    drop_image(&whole);
}

int main(void)
{
    RUN(random_nets_give_the_known_result);
    RUN(any_number_of_workers_gives_the_same);
    RUN(a_net_can_be_run_again_and_again);
    RUN(the_high_water_mark_does_not_rise_from_run_to_run);
    RUN(too_small_a_heap_is_an_error_and_no_crash);
    RUN(a_heap_of_the_high_water_mark_is_enough);
    RUN(too_few_pairs_are_an_error_and_no_crash);
    RUN(no_memory_limit_of_several_workers_crashes);
    RUN(a_rule_of_the_program_goes_before_a_built_in_one_in_both_orders);
    return check_report();
}
