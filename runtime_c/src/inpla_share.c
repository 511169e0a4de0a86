/*
 * inpla_share.c - several workers at one net: who reduces which pair, and when all is done.
 *
 * Every worker has its own stack of pairs. The upper part is private: there the owner works without any lock or atomic
 * operation. The lower part is public: a worker without pairs takes the older half of it, under the owner's lock. Where
 * nothing is public, the one who wants pairs leaves a wish and alerts the owner, who answers in its next inpla_next: it
 * makes the older half of its private pairs public, or, if it has only one, sees to it with the next push. All is made public
 * before a native function is called (inpla_user), as that may take long. The owner takes the newer half of the public
 * part back when its private one is used up. In bundles, who waits is given a pair where there is one to give
 * (inpla_hands.c), and wishes only after some time.
 *
 * `net->active` counts the workers that hold pairs or are making some, and the mailboxes that are not empty
 * (inpla_post.c). It grows only where a worker that counts sees to it, so once it is 0 there is nothing left to do.
 */
#include "inpla_internal.h"

#if INPLA_THREADS

static int is_lost(const inpla_net *net)
{
    return __atomic_load_n(&net->lost, __ATOMIC_RELAXED) != INPLA_OK;
}

static int has_public_pairs(const inpla_worker *worker)
{
    const inpla_pair *bottom = __atomic_load_n(&worker->shared.bottom, __ATOMIC_SEQ_CST);
    return bottom != __atomic_load_n(&worker->shared.split, __ATOMIC_SEQ_CST);
}

static int has_wish(const inpla_worker *worker)
{
    return __atomic_load_n(&worker->shared.wish, __ATOMIC_SEQ_CST) != 0;
}

INPLA_FUNC void inplaS_alert(inpla_worker *worker)
{
    __atomic_store_n(&worker->shared.attention, 1, __ATOMIC_SEQ_CST);
    inplaT_wake();
}

#if INPLA_VALUES
INPLA_FUNC void inplaS_alert_others(const inpla_worker *worker)
{
    for (unsigned i = 0; i < worker->net->present; i++)
        if (i != worker->number)
            __atomic_store_n(&inplaN_worker(worker->net, i)->shared.attention, 1, __ATOMIC_SEQ_CST);
    inplaT_wake();
}
#endif

/* --- the owner's side ------------------------------------------------------------------------------------------- */

/* The caller holds the lock, except that only the owner moves `split` up. */
static void set_bounds(inpla_worker *worker, inpla_pair *bottom, inpla_pair *split)
{
    worker->low = split;
    __atomic_store_n(&worker->shared.bottom, bottom, __ATOMIC_SEQ_CST);
    __atomic_store_n(&worker->shared.split, split, __ATOMIC_SEQ_CST);
}

/* Makes the private pairs below `split` public. This answers a wish. */
static void publish(inpla_worker *worker, inpla_pair *split)
{
    if (worker->is_asked) {
        worker->is_asked = 0;
        worker->end = worker->limit;
        __atomic_store_n(&worker->shared.wish, 0, __ATOMIC_SEQ_CST);
    }
    worker->low = split;
    __atomic_store_n(&worker->shared.split, split, __ATOMIC_SEQ_CST);
    inplaT_wake();
}

INPLA_API void inplaS_publish(inpla_worker *worker)
{
    inplaD_hand_out(worker);
    if (worker->top != worker->low || worker->is_asked)
        publish(worker, worker->top);
}

/* If somebody wants pairs. A single one is the owner's own; then the next push shall tell (inplaR_overflow). */
static void answer_wish(inpla_worker *worker)
{
    const ptrdiff_t count = worker->top - worker->low;
    if (!worker->is_asked)
        return;
    if (count > 1 || has_public_pairs(worker))
        publish(worker, worker->low + count / 2);
    else
        worker->end = worker->low;
}

INPLA_FUNC void inplaS_attend(inpla_worker *worker)
{
    if (__atomic_exchange_n(&worker->shared.attention, 0, __ATOMIC_SEQ_CST) == 0)
        return;
    if (inplaP_receive(worker))
        __atomic_sub_fetch(&worker->net->active, 1, __ATOMIC_SEQ_CST); /* not 0: this worker counts */
#if INPLA_HOMES
    inplaC_answer(worker);
#endif
    worker->is_asked = (uint8_t)has_wish(worker);
    answer_wish(worker);
}

INPLA_API int inplaS_give_way(inpla_worker *worker)
{
    inplaS_attend(worker);
    if (worker->is_asked && worker->top != worker->low)
        publish(worker, worker->top);
    const int has_to_end = worker->is_asked || is_lost(worker->net);
    if (has_to_end)
        __atomic_store_n(&worker->shared.attention, 1, __ATOMIC_RELAXED);
    return has_to_end;
}

/* The private part is empty: makes the newer half of the public part private. Returns 0 if there is nothing. */
static int take_back(inpla_worker *worker)
{
    inplaN_lock(&worker->shared.lock);
    inpla_pair *const bottom = worker->shared.bottom;
    const ptrdiff_t count = worker->low - bottom;
    if (count == 0) {
        set_bounds(worker, worker->base, worker->base);
        worker->top = worker->base;
    } else {
        set_bounds(worker, bottom, worker->low - (count + 1) / 2);
    }
    inplaN_unlock(&worker->shared.lock);
    answer_wish(worker);
    return count != 0;
}

INPLA_API inpla_pair inplaS_next(inpla_worker *worker)
{
    const inpla_pair nothing = {NULL, NULL};
    if (inpla_is_wanted(worker))
        inplaS_attend(worker);
    if (is_lost(worker->net) || (worker->top == worker->low && !(worker->sharing && take_back(worker))))
        return nothing;
    return *--worker->top;
}

/* The array is full: moves the pairs down over those that others have taken, or makes it larger. */
static int make_room(inpla_worker *worker)
{
    inplaN_lock(&worker->shared.lock);
    inpla_pair *const bottom = worker->shared.bottom;
    const ptrdiff_t taken = bottom - worker->base;
    for (inpla_pair *pair = bottom; taken != 0 && pair != worker->top; pair++)
        pair[-taken] = *pair;
    worker->top -= taken;
    set_bounds(worker, worker->base, worker->low - taken);
    int has_room = taken != 0;
#if INPLA_VALUES
    has_room = has_room || inplaG_grow_pairs(worker);
#endif
    inplaN_unlock(&worker->shared.lock);
    return has_room;
}

INPLA_API inpla_status inplaR_overflow(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    if (worker->is_asked && worker->top != worker->low) {
        publish(worker, worker->top);
    } else if (worker->is_asked) {
        /* the rule at hand may go on with another pair: to be seen by inpla_is_wanted */
        worker->end = worker->limit;
        __atomic_store_n(&worker->shared.attention, 1, __ATOMIC_RELAXED);
    }
    if (worker->top == worker->limit && !make_room(worker))
        return INPLA_ERROR_STACK;
    return inpla_push(worker, left, right);
}

/* --- the thief's side ------------------------------------------------------------------------------------------- */

static void leave_wish(inpla_worker *victim)
{
    if (__atomic_load_n(&victim->shared.wish, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&victim->shared.wish, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&victim->shared.attention, 1, __ATOMIC_SEQ_CST);
}

/* Takes the older half of the victim's public part, or what the thief is given meanwhile. The thief's array is empty. */
static int steal_from(inpla_worker *thief, inpla_worker *victim)
{
#if INPLA_VALUES
    if (thief->base == thief->limit && !make_room(thief))
        return 0;
#endif
    if (inplaD_close(thief))
        return 1;
    inplaN_lock(&victim->shared.lock);
    inpla_pair *const bottom = victim->shared.bottom;
    ptrdiff_t count = (__atomic_load_n(&victim->shared.split, __ATOMIC_SEQ_CST) - bottom + 1) / 2;
    if (count > thief->limit - thief->top)
        count = thief->limit - thief->top;
    for (ptrdiff_t i = 0; i < count; i++)
        thief->top[i] = bottom[i];
    if (count != 0) {
        __atomic_add_fetch(&thief->net->active, 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&victim->shared.bottom, bottom + count, __ATOMIC_SEQ_CST);
    }
    inplaN_unlock(&victim->shared.lock);
    thief->top += count;
    if (count == 0)
        inplaD_open(thief);
    return count != 0;
}

/* From whoever has something to take; whoever has not is left a wish, if it is time to ask. */
static int steal(inpla_worker *thief, int asks)
{
    const unsigned workers = thief->net->present;
    for (unsigned i = 1; i < workers; i++) {
        inpla_worker *victim = inplaN_worker(thief->net, (thief->number + i) % workers);
        if (has_public_pairs(victim)) {
            if (steal_from(thief, victim))
                return 1;
        } else if (asks) {
            leave_wish(victim);
        }
    }
    return 0;
}

/* --- a worker's life -------------------------------------------------------------------------------------------- */

/* Reduces until the worker has nothing left to do. It counts in `active`, until it returns. */
static void reduce_own(inpla_worker *worker)
{
    inplaR_reduce(worker);
#if INPLA_HOMES
    inplaC_send_home(worker);
#endif
    inplaD_open(worker);
    if (__atomic_sub_fetch(&worker->net->active, 1, __ATOMIC_SEQ_CST) == 0 || is_lost(worker->net))
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

/* Everybody else has nothing to take and knows that somebody wants pairs. A wish that is gone was answered, and what was
 * made public may have been taken back since then. */
INPLA_FUNC int inplaS_may_sleep(const inpla_worker *worker)
{
    for (unsigned i = 0; i < worker->net->present; i++) {
        const inpla_worker *other = inplaN_worker(worker->net, i);
        if (i != worker->number && (has_public_pairs(other) || !has_wish(other)))
            return 0;
    }
#if INPLA_HOMES
    if (inplaC_is_asked(worker))
        return 0;
#endif
    return !inplaP_has_mail(worker) && !is_over(worker);
}

/* Gets pairs, of others or out of the mail, which count in `active` from then on. */
static int find_work(inpla_worker *worker, int asks)
{
    const int has_mail = inplaP_has_mail(worker);
#if INPLA_HOMES
    inplaC_answer(worker);
#endif
    if (!has_mail && !steal(worker, asks))
        return 0;
    if (has_mail && !inplaD_close(worker))
        inplaP_receive(worker);
    answer_wish(worker);
    return 1;
}

/* Is this worker's mail all that is left to do? */
static int is_waited_for(const inpla_worker *worker)
{
    return inplaP_has_mail(worker) && __atomic_load_n(&worker->net->active, __ATOMIC_SEQ_CST) == 1;
}

/* Reduces what was found. Returns how many rounds the worker stays away from the next work: the more of them, the less
 * there was to do. So a worker that follows another one's output, and has caught up with it, falls behind by a long
 * stretch, instead of taking turns with it at every step. */
static unsigned reduce_found(inpla_worker *worker, unsigned patience)
{
    const uint64_t before = worker->interactions;
    reduce_own(worker);
    if (worker->interactions - before >= INPLA_LITTLE_WORK)
        return patience / 4;
    return patience < INPLA_SPINS / 4 ? patience * 2 + 16 : patience;
}

/* One round of looking for work. Not 0: there is some. */
static int looks_around(inpla_worker *worker, unsigned round, unsigned patience)
{
    if (inplaD_take(worker))
        return 1;
    if ((round > patience || is_waited_for(worker)) && find_work(worker, round > INPLA_ASK_AFTER))
        return 1;
    if (round < INPLA_SPINS)
        return 0;
    if (inplaD_close(worker))
        return 1;
    inplaT_sleep(worker);
    inplaD_open(worker);
    return 0;
}

/* Looks for work until it is over. */
static void work_for_others(inpla_worker *worker)
{
    unsigned patience = 0;
    for (unsigned round = 1; !is_over(worker); round++) {
        if (looks_around(worker, round, patience)) {
            patience = reduce_found(worker, patience);
            round = 0;
        } else if (round < INPLA_SPINS) {
            inplaT_pause(round);
        } else {
            round = 0;
        }
    }
    (void)inplaD_close(worker);
}

INPLA_FUNC void inplaS_reduce(inpla_worker *caller)
{
    reduce_own(caller);
    work_for_others(caller);
    __atomic_add_fetch(&caller->net->active, 1, __ATOMIC_SEQ_CST);
}

INPLA_FUNC void inplaS_help(inpla_worker *helper)
{
    inplaD_open(helper);
    work_for_others(helper);
}

#endif
