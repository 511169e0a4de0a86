/*
 * inpla_share.c - several workers at one net: who reduces which pair, and when all is done.
 *
 * Every worker has its own stack of pairs. The lower part of it is public: a worker without pairs takes the older half
 * of another's public part, under that worker's lock. The owner works in the upper, private part without any lock or
 * atomic operation, makes the private part public whenever nothing else is, and before a native function is called
 * (inpla_user), as that may take long; it takes half of the public part back when the private one is used up.
 *
 * `net->active` counts the workers that hold pairs or are reducing one. It grows only under the lock of a worker that
 * still has pairs, so once it is 0 there are none.
 */
#include "inpla_internal.h"

#if INPLA_THREADS

static int is_lost(const inpla_net *net)
{
    return __atomic_load_n(&net->lost, __ATOMIC_RELAXED) != INPLA_OK;
}

static int has_public_pairs(const inpla_worker *worker)
{
    return __atomic_load_n(&worker->bottom, __ATOMIC_SEQ_CST) != __atomic_load_n(&worker->split, __ATOMIC_SEQ_CST);
}

/* --- the owner's side ------------------------------------------------------------------------------------------- */

/* The caller holds the lock, except that only the owner moves `split` up. */
static void set_bounds(inpla_worker *worker, inpla_pair *bottom, inpla_pair *split)
{
    __atomic_store_n(&worker->bottom, bottom, __ATOMIC_SEQ_CST);
    __atomic_store_n(&worker->split, split, __ATOMIC_SEQ_CST);
}

/* Makes the private part public. */
INPLA_API void inplaS_publish(inpla_worker *worker)
{
    __atomic_store_n(&worker->split, worker->top, __ATOMIC_SEQ_CST);
    inplaT_wake();
}

/* The private part is empty: makes the newer half of the public part private. Returns 0 if there is nothing. */
static int take_back(inpla_worker *worker)
{
    inplaN_lock(&worker->lock);
    const ptrdiff_t count = worker->split - worker->bottom;
    if (count == 0) {
        set_bounds(worker, worker->base, worker->base);
        worker->top = worker->base;
    } else {
        set_bounds(worker, worker->bottom, worker->split - (count + 1) / 2);
    }
    inplaN_unlock(&worker->lock);
    return count != 0;
}

/* The array is full: moves the pairs down over those that others have taken. */
INPLA_API inpla_status inplaR_overflow(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inplaN_lock(&worker->lock);
    const ptrdiff_t taken = worker->bottom - worker->base;
    for (inpla_pair *pair = worker->bottom; taken != 0 && pair != worker->top; pair++)
        pair[-taken] = *pair;
    worker->top -= taken;
    set_bounds(worker, worker->base, worker->split - taken);
    int has_room = taken != 0;
#if INPLA_VALUES
    has_room = has_room || inplaG_grow_pairs(worker);
#endif
    inplaN_unlock(&worker->lock);
    return has_room ? inpla_push(worker, left, right) : INPLA_ERROR_STACK;
}

INPLA_API int inplaS_next(inpla_worker *worker, inpla_pair *pair)
{
    if (is_lost(worker->net) || (worker->top == worker->split && !take_back(worker)))
        return 0;
    *pair = *--worker->top;
    if (worker->sharing && worker->top != worker->split &&
        __atomic_load_n(&worker->bottom, __ATOMIC_RELAXED) == worker->split)
        inplaS_publish(worker);
    return 1;
}

/* Reduces until the worker has no pair left, or the net is lost. */
static void reduce_own(inpla_worker *worker)
{
    inplaR_reduce(worker);
    if (is_lost(worker->net))
        inplaT_wake();
}

/* --- the thief's side ------------------------------------------------------------------------------------------- */

/* Takes the older half of the victim's public part. The thief's array is empty. */
static int steal_from(inpla_worker *thief, inpla_worker *victim)
{
    if (!has_public_pairs(victim))
        return 0;
    inplaN_lock(&victim->lock);
    inpla_pair *bottom = victim->bottom;
    ptrdiff_t count = (__atomic_load_n(&victim->split, __ATOMIC_SEQ_CST) - bottom + 1) / 2;
    if (count > thief->end - thief->top)
        count = thief->end - thief->top;
    for (ptrdiff_t i = 0; i < count; i++)
        thief->top[i] = bottom[i];
    if (count != 0) {
        __atomic_add_fetch(&thief->net->active, 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&victim->bottom, bottom + count, __ATOMIC_SEQ_CST);
    }
    inplaN_unlock(&victim->lock);
    thief->top += count;
    return count != 0;
}

static int steal(inpla_worker *thief)
{
    const unsigned workers = thief->net->worker_count;
    for (unsigned i = 1; i < workers; i++)
        if (steal_from(thief, inplaN_worker(thief->net, (thief->number + i) % workers)))
            return 1;
    return 0;
}

/* --- a worker's life -------------------------------------------------------------------------------------------- */

static void become_idle(inpla_net *net)
{
    if (__atomic_sub_fetch(&net->active, 1, __ATOMIC_SEQ_CST) == 0)
        inplaT_wake();
}

/* Is it over for this worker? A section, for the caller of inpla_run (worker 0); the whole run, for a helper. */
static int is_over(const inpla_worker *worker)
{
    const inpla_net *net = worker->net;
    if (is_lost(net))
        return 1;
    return worker->number == 0 ? __atomic_load_n(&net->active, __ATOMIC_SEQ_CST) == 0
                               : __atomic_load_n(&net->finished, __ATOMIC_SEQ_CST);
}

INPLA_FUNC int inplaS_may_sleep(const inpla_worker *worker)
{
    for (unsigned i = 0; i < worker->net->worker_count; i++)
        if (has_public_pairs(inplaN_worker(worker->net, i)))
            return 0;
    return !is_over(worker);
}

/* Looks for pairs of others until it is over. */
static void work_for_others(inpla_worker *worker)
{
    for (unsigned round = 1; !is_over(worker); round++) {
        if (steal(worker)) {
            reduce_own(worker);
            become_idle(worker->net);
            round = 0;
        } else if (round < INPLA_SPINS) {
            inplaT_pause(round);
        } else {
            inplaT_sleep(worker);
        }
    }
}

INPLA_FUNC void inplaS_reduce(inpla_worker *caller)
{
    __atomic_store_n(&caller->net->active, 1, __ATOMIC_SEQ_CST);
    reduce_own(caller);
    become_idle(caller->net);
    work_for_others(caller);
}

INPLA_FUNC void inplaS_help(inpla_worker *helper)
{
    work_for_others(helper);
}

#endif
