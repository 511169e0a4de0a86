/*
 * inpla_heap.c - cells: where they come from when a worker's free list is empty, where they go when it is full.
 *
 * Without threads, or with one worker, a free list grows without bound and new cells come from the end of the used part
 * of the heap, one by one. With several workers, cells move between a worker and the net in chains of INPLA_CHAIN, so
 * that the net's lock is rarely taken and no worker keeps more than two chains of a size: that is the slack in
 * INPLA_MEMORY_BYTES.
 *
 * Cells of more than INPLA_SMALL_PORTS ports are rare: they lie in one list of the net, of lists by port count. Port 0
 * links cells of equal port count, port 1 of the first of them links to the next port count.
 */
#include "inpla_internal.h"

INPLA_STATIC_ASSERT(INPLA_SLACK_WORDS >= 2 * INPLA_CHAIN * INPLA_CLASSES * (3 + INPLA_SMALL_PORTS + 1) / 2,
                    "INPLA_SLACK_WORDS covers two chains of every size");

#if INPLA_THREADS
static void lock_heap(inpla_net *net)
{
    inplaN_lock(&net->heap_lock);
}

static void unlock_heap(inpla_net *net)
{
    inplaN_unlock(&net->heap_lock);
}
#else
#define lock_heap(net) ((void)(net))
#define unlock_heap(net) ((void)(net))
#endif

/* A cell that was never used, or NULL. */
static inpla_cell *fresh_cell(inpla_net *net, unsigned ports)
{
    const size_t bytes = inplaH_cell_bytes(ports);
    if (inpla_unlikely((size_t)(net->heap_end - net->heap_next) < bytes)) {
#if INPLA_VALUES
        if (!inplaG_grow_heap(net, bytes))
            return NULL;
#else
        return NULL;
#endif
    }
    inpla_cell *cell = (inpla_cell *)(void *)net->heap_next;
    net->heap_next += bytes;
    return cell;
}

/* --- large cells ------------------------------------------------------------------------------------------------ */

/* The link to the list of this port count; its target is NULL if there is none. */
static inpla_cell **large_list(inpla_net *net, unsigned ports)
{
    inpla_cell **link = &net->large;
    while (*link != NULL && inpla_port_count(*link) != ports)
        link = &inpla_ports(*link)[1].cell;
    return link;
}

static inpla_cell *take_large(inpla_net *net, unsigned ports)
{
    inpla_cell **link = large_list(net, ports);
    inpla_cell *cell = *link;
    if (cell == NULL)
        return fresh_cell(net, ports);
    inpla_cell *other_size = inpla_ports(cell)[1].cell;
    *link = inpla_ports(cell)[0].cell;
    if (*link == NULL)
        *link = other_size;
    else
        inpla_ports(*link)[1].cell = other_size;
    return cell;
}

INPLA_API void inplaH_free_large(inpla_worker *worker, inpla_cell *cell, unsigned ports)
{
    inpla_net *net = worker->net;
    lock_heap(net);
    inpla_cell **link = large_list(net, ports);
    inpla_cell *same_size = *link;
    cell->head = inpla_head(INPLA_FREE, ports);
    inpla_ports(cell)[0].cell = same_size;
    inpla_ports(cell)[1].cell = same_size == NULL ? NULL : inpla_ports(same_size)[1].cell;
    *link = cell;
    unlock_heap(net);
}

/* --- chains ----------------------------------------------------------------------------------------------------- */

#if INPLA_THREADS

/* Up to INPLA_CHAIN cells from the unused part of the heap, linked, or NULL. The caller holds the lock. */
static inpla_cell *fresh_chain(inpla_net *net, unsigned ports, int16_t *count)
{
    inpla_cell *chain = NULL;
    for (*count = 0; *count < INPLA_CHAIN; ++*count) {
        inpla_cell *cell = fresh_cell(net, ports);
        if (cell == NULL)
            break;
        cell->head = INPLA_FREE;
        inpla_ports(cell)[0].cell = chain;
        chain = cell;
    }
    return chain;
}

/* A chain that another worker has given back, else fresh cells, else NULL. */
static inpla_cell *take_chain(inpla_net *net, unsigned ports, int16_t *count)
{
    inpla_cell **chains = &net->chains[INPLA_CLASS(ports)];
    lock_heap(net);
    inpla_cell *chain = *chains;
    if (chain != NULL) {
        *chains = inpla_ports(chain)[1].cell;
        *count = INPLA_CHAIN;
    } else {
        chain = fresh_chain(net, ports, count);
    }
    unlock_heap(net);
    return chain;
}

/* The worker's list is empty: fills it and takes the first cell. */
static inpla_cell *refill_list(inpla_worker *worker, unsigned ports)
{
    const unsigned size_class = INPLA_CLASS(ports);
    inpla_cell *chain = worker->spare[size_class];
    int16_t count = INPLA_CHAIN;
    if (chain != NULL)
        worker->spare[size_class] = NULL;
    else
        chain = take_chain(worker->net, ports, &count);
    if (chain == NULL)
        return NULL;
    worker->free_list[size_class] = inpla_ports(chain)[0].cell;
    worker->count[size_class] = (int16_t)(count - 1);
    return chain;
}

INPLA_API void inplaH_chain_full(inpla_worker *worker, unsigned size_class)
{
    inpla_net *net = worker->net;
    worker->count[size_class] = 0;
    if (net->worker_count == 1)
        return; /* one list without bound; the count means nothing */
    inpla_cell *spare = worker->spare[size_class];
    worker->spare[size_class] = worker->free_list[size_class];
    worker->free_list[size_class] = NULL;
    if (spare == NULL)
        return;
    lock_heap(net);
    inpla_ports(spare)[1].cell = net->chains[size_class];
    net->chains[size_class] = spare;
    unlock_heap(net);
}

#endif

INPLA_API inpla_cell *inplaH_refill(inpla_worker *worker, unsigned ports)
{
    inpla_net *net = worker->net;
    if (ports > INPLA_SMALL_PORTS) {
        lock_heap(net);
        inpla_cell *cell = take_large(net, ports);
        unlock_heap(net);
        return cell;
    }
#if INPLA_THREADS
    if (net->worker_count > 1)
        return refill_list(worker, ports);
#endif
    return fresh_cell(net, ports);
}
