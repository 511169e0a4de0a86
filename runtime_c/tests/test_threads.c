/*
 * test_threads.c - many host threads at once, the pool of helpers, failures of one worker among several. Only with
 * INPLA_THREADS.
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "randomnet.h"
#include "tilenet.h"

enum { HEAP_WORDS = 200000, PAIRS = 10000, HOSTS = 8 };

/* --- host threads ----------------------------------------------------------------------------------------------- */

static void *run_random_nets(void *argument)
{
    const uint32_t first = (uint32_t)(uintptr_t)argument;
    for (uint32_t i = 0; i < 12; i++) {
        random_net of = make_random_net(first + i, 400, i % 4 * 10);
        testnet net = open_net(&neuron_program, HEAP_WORDS, PAIRS, of.slots, 1 + i % 4, NULL);
        check_random_net(&of, &net);
        close_net(&net);
        drop_random_net(&of);
    }
    return NULL;
}

static void host_threads_run_their_own_nets_at_the_same_time(void)
{
    pthread_t hosts[HOSTS];
    for (uintptr_t i = 0; i < HOSTS; i++)
        CHECK_INT(pthread_create(&hosts[i], NULL, run_random_nets, (void *)(i * 1000 + 1)), 0);
    for (int i = 0; i < HOSTS; i++)
        CHECK_INT(pthread_join(hosts[i], NULL), 0);
}

static void many_short_sections_are_reduced_by_all(void)
{
    for (uint32_t seed = 1; seed <= 6; seed++) {
        random_net of = make_random_net(seed, 1500, 700);
        testnet net = open_net(&neuron_program, HEAP_WORDS, PAIRS, of.slots, 3, NULL);
        check_random_net(&of, &net);
        close_net(&net);
        drop_random_net(&of);
    }
}

/* --- helpers ---------------------------------------------------------------------------------------------------- */

static int waiting_tasks = 0;

/* Waits until as many tasks as there are in the layer run at the same time; gives up after a long while. */
static inpla_int run_together(void *data, inpla_int task)
{
    const int together = *(const int *)data;
    const struct timespec pause = {0, 1000000};
    (void)task;
    __atomic_add_fetch(&waiting_tasks, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 30000 && __atomic_load_n(&waiting_tasks, __ATOMIC_SEQ_CST) < together; i++)
        nanosleep(&pause, NULL);
    return __atomic_load_n(&waiting_tasks, __ATOMIC_SEQ_CST) < together;
}

static void tasks_of_one_layer_run_at_the_same_time(void)
{
    for (int together = 1; together <= 5; together++) {
        tile_user user = {run_together, &together};
        image of = tile_image(1, (unsigned)together);
        testnet net = open_net(&tile_program, 4000, 100, 20, (unsigned)together, &user);
        inpla_word token;
        token.i = 0;
        waiting_tasks = 0;
        inpla_put(net.net, 0, READY, token);
        CHECK_INT(inpla_run(net.net, of.bytes, of.size), INPLA_OK);
        CHECK_INT(inpla_get(net.net, 1, READY, &token), INPLA_OK);
        CHECK_INT(token.i, 0);
        CHECK_INT(waiting_tasks, together);
        close_net(&net);
        drop_image(&of);
    }
}

/* More workers than the pool has threads for. */
static void a_net_may_ask_for_more_workers_than_there_are(void)
{
    random_net of = make_random_net(4, 800, 5);
    testnet net = open_net(&neuron_program, HEAP_WORDS, 2000, of.slots, INPLA_MAX_HELPERS + 10, NULL);
    check_random_net(&of, &net);
    close_net(&net);
    drop_random_net(&of);
}

/* One pair without a rule among many with: all workers stop, and the net says why. */
static void a_failure_of_one_worker_stops_all(void)
{
    image body = {NULL, 0, 0};
    for (unsigned i = 0; i < 4000; i++) {
        put_connection(&body);
        put_float_agent(&body, CONCRETE, 1.0f);
        put_agent(&body, i == 2000 ? (unsigned)DONE : (unsigned)TWICE);
        if (i == 2000) {
            put_varint(&body, 0);
            put_int(&body, 1);
        } else {
            put_agent(&body, INPLA_ERASER);
        }
    }
    image whole = finish_for(&body, 0, &neuron_program);
    for (unsigned workers = 1; workers <= 8; workers++) {
        testnet net = open_net(&neuron_program, HEAP_WORDS, PAIRS, 0, workers, NULL);
        CHECK_INT(inpla_run(net.net, whole.bytes, whole.size), INPLA_ERROR_NO_RULE);
        check_message(net.net, "no rule for Concrete >< Done");
        CHECK_INT(inpla_run(net.net, whole.bytes, whole.size), INPLA_ERROR_NO_RULE);
        close_net(&net);
    }
    drop_image(&whole);
}

/* A child process has no helpers, and makes its own. */
static void a_child_process_can_use_the_engine(void)
{
#ifndef __SANITIZE_THREAD__ /* which does not support threads after fork */
    CHECK(pool.helpers > 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        check_failures = 0;
        CHECK_INT(pool.helpers, 0);
        tasks_of_one_layer_run_at_the_same_time();
        _exit(check_failures != 0);
    }
    int status = -1;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
#endif
}

/* What was made public for a sleeper may be gone before it is awake. It has to wish again, or it would sleep for good. */
static void nobody_sleeps_whose_wish_was_answered(void)
{
    testnet net = open_net(&neuron_program, 100, 10, 0, 2, NULL);
    inpla_worker *thief = inplaN_worker(net.net, 1), *victim = inplaN_worker(net.net, 0);
    net.net->present = 2;
    net.net->finished = 0;
    CHECK(!inplaS_may_sleep(thief));
    CHECK(!steal(thief, 1));
    CHECK(inplaS_may_sleep(thief));
    victim->is_asked = 1;
    inplaS_publish(victim);
    CHECK(!inplaS_may_sleep(thief));
    close_net(&net);
}

/* A pair of agents that no rule is called for here. */
static void push_pair(inpla_worker *worker)
{
    CHECK_INT(inpla_push(worker, inpla_new(worker, INPLA_ERASER, 0), inpla_new(worker, INPLA_ERASER, 0)), INPLA_OK);
}

static void pairs_go_into_open_hands(void)
{
    testnet net = open_net(&neuron_program, 100, 10, 0, 2, NULL);
    inpla_worker *waiting = inplaN_worker(net.net, 1), *giver = inplaN_worker(net.net, 0);
    net.net->present = 2;
    giver->sharing = 1;
    push_pair(giver);
    push_pair(giver);
    const inpla_pair oldest = giver->low[0];
    CHECK(!inplaD_take(waiting));
    inplaD_open(waiting);
    (void)inpla_user(giver);
    CHECK_INT(net.net->active, 2);
    CHECK(has_public_pairs(giver)); /* the second one */
    CHECK(inplaD_close(waiting));
    CHECK(waiting->top[-1].left == oldest.left && waiting->top[-1].right == oldest.right);
    CHECK(!inplaD_close(waiting));
    close_net(&net);
}

/* Piece 1 of 2 is worker 1's, who gets it if it waits; else it is put below other pairs, if there are any. */
static void pieces_go_to_their_worker(void)
{
    testnet net = open_net(&neuron_program, 100, 10, 0, 2, NULL);
    inpla_worker *owner = inplaN_worker(net.net, 1), *worker = inplaN_worker(net.net, 0);
    inpla_cell *left = inpla_new(worker, INPLA_ERASER, 0), *right = inpla_new(worker, INPLA_ERASER, 0);
    CHECK(!inpla_passes_on(worker, 1, 2, left, right)); /* it is alone */
    net.net->present = 2;
    worker->sharing = owner->sharing = 1;
    CHECK(!inpla_passes_on(worker, 0, 2, left, right));
    CHECK(!inpla_passes_on(worker, 1, 2, left, right));
    push_pair(worker);
    CHECK(inpla_passes_on(worker, 1, 2, left, right));
    CHECK(worker->low[0].left == left && worker->low[0].right == right && worker->top - worker->low == 2);
    inplaD_open(owner);
    CHECK(inpla_passes_on(worker, 1, 2, left, right));
    CHECK(inplaD_take(owner) && owner->top[-1].left == left);
    CHECK_INT(worker->interactions, (uint64_t)0 - 2); /* each is counted when it is reduced */
    close_net(&net);
}

int main(void)
{
    RUN(pairs_go_into_open_hands);
    RUN(pieces_go_to_their_worker);
    RUN(nobody_sleeps_whose_wish_was_answered);
    RUN(many_short_sections_are_reduced_by_all);
    RUN(tasks_of_one_layer_run_at_the_same_time);
    RUN(host_threads_run_their_own_nets_at_the_same_time);
    RUN(a_net_may_ask_for_more_workers_than_there_are);
    RUN(a_failure_of_one_worker_stops_all);
    RUN(a_child_process_can_use_the_engine);
    return check_report();
}
