/*
 * test_values.c - the engine for the general language: numbers as partners and in ports, interface names, memory that
 * grows. The loop is a machine of some hand-written rules:
 *
 *   Fib(r) >< (int n) | n < 2 => r ~ n | _ => Fib(a) ~ n - 1, Fib(b) ~ n - 2, Add(r, b) ~ a;
 *   Add(r, b) >< (int m) => AddTo(r, m) ~ b;      AddTo(r, int m) >< (int n) => r ~ m + n;
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

/* r ~ fib(n), where r is an interface name. */
static inpla_cell *ask_fib(inpla_net *net, int64_t n)
{
    inpla_worker *worker = inpla_first_worker(net);
    inpla_cell *result = inpla_name(worker, 7);
    inpla_cell *fib = inpla_new(worker, FIB, 1);
    inpla_ports(fib)[0].cell = result;
    CHECK_INT(inpla_connect(worker, fib, inpla_of_int(n)), INPLA_OK);
    return result;
}

static void memory_grows_with_the_net(void)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        machine of = open_machine(workers);
        inpla_cell *result = ask_fib(of.net, 20);
        CHECK_INT(inpla_reduce(of.net), INPLA_OK);
        CHECK(inpla_is_name(result));
        CHECK_INT(inpla_int_of(inpla_ports(result)[0].cell), 6765);
        CHECK_INT(inpla_ports(result)[1].i, 7);
        CHECK_INT(facts_of(of.net).live_cells, 1);
        CHECK_INT(facts_of(of.net).interactions, 21891 + 2 * 10945);
        close_machine(&of);
    }
}

static void a_name_is_consumed_when_both_ends_are_connected(void)
{
    machine of = open_machine(1);
    inpla_worker *worker = inpla_first_worker(of.net);
    inpla_cell *name = inpla_name(worker, 1);
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
    inpla_cell *result = ask_fib(of.net, 10);
    CHECK_INT(inpla_reduce(of.net), INPLA_OK);
    CHECK_INT(inpla_int_of(inpla_ports(result)[0].cell), 55);
    close_machine(&of);
}

int main(void)
{
    RUN(numbers_are_what_they_were_made_of);
    RUN(memory_grows_with_the_net);
    RUN(a_name_is_consumed_when_both_ends_are_connected);
    RUN(a_failure_is_told_and_forgotten);
    return check_report();
}
