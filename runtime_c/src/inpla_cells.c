/*
 * inpla_cells.c - free cells go from worker to worker when they are asked for: where memory grows.
 *
 * A free list grows without bound. A worker without free cells of a size takes a chain of the net, else of the unused
 * part of the heap; then it also asks the others, who answer in their next inpla_next with what they have. When memory
 * cannot grow, it waits for that. A worker that has nothing to do, or waits for cells, keeps none itself. So if all do,
 * and the net has no chain, the heap is exhausted: it is only when all its cells are in use.
 */
#include "inpla_internal.h"

#if INPLA_THREADS && INPLA_VALUES

/* Fresh cells per chain: many, as others are asked for cells before memory grows. */
enum { FRESH_CELLS = 8 * INPLA_CHAIN, SHARED_CHAINS = 8 };

/* --- giving ----------------------------------------------------------------------------------------------------- */

/* Takes INPLA_CHAIN cells off a list; all of it, if it has no more. */
static inpla_cell *cut(inpla_cell **list)
{
    inpla_cell *const chain = *list;
    inpla_cell *last = chain;
    for (unsigned i = 1; i < INPLA_CHAIN && last != NULL; i++)
        last = inpla_ports(last)[0].cell;
    *list = last == NULL ? NULL : inpla_ports(last)[0].cell;
    if (last != NULL)
        inpla_ports(last)[0].cell = NULL;
    return chain;
}

/* Gives the net a list, so that several workers may have some of it. */
static void give(inpla_net *net, unsigned size_class, inpla_cell *list, unsigned chains)
{
    for (; chains != 0 && list != NULL; chains--) {
        inpla_cell *chain = cut(&list);
        inplaC_put_chain(net, size_class, chain);
    }
    if (list != NULL)
        inplaC_put_chain(net, size_class, list);
}

/* Gives away the worker's cells of those size classes that have a bit in `classes`. */
static void give_classes(inpla_worker *worker, unsigned classes, unsigned chains)
{
    for (unsigned i = 0; i < INPLA_CLASSES; i++) {
        if ((classes >> i & 1u) == 0)
            continue;
        give(worker->net, i, worker->free_list[i], chains);
        worker->free_list[i] = NULL;
    }
}

INPLA_FUNC void inplaC_share(inpla_worker *worker)
{
    if (__atomic_load_n(&worker->shared.classes, __ATOMIC_RELAXED) == 0)
        return;
    const unsigned classes = __atomic_exchange_n(&worker->shared.classes, 0, __ATOMIC_SEQ_CST);
    inplaN_lock(&worker->net->heap_lock);
    give_classes(worker, classes, SHARED_CHAINS);
    inplaN_unlock(&worker->net->heap_lock);
}

INPLA_FUNC void inplaC_enter(inpla_worker *worker)
{
    inplaN_lock(&worker->net->heap_lock);
    worker->net->busy++;
    inplaN_unlock(&worker->net->heap_lock);
}

INPLA_FUNC void inplaC_leave(inpla_worker *worker)
{
    inplaN_lock(&worker->net->heap_lock);
    give_classes(worker, (1u << INPLA_CLASSES) - 1, 0);
    worker->net->busy--;
    inplaN_unlock(&worker->net->heap_lock);
}

/* --- asking ----------------------------------------------------------------------------------------------------- */

static void ask_others(const inpla_worker *worker, unsigned size_class)
{
    for (unsigned i = 0; i < worker->net->present; i++)
        __atomic_or_fetch(&inplaN_worker(worker->net, i)->shared.classes, 1u << size_class, __ATOMIC_SEQ_CST);
    inplaS_alert_others(worker);
}

/* A chain, and the worker is busy again; or NULL if nobody may have one. */
static inpla_cell *try_again(inpla_worker *worker, unsigned size_class, int *is_over)
{
    inpla_net *net = worker->net;
    inplaN_lock(&net->heap_lock);
    inpla_cell *chain = inplaC_take_chain(net, size_class);
    *is_over = chain != NULL || net->busy == 0 || __atomic_load_n(&net->lost, __ATOMIC_RELAXED) != INPLA_OK;
    if (*is_over)
        net->busy++;
    inplaN_unlock(&net->heap_lock);
    return chain;
}

static inpla_cell *wait_for_chain(inpla_worker *worker, unsigned size_class)
{
    inpla_cell *chain = NULL;
    int is_over = 0;
    inplaC_leave(worker);
    for (unsigned round = 1; !is_over; round++) {
        chain = try_again(worker, size_class, &is_over);
        if (!is_over && round % 16 == 1)
            ask_others(worker, size_class);
        inplaT_pause(round);
    }
    return chain;
}

INPLA_FUNC inpla_cell *inplaC_refill(inpla_worker *worker, unsigned ports)
{
    inpla_net *net = worker->net;
    const unsigned size_class = INPLA_CLASS(ports);
    unsigned count;
    inplaN_lock(&net->heap_lock);
    inpla_cell *chain = inplaC_take_chain(net, size_class);
    const int is_asking = chain == NULL && net->busy > 1;
    if (chain == NULL)
        chain = inplaC_fresh_chain(net, ports, FRESH_CELLS, &count);
    inplaN_unlock(&net->heap_lock);
    if (is_asking)
        ask_others(worker, size_class);
    if (chain == NULL && worker->sharing)
        chain = wait_for_chain(worker, size_class);
    if (chain != NULL)
        worker->free_list[size_class] = inpla_ports(chain)[0].cell;
    return chain;
}

#endif
