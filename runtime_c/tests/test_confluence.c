/*
 * test_confluence.c - random nets of random interaction systems reduce to the same normal form in the same number of
 * interactions, in whatever order and with any number of workers.
 *
 * Arguments: how many nets, the number of the first one.
 */
#define _POSIX_C_SOURCE 200112L
#define INPLA_VALUES 1
#include "inpla_all.c"

#include "check.h"
#include "machine_memory.h"
#include "normal_form.h"
#include "random_machine.h"

enum { MOST_INTERACTIONS = 3000, NETS = 60 };

typedef struct {
    inpla_status status;
    uint64_t interactions;
    uint64_t form;
} outcome;

/* The net, or several copies of it beside each other. */
static outcome reduce(const random_program *program, reduction_order order, unsigned workers, unsigned copies)
{
    outcome result;
    machine of = open_machine(workers);
    random_host.program = program;
    random_host.order = order;
    for (unsigned copy = 0; copy < copies; copy++)
        CHECK_INT(build_net(of.net, copy), INPLA_OK);
    result.status = inpla_reduce(of.net);
    result.interactions = inpla_interactions(of.net) / copies;
    CHECK_INT(result.interactions * copies, inpla_interactions(of.net));
    result.form = 0;
    for (unsigned copy = 0; copy < copies && result.status == INPLA_OK; copy++) {
        const uint64_t form = normal_form_of(random_host.names[copy] + program->twice, program->names - program->twice);
        CHECK(copy == 0 || form == result.form);
        result.form = form;
    }
    close_machine(&of);
    return result;
}

static void check_same(outcome actual, outcome expected, uint32_t number)
{
    if (actual.status == expected.status && actual.interactions == expected.interactions && actual.form == expected.form)
        return;
    printf("net %u\n", number);
    CHECK_INT(actual.status, expected.status);
    CHECK_INT(actual.interactions, expected.interactions);
    CHECK(actual.form == expected.form);
}

/* Returns the interactions of a net that has a normal form, 0 for another one. */
static uint64_t check_net(uint32_t number)
{
    static random_program program;
    make_random_program(&program, number);
    random_host.most = MOST_INTERACTIONS;
    random_host.seed = number + 1;
    const outcome expected = reduce(&program, NEWEST, 1, 1);
    if (expected.status == INPLA_ERROR_NATIVE)
        return 0; /* too long, perhaps for ever */
    CHECK_INT(expected.status, INPLA_OK);
    random_host.most = UINT64_MAX;
    for (unsigned order = NEWEST_AT_ONCE; order < REDUCTION_ORDERS; order++)
        check_same(reduce(&program, (reduction_order)order, 1, 1), expected, number);
#if INPLA_THREADS
    for (unsigned workers = 2; workers <= 8; workers *= 2)
        check_same(reduce(&program, (reduction_order)(number % REDUCTION_ORDERS), workers, MOST_COPIES), expected, number);
#endif
    return expected.interactions;
}

static uint32_t net_count = NETS;
static uint32_t first_net = 1;

static void random_nets_have_one_normal_form_and_one_count(void)
{
    uint64_t nets = 0, interactions = 0;
    for (uint32_t number = first_net; nets < net_count && check_failures == 0; number++) {
        const uint64_t count = check_net(number);
        nets += count > 1;
        interactions += count;
    }
    CHECK(interactions > 20 * nets);
    if (net_count != NETS)
        printf("%llu nets, %llu interactions: ", (unsigned long long)nets, (unsigned long long)interactions);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        net_count = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        first_net = (uint32_t)strtoul(argv[2], NULL, 10);
    RUN(random_nets_have_one_normal_form_and_one_count);
    return check_report();
}
