/*
 * test_schedules.c - several workers in one thread, which change places between any two accesses to shared memory, as a
 * random number generator wants it: interleavings that threads hardly ever run into, and the same ones every time.
 *
 * It replaces inpla_threads.c. Every atomic operation of the engine first lets another worker have its turn, perhaps.
 * What this cannot show is what a weak memory order would do; for that there is the thread sanitizer.
 *
 * Arguments: how many nets, the number of the first one.
 */
#define _POSIX_C_SOURCE 200112L
#define INPLA_VALUES 1
#define INPLA_THREADS 1
#define INPLA_FUNC static

#include <stdint.h>

static void take_turns(void);

#define __atomic_load_n(...) (take_turns(), __atomic_load_n(__VA_ARGS__))
#define __atomic_store_n(...) (take_turns(), __atomic_store_n(__VA_ARGS__))
#define __atomic_exchange_n(...) (take_turns(), __atomic_exchange_n(__VA_ARGS__))
#define __atomic_compare_exchange_n(...) (take_turns(), __atomic_compare_exchange_n(__VA_ARGS__))
#define __atomic_add_fetch(...) (take_turns(), __atomic_add_fetch(__VA_ARGS__))
#define __atomic_sub_fetch(...) (take_turns(), __atomic_sub_fetch(__VA_ARGS__))
#define __atomic_or_fetch(...) (take_turns(), __atomic_or_fetch(__VA_ARGS__))

#include "inpla_api.c"
#include "inpla_builtin.c"
#include "inpla_chains.c"
#include "inpla_grow.c"
#include "inpla_hands.c"
#include "inpla_heap.c"
#include "inpla_homes.c"
#include "inpla_message.c"
#include "inpla_post.c"
#include "inpla_reduce.c"
#include "inpla_share.c"
#include "inpla_wire.c"

#include <ucontext.h>

#include "check.h"
#include "machine_memory.h"
#include "normal_form.h"
#include "random_machine.h"

/* --- workers that take turns --------------------------------------------------------------------------------------- */

enum { MOST_WORKERS = 4, STACK_BYTES = 1 << 18 };

static struct {
    ucontext_t contexts[MOST_WORKERS];
    unsigned char is_there[MOST_WORKERS];
    unsigned workers; /* 0: not now */
    unsigned now;
    unsigned patience; /* one in so many operations lets another worker have its turn */
    uint32_t seed;
    inpla_net *net;
} stage;

static void give_way(void)
{
    const unsigned before = stage.now;
    unsigned next = random_below(&stage.seed, stage.workers);
    while (!stage.is_there[next])
        next = (next + 1) % stage.workers;
    stage.now = next;
    if (next != before)
        swapcontext(&stage.contexts[before], &stage.contexts[next]);
}

static void take_turns(void)
{
    if (stage.workers != 0 && random_below(&stage.seed, stage.patience) == 0)
        give_way();
}

static void be_helper(void)
{
    inplaS_help(inplaN_worker(stage.net, stage.now));
    stage.is_there[stage.now] = 0;
    give_way();
}

static void make_context(unsigned worker)
{
    static char stacks[MOST_WORKERS][STACK_BYTES];
    getcontext(&stage.contexts[worker]);
    stage.contexts[worker].uc_stack.ss_sp = stacks[worker];
    stage.contexts[worker].uc_stack.ss_size = STACK_BYTES;
    makecontext(&stage.contexts[worker], be_helper, 0);
}

static int inplaT_begin(inpla_net *net)
{
    net->finished = 0;
    net->present = net->worker_count;
    for (unsigned i = 0; i < net->worker_count; i++) {
        inplaN_worker(net, i)->sharing = 1;
        stage.is_there[i] = 1;
        if (i != 0)
            make_context(i);
    }
    stage.net = net;
    stage.now = 0;
    stage.workers = net->worker_count;
    return 1;
}

static void inplaT_end(inpla_net *net)
{
    net->finished = 1;
    for (unsigned i = 1; i < net->worker_count; i++)
        while (stage.is_there[i])
            give_way();
    stage.workers = 0;
    net->present = 1;
    for (unsigned i = 0; i < net->worker_count; i++)
        inplaN_worker(net, i)->sharing = 0;
}

static void inplaT_pause(unsigned round)
{
    (void)round;
    if (stage.workers != 0)
        give_way();
}

static void inplaT_sleep(const inpla_worker *worker)
{
    while (inplaS_may_sleep(worker))
        give_way();
}

static void inplaT_wake(void)
{
}

/* --- nets ---------------------------------------------------------------------------------------------------------- */

enum { MOST_INTERACTIONS = 400, NETS = 300, SCHEDULES = 6 };

typedef struct {
    inpla_status status;
    uint64_t interactions;
    uint64_t form;
} outcome;

static outcome reduce(const random_program *program, unsigned workers)
{
    outcome result = {INPLA_OK, 0, 0};
    machine of = open_machine(workers);
    CHECK_INT(build_net(of.net, 0), INPLA_OK);
    result.status = inpla_reduce(of.net);
    result.interactions = inpla_interactions(of.net);
    if (result.status == INPLA_OK)
        result.form = normal_form_of(random_host.names[0] + program->twice, program->names - program->twice);
    close_machine(&of);
    return result;
}

/* Returns whether the net has a normal form that is not too far. */
static int check_net(uint32_t number)
{
    static random_program program;
    make_random_program(&program, number);
    random_host.program = &program;
    random_host.order = NEWEST;
    random_host.most = MOST_INTERACTIONS;
    random_host.seed = number + 1;
    const outcome expected = reduce(&program, 1);
    if (expected.status != INPLA_OK)
        return 0;
    random_host.most = UINT64_MAX;
    for (unsigned schedule = 0; schedule < SCHEDULES && check_failures == 0; schedule++) {
        stage.seed = number * SCHEDULES + schedule + 1;
        stage.patience = 1 + schedule % 3 * 3;
        random_host.order = (reduction_order)(schedule % REDUCTION_ORDERS);
        const outcome actual = reduce(&program, 2 + schedule % (MOST_WORKERS - 1));
        CHECK_INT(actual.status, INPLA_OK);
        CHECK_INT(actual.interactions, expected.interactions);
        CHECK(actual.form == expected.form);
        if (check_failures != 0)
            printf("net %u, schedule %u\n", number, schedule);
    }
    return expected.interactions > 1;
}

static uint32_t net_count = NETS;
static uint32_t first_net = 1;

static void every_schedule_gives_the_same(void)
{
    uint32_t nets = 0;
    for (uint32_t number = first_net; nets < net_count && check_failures == 0; number++)
        nets += (uint32_t)check_net(number);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        net_count = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        first_net = (uint32_t)strtoul(argv[2], NULL, 10);
    RUN(every_schedule_gives_the_same);
    return check_report();
}
