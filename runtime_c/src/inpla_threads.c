/*
 * inpla_threads.c - a pool of helper threads, for one net at a time.
 *
 * The pool is made when it is first needed and stays: between two runs helpers look for the next one for a short while,
 * then sleep. A net that finds the pool taken by another net's run, or no helper awake, is reduced by its caller alone,
 * with the same result. This is the only file with static state and the only one that calls the operating system.
 *
 * `pool.lock` guards everything in `pool`; `announced`, `inside` and `sleepers` are also read without it. Who finds it
 * taken looks again for a while: it is held for some instructions only, and a thread that sleeps takes long to wake.
 */
#include "inpla_internal.h"

#if INPLA_THREADS

#include <pthread.h>
#include <sched.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t new_job;  /* for helpers between jobs */
    pthread_cond_t new_work; /* for workers at a net that have found no pair: `sleepers` of them */
    pthread_cond_t all_left; /* for the caller of inpla_run */
    inpla_net *net;          /* the net of the job that helpers may join, or NULL */
    unsigned job;            /* its number */
    unsigned announced;      /* the same, once the lock is free again: a hint for helpers that look for a job */
    unsigned inside;         /* helpers that have not left it yet */
    unsigned sleepers;
    unsigned helpers; /* threads made */
    int is_taken;     /* by a run */
    int is_closing;   /* the program ends, or the library is unloaded */
    pthread_t threads[INPLA_MAX_HELPERS];
} pool = {PTHREAD_MUTEX_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          NULL,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          {0}};

INPLA_FUNC void inplaT_pause(unsigned round)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    if (round % 32 == 0)
        sched_yield();
}

static void lock_pool(void)
{
    for (unsigned round = 1; round < INPLA_SPINS; round++) {
        if (pthread_mutex_trylock(&pool.lock) == 0)
            return;
        inplaT_pause(round);
    }
    pthread_mutex_lock(&pool.lock);
}

/* --- workers without work --------------------------------------------------------------------------------------- */

INPLA_FUNC void inplaT_sleep(const inpla_worker *worker)
{
    pthread_mutex_lock(&pool.lock);
    __atomic_add_fetch(&pool.sleepers, 1, __ATOMIC_SEQ_CST);
    while (inplaS_may_sleep(worker))
        pthread_cond_wait(&pool.new_work, &pool.lock);
    __atomic_sub_fetch(&pool.sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&pool.lock);
}

/* Called after anything that inplaS_may_sleep looks at has changed. Whoever goes to sleep first counts itself and then
 * looks; here it is first the change and then the count: so one of the two sees the other. */
INPLA_FUNC void inplaT_wake(void)
{
    if (__atomic_load_n(&pool.sleepers, __ATOMIC_SEQ_CST) == 0)
        return;
    pthread_mutex_lock(&pool.lock);
    pthread_cond_broadcast(&pool.new_work);
    pthread_mutex_unlock(&pool.lock);
}

/* --- helpers ---------------------------------------------------------------------------------------------------- */

/* Helper n is worker n. */
static int is_job_open(unsigned helper)
{
    return pool.net != NULL && helper < pool.net->present;
}

static void look_for_job(unsigned last_job)
{
    for (unsigned round = 1; round < INPLA_SPINS; round++) {
        if ((int)(__atomic_load_n(&pool.announced, __ATOMIC_RELAXED) - last_job) > 0)
            return;
        inplaT_pause(round);
    }
}

/* Joins the open job and stays until it ends. Called, and returns, with the lock held. */
static void do_job(unsigned helper)
{
    inpla_worker *worker = inplaN_worker(pool.net, helper);
    __atomic_add_fetch(&pool.inside, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&pool.lock);
    inplaS_help(worker);
    lock_pool();
    if (__atomic_sub_fetch(&pool.inside, 1, __ATOMIC_RELEASE) == 0)
        pthread_cond_signal(&pool.all_left);
}

/* Who comes too late for a job, as one that was asleep does for a short one, looks for the next one all the same. */
static void *help(void *number)
{
    const unsigned helper = (unsigned)(uintptr_t)number;
    unsigned last_job = 0;
    pthread_mutex_lock(&pool.lock);
    while (!pool.is_closing) {
        if (pool.job == last_job) {
            pthread_cond_wait(&pool.new_job, &pool.lock);
            continue;
        }
        if (is_job_open(helper))
            do_job(helper);
        last_job = pool.job;
        pthread_mutex_unlock(&pool.lock);
        look_for_job(last_job);
        lock_pool();
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* --- the pool --------------------------------------------------------------------------------------------------- */

static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

/* A child process has none of the helpers. */
static void after_fork_in_child(void)
{
    pool.net = NULL;
    pool.inside = pool.sleepers = pool.helpers = 0;
    pool.is_taken = 0;
    pthread_cond_init(&pool.new_job, NULL);
    pthread_cond_init(&pool.new_work, NULL);
    pthread_cond_init(&pool.all_left, NULL);
    pthread_mutex_unlock(&pool.lock);
}

/* Fewer threads than wanted are no failure. The caller holds the lock. */
static void make_helpers(unsigned wanted)
{
    static int is_fork_safe = 0;
    if (!is_fork_safe)
        is_fork_safe = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
    while (is_fork_safe && pool.helpers < wanted && pool.helpers < INPLA_MAX_HELPERS) {
        if (pthread_create(&pool.threads[pool.helpers], NULL, help, (void *)(uintptr_t)(pool.helpers + 1)) != 0)
            return;
        pool.helpers++;
    }
}

/* Workers 0 to `present` - 1 are at the net, each in a thread of its own. */
static void set_present(inpla_net *net, unsigned present)
{
    net->present = present;
    for (unsigned i = 0; i < net->worker_count; i++)
        inplaN_worker(net, i)->sharing = present > 1;
}

/* Opens the job to helpers. Returns 0 if the pool is taken or has no threads: then the caller is alone. */
INPLA_FUNC int inplaT_begin(inpla_net *net)
{
    lock_pool();
    int has_helpers = 0;
    if (!pool.is_taken && !pool.is_closing) {
        make_helpers(net->worker_count - 1);
        has_helpers = pool.helpers != 0;
    }
    if (has_helpers) {
        net->finished = 0;
        set_present(net, pool.helpers + 1 < net->worker_count ? pool.helpers + 1 : net->worker_count);
        pool.is_taken = 1;
        pool.net = net;
        pool.job++;
        pthread_cond_broadcast(&pool.new_job);
    }
    const unsigned job = pool.job;
    pthread_mutex_unlock(&pool.lock);
    __atomic_store_n(&pool.announced, job, __ATOMIC_RELAXED);
    return has_helpers;
}

/* Closes the job and waits until no helper is at the net. */
INPLA_FUNC void inplaT_end(inpla_net *net)
{
    lock_pool();
    pool.net = NULL;
    __atomic_store_n(&net->finished, 1, __ATOMIC_SEQ_CST);
    pthread_cond_broadcast(&pool.new_work);
    pthread_mutex_unlock(&pool.lock);
    for (unsigned round = 1; round < INPLA_SPINS && __atomic_load_n(&pool.inside, __ATOMIC_ACQUIRE) != 0; round++)
        inplaT_pause(round);
    lock_pool();
    while (pool.inside != 0)
        pthread_cond_wait(&pool.all_left, &pool.lock);
    set_present(net, 1);
    pool.is_taken = 0;
    pthread_mutex_unlock(&pool.lock);
}

/* When the program ends or the library is unloaded no thread may be left in its code. */
__attribute__((destructor)) static void close_pool(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.is_closing = 1;
    pthread_cond_broadcast(&pool.new_job);
    const unsigned helpers = pool.helpers;
    pthread_mutex_unlock(&pool.lock);
    for (unsigned i = 0; i < helpers; i++)
        pthread_join(pool.threads[i], NULL);
}

#endif
