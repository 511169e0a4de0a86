/*
 * inpla_homes.c - cells and the workers that they belong to: where memory grows.
 *
 * A worker takes its cells from blocks of its own; the net has a table of whose a block is. Workers keep to their own
 * cells as far as they can: were neighbouring cells in the hands of two workers, each would wait for the other's cache
 * line at every step. So free cells of others (strays) are not taken again but sent home, to a list that their owner
 * takes as a whole when it has no free cell left. They are sent when a worker has nothing else to do, and when an owner
 * asks for them, as it does whenever it needs a new block. Alone, a worker keeps all that it gives back.
 *
 * When memory cannot grow, a worker asks the others for all the free cells that they have, and waits until all have
 * answered, each in its next inpla_next.
 */
#include "inpla_internal.h"

#if INPLA_HOMES

/* --- going home -------------------------------------------------------------------------------------------------- */

/* Sends the cells from `first` to `last`, which are linked. */
static void send(inpla_cell **list, inpla_cell *first, inpla_cell *last)
{
    inpla_cell *others = __atomic_load_n(list, __ATOMIC_RELAXED);
    do
        inpla_ports(last)[0].cell = others;
    while (!__atomic_compare_exchange_n(list, &others, first, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Sends a list of one size class: cells of one owner that follow each other together. */
static void send_list(const inpla_worker *worker, inpla_cell *cell, unsigned size_class)
{
    while (cell != NULL) {
        const unsigned home = inpla_home_of(worker, cell);
        inpla_cell *const first = cell;
        inpla_cell *last = cell;
        for (; cell != NULL && inpla_home_of(worker, cell) == home; cell = inpla_ports(cell)[0].cell)
            last = cell;
        send(&inplaN_worker(worker->net, home)->shared.come_home[size_class], first, last);
    }
}

INPLA_FUNC void inplaC_send_home(inpla_worker *worker)
{
    for (unsigned i = 0; i < INPLA_CLASSES; i++) {
        inpla_cell *const list = worker->strays[i];
        worker->strays[i] = NULL;
        send_list(worker, list, i);
    }
}

/* What has come home, as a list. */
static inpla_cell *take_home_comers(inpla_worker *worker, unsigned size_class)
{
    inpla_cell **const list = &worker->shared.come_home[size_class];
    if (__atomic_load_n(list, __ATOMIC_RELAXED) == NULL)
        return NULL;
    return __atomic_exchange_n(list, NULL, __ATOMIC_ACQUIRE);
}

/* --- cells that were never used ----------------------------------------------------------------------------------- */

/* The caller holds the lock. */
static uint8_t *new_block(inpla_net *net, unsigned owner)
{
    for (int round = 0; round < 2; round++) {
        uint8_t *start = net->heap_next + (0 - (uintptr_t)net->heap_next) % INPLA_BLOCK;
        if (net->heap_next != NULL && start < net->heap_end && net->heap_end - start >= INPLA_BLOCK) {
            net->heap_next = start + INPLA_BLOCK;
            uint8_t *const home = &net->homes[(uintptr_t)start / INPLA_BLOCK % INPLA_HOME_ENTRIES];
            __atomic_store_n(home, (uint8_t)owner, __ATOMIC_RELAXED);
            return start;
        }
        if (round == 0 && !inplaG_grow_heap(net, 2 * INPLA_BLOCK))
            return NULL;
    }
    return NULL;
}

/* The others shall send home what belongs to this worker. */
static void ask_for_strays(const inpla_worker *worker)
{
    if (!worker->sharing)
        return;
    for (unsigned i = 0; i < worker->net->present; i++)
        if (i != worker->number)
            __atomic_store_n(&inplaN_worker(worker->net, i)->shared.strays, 1, __ATOMIC_RELAXED);
    inplaS_alert_others(worker);
}

static inpla_cell *unused_cell(inpla_worker *worker, unsigned ports)
{
    const size_t bytes = inplaH_cell_bytes(ports);
    if ((size_t)(worker->block_end - worker->block_next) < bytes) {
        inplaN_lock(&worker->net->heap_lock);
        uint8_t *block = new_block(worker->net, worker->number);
        inplaN_unlock(&worker->net->heap_lock);
        if (block == NULL)
            return NULL;
        ask_for_strays(worker);
        worker->block_next = block;
        worker->block_end = block + INPLA_BLOCK;
    }
    inpla_cell *cell = (inpla_cell *)(void *)worker->block_next;
    worker->block_next += bytes;
    worker->cells++;
#if INPLA_CHECK
    cell->head = INPLA_FREE;
#endif
    return cell;
}

/* --- when memory is exhausted ------------------------------------------------------------------------------------- */

INPLA_FUNC int inplaC_is_asked(const inpla_worker *worker)
{
    return __atomic_load_n(&worker->shared.classes, __ATOMIC_SEQ_CST) != 0;
}

static void put_list(inpla_net *net, unsigned size_class, inpla_cell *list)
{
    if (list != NULL)
        inplaC_put_chain(net, size_class, list);
}

static void give_own(inpla_worker *worker)
{
    if (!inplaC_is_asked(worker))
        return;
    inplaN_lock(&worker->net->heap_lock);
    const unsigned classes = __atomic_exchange_n(&worker->shared.classes, 0, __ATOMIC_SEQ_CST);
    inplaC_send_home(worker);
    for (unsigned i = 0; i < INPLA_CLASSES; i++) {
        if ((classes >> i & 1u) == 0)
            continue;
        put_list(worker->net, i, worker->free_list[i]);
        put_list(worker->net, i, take_home_comers(worker, i));
        worker->free_list[i] = NULL;
    }
    inplaN_unlock(&worker->net->heap_lock);
}

INPLA_FUNC void inplaC_answer(inpla_worker *worker)
{
    if (__atomic_load_n(&worker->shared.strays, __ATOMIC_RELAXED) != 0) {
        __atomic_store_n(&worker->shared.strays, 0, __ATOMIC_RELAXED);
        inplaC_send_home(worker);
    }
    give_own(worker);
}

static inpla_cell *take_shared(inpla_worker *worker, unsigned size_class)
{
    inplaN_lock(&worker->net->heap_lock);
    inpla_cell *chain = inplaC_take_chain(worker->net, size_class);
    inplaN_unlock(&worker->net->heap_lock);
    return chain;
}

static void ask_others(const inpla_worker *worker, unsigned size_class)
{
    for (unsigned i = 0; i < worker->net->worker_count; i++)
        if (i != worker->number)
            __atomic_or_fetch(&inplaN_worker(worker->net, i)->shared.classes, 1u << size_class, __ATOMIC_SEQ_CST);
    inplaS_alert_others(worker);
}

/* Of workers without a thread the asking one answers. */
static int have_all_answered(const inpla_worker *worker, unsigned size_class)
{
    for (unsigned i = 0; i < worker->net->worker_count; i++) {
        inpla_worker *other = inplaN_worker(worker->net, i);
        if (i >= worker->net->present && i != worker->number)
            give_own(other);
        else if (i != worker->number &&
                 (__atomic_load_n(&other->shared.classes, __ATOMIC_SEQ_CST) >> size_class & 1u) != 0)
            return 0;
    }
    return 1;
}

static inpla_cell *wait_for_cells(inpla_worker *worker, unsigned size_class)
{
    inpla_cell *chain = take_shared(worker, size_class);
    if (chain != NULL)
        return chain;
    ask_others(worker, size_class);
    for (unsigned round = 1; !have_all_answered(worker, size_class); round++) {
        if (__atomic_load_n(&worker->net->lost, __ATOMIC_ACQUIRE) != INPLA_OK)
            return NULL; /* who has left no longer answers */
        give_own(worker); /* who waits for each other's answer answers */
        inplaT_pause(round);
    }
    chain = take_home_comers(worker, size_class);
    return chain != NULL ? chain : take_shared(worker, size_class);
}

INPLA_FUNC inpla_cell *inplaC_refill(inpla_worker *worker, unsigned ports)
{
    const unsigned size_class = INPLA_CLASS(ports);
    inpla_cell *cell = take_home_comers(worker, size_class);
    if (cell == NULL && (cell = unused_cell(worker, ports)) != NULL)
        return cell;
    if (cell == NULL)
        cell = wait_for_cells(worker, size_class);
    if (cell != NULL)
        worker->free_list[size_class] = inpla_ports(cell)[0].cell;
    return cell;
}

#endif
