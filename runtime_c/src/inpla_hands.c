/*
 * inpla_hands.c - pairs that go from hand to hand: from a worker that has several to one that waits.
 *
 * A worker without pairs opens its hand, on a cache line that it looks at while it waits; whoever has a pair for it puts
 * it there. That takes two accesses of one core to what another one has in its cache, where stealing takes some ten.
 * Before a native function is called, the pairs that wait behind it are handed out; and tiles of one piece of work are
 * handed to the worker that each of them belongs to, which has their data in its cache from the work before.
 *
 * What is put into a hand counts in `net->active` before it can be taken: at its owner, who has stopped counting or is
 * about to.
 */
#include "inpla_internal.h"

#if INPLA_HANDS

INPLA_FUNC void inplaD_open(inpla_worker *worker)
{
    __atomic_store_n(&worker->hand.state, INPLA_HAND_OPEN, __ATOMIC_RELEASE);
}

INPLA_FUNC int inplaD_take(inpla_worker *worker)
{
    if (__atomic_load_n(&worker->hand.state, __ATOMIC_ACQUIRE) != INPLA_HAND_FULL)
        return 0;
    *worker->top++ = worker->hand.pair;
    __atomic_store_n(&worker->hand.state, INPLA_HAND_CLOSED, __ATOMIC_RELAXED);
    return 1;
}

INPLA_FUNC int inplaD_close(inpla_worker *worker)
{
    int state = INPLA_HAND_OPEN;
    if (__atomic_compare_exchange_n(&worker->hand.state, &state, INPLA_HAND_CLOSED, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
        return 0;
    if (state == INPLA_HAND_CLOSED)
        return 0;
    for (unsigned round = 1; !inplaD_take(worker); round++)
        inplaT_pause(round);
    return 1;
}

/* Returns 0 if the other worker does not wait. */
static int give(inpla_worker *to, inpla_pair pair)
{
    int state = __atomic_load_n(&to->hand.state, __ATOMIC_RELAXED);
    if (state != INPLA_HAND_OPEN ||
        !__atomic_compare_exchange_n(&to->hand.state, &state, INPLA_HAND_REACHED, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return 0;
    __atomic_add_fetch(&to->net->active, 1, __ATOMIC_SEQ_CST);
    to->hand.pair = pair;
    __atomic_store_n(&to->hand.state, INPLA_HAND_FULL, __ATOMIC_RELEASE);
    return 1;
}

INPLA_FUNC void inplaD_hand_out(inpla_worker *worker)
{
    const unsigned workers = worker->net->present;
    for (unsigned i = 1; i < workers && worker->top != worker->low; i++)
        if (give(inplaN_worker(worker->net, (worker->number + i) % workers), *worker->low))
            *worker->low = *--worker->top;
}

/* Gives a pair to its owner, if that waits, or puts it below the other pairs. 0: it is all there is to do. */
static int pass_to(inpla_worker *worker, unsigned owner, inpla_pair pair)
{
    if (give(inplaN_worker(worker->net, owner), pair))
        return 1;
    if (worker->put_off >= worker->top - worker->low)
        return 0;
    const inpla_pair other = *worker->low;
    *worker->low = pair;
    *worker->top++ = other;
    worker->put_off++;
    return 1;
}

INPLA_API int inplaD_pass_on(inpla_worker *worker, inpla_int piece, inpla_int pieces, inpla_pair pair)
{
    const uintptr_t owner = (uintptr_t)piece * worker->net->present / (uintptr_t)pieces;
    if (owner != worker->number && pass_to(worker, (unsigned)owner, pair)) {
        worker->interactions--; /* to be counted where it is one */
        return 1;
    }
    worker->put_off = 0;
    return 0;
}

#endif
