/*
 * test_values.c - the engine for the general language: numbers as partners and in ports, interface names, memory that
 * grows, rules of several workers (machine_rules.h).
 */
#define INPLA_VALUES 1
#include "inpla_all.c"

#include "check.h"
#include "machine.h"

static void numbers_are_what_they_were_made_of(void)
{
    static const int64_t ints[] = {0, 1, -1, 1 << 30, INPLA_INT_MAX, INPLA_INT_MIN};
    for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++) {
        CHECK(inpla_is_number(inpla_of_int(ints[i])) && inpla_is_int(inpla_of_int(ints[i])));
        CHECK(!inpla_is_float(inpla_of_int(ints[i])));
        CHECK_INT(inpla_int_of(inpla_of_int(ints[i])), ints[i]);
    }
    CHECK_INT(inpla_int_of(inpla_of_int(INPLA_INT_MAX + 1)), INPLA_INT_MIN);
    CHECK(inpla_is_float(inpla_of_float(-0.5f)) && !inpla_is_int(inpla_of_float(-0.5f)));
    CHECK(inpla_is_number(inpla_of_float(0.0f)) && inpla_float_of(inpla_of_float(-0.5f)) == -0.5f);
}

static void memory_grows_with_the_net(void)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        machine of = open_machine(workers);
        inpla_cell *result = ask(of.net, FIB, NULL, inpla_of_int(20));
        CHECK_INT(inpla_reduce(of.net), INPLA_OK);
        CHECK(inpla_is_name(result));
        CHECK_INT(inpla_int_of(inpla_ports(result)[0].cell), 6765);
        CHECK_INT(inpla_ports(result)[1].i, 7);
        CHECK_INT(facts_of(of.net).live_cells, 1);
        CHECK_INT(facts_of(of.net).interactions, 21891 + 2 * 10945);
        close_machine(&of);
    }
}

/* A list of this many numbers in order. */
static void check_sorted(inpla_cell *list, unsigned count)
{
    int64_t before = INPLA_INT_MIN;
    for (list = value_of(list); inpla_agent_of(list) == CONS && count != 0; list = value_of(port(list, 1)), count--) {
        CHECK(int_port(list, 0) >= before);
        before = int_port(list, 0);
    }
    CHECK_INT(inpla_agent_of(list), NIL);
    CHECK_INT(count, 0);
}

/* Sorts a list and checks the count of interactions and that what is left is the list. */
static void sort_with(unsigned workers, unsigned agent, unsigned count, uint64_t *interactions)
{
    machine of = open_machine(workers);
    inpla_cell *list = random_list(of.net, count);
    inpla_cell *result = agent == SORT ? ask(of.net, SORT, NULL, list) : ask(of.net, BSORT, list, inpla_of_int(count));
    CHECK_INT(inpla_reduce(of.net), INPLA_OK);
    check_sorted(result, count);
    if (*interactions == 0)
        *interactions = facts_of(of.net).interactions;
    CHECK_INT(facts_of(of.net).interactions, *interactions);
    CHECK_INT(inpla_connect(inpla_first_worker(of.net), inpla_new(inpla_first_worker(of.net), INPLA_ERASER, 0), result),
              INPLA_OK);
    CHECK_INT(inpla_reduce(of.net), INPLA_OK);
    CHECK_INT(facts_of(of.net).live_cells, 0);
    close_machine(&of);
}

static void lists_are_sorted_by_any_number_of_workers(void)
{
    uint64_t by_insertion = 0, by_bubbles = 0;
    for (unsigned workers = 1; workers <= 8; workers *= 2)
        for (unsigned round = 0; round < 5; round++) {
            sort_with(workers, SORT, 300, &by_insertion);
            sort_with(workers, BSORT, 200, &by_bubbles);
        }
}

static void connect_to_builtin(inpla_worker *worker, unsigned builtin, inpla_cell *partner)
{
    inpla_cell *cell = inpla_new(worker, builtin, builtin == INPLA_DUP ? 2 : 0);
    if (builtin == INPLA_DUP)
        fill2(cell, inpla_name(worker, 1), inpla_name(worker, 2));
    CHECK_INT(inpla_connect(worker, cell, partner), INPLA_OK);
}

/* Interactions of Eraser, of Dup, with cells of numbers, which are told by their values. */
static void numbers_in_ports_are_counted_as_the_language_does(void)
{
    static const unsigned counts[2][3] = {{3, 5, 4}, {2, 3, 1}}; /* (1,2); [1,2]; (1,2,3) */
    for (unsigned builtin = 0; builtin < 2; builtin++) {
        for (unsigned i = 0; i < 3; i++) {
            machine of = open_machine(1);
            inpla_worker *worker = inpla_first_worker(of.net);
            inpla_cell *cell = inpla_new(worker, i < 2 ? CONS : SW, i < 2 ? 2 : 3);
            fill2(cell, number(1), number(2));
            if (i == 1)
                inpla_ports(cell)[1].cell = fill2(inpla_new(worker, CONS, 2), number(2), inpla_new(worker, NIL, 0));
            if (i == 2)
                inpla_ports(cell)[2].cell = number(3);
            connect_to_builtin(worker, builtin == 0 ? INPLA_ERASER : INPLA_DUP, cell);
            CHECK_INT(inpla_reduce(of.net), INPLA_OK);
            CHECK_INT(facts_of(of.net).interactions, counts[builtin][i]);
            close_machine(&of);
        }
    }
}

/* Copies and erases agents of many port counts, whose cells serve each other. */
static void there_is_no_limit_on_ports(void)
{
    machine of = open_machine(1);
    inpla_worker *worker = inpla_first_worker(of.net);
    for (unsigned ports = 100000; ports != 0; ports = ports * 9 / 10) {
        inpla_cell *cell = inpla_new(worker, INPLA_BUILTIN_COUNT, ports);
        CHECK_INT(inpla_port_count(cell), ports);
        for (unsigned i = 0; i < ports; i++)
            inpla_ports(cell)[i].cell = i % 2 == 0 ? number(i) : inpla_new(worker, NIL, 0);
        inpla_cell *dup = inpla_new(worker, INPLA_DUP, 2);
        fill2(dup, inpla_new(worker, INPLA_ERASER, 0), inpla_new(worker, INPLA_ERASER, 0));
        CHECK_INT(inpla_connect(worker, dup, cell), INPLA_OK);
        CHECK_INT(inpla_reduce(of.net), INPLA_OK);
        CHECK_INT(facts_of(of.net).live_cells, 0);
    }
    close_machine(&of);
}

static void a_name_is_consumed_when_both_ends_are_connected(void)
{
    machine of = open_machine(1);
    inpla_worker *worker = inpla_first_worker(of.net);
    inpla_cell *name = inpla_name(worker, 1);
    consumed = NULL;
    CHECK_INT(inpla_connect(worker, inpla_of_int(2), name), INPLA_OK);
    CHECK(consumed == NULL);
    CHECK_INT(inpla_connect(worker, name, inpla_new(worker, INPLA_ERASER, 0)), INPLA_OK);
    CHECK(consumed == name);
    CHECK_INT(inpla_reduce(of.net), INPLA_OK);
    CHECK_INT(facts_of(of.net).live_cells, 0);
    CHECK_INT(facts_of(of.net).interactions, 1);
    close_machine(&of);
}

static void a_failure_is_told_and_forgotten(void)
{
    machine of = open_machine(1);
    inpla_worker *worker = inpla_first_worker(of.net);
    CHECK_INT(inpla_connect(worker, inpla_of_int(2), inpla_of_float(1)), INPLA_OK);
    CHECK_INT(inpla_reduce(of.net), INPLA_ERROR_NO_RULE);
    CHECK_INT(inpla_reduce(of.net), INPLA_ERROR_NO_RULE);
    CHECK(inpla_int_of(inpla_get_failed(of.net).right) == 2);
    inpla_recover(of.net);
    inpla_cell *result = ask(of.net, FIB, NULL, inpla_of_int(10));
    CHECK_INT(inpla_reduce(of.net), INPLA_OK);
    CHECK_INT(inpla_int_of(inpla_ports(result)[0].cell), 55);
    close_machine(&of);
}

int main(void)
{
    RUN(numbers_are_what_they_were_made_of);
    RUN(memory_grows_with_the_net);
    RUN(lists_are_sorted_by_any_number_of_workers);
    RUN(numbers_in_ports_are_counted_as_the_language_does);
    RUN(there_is_no_limit_on_ports);
    RUN(a_name_is_consumed_when_both_ends_are_connected);
    RUN(a_failure_is_told_and_forgotten);
    return check_report();
}
