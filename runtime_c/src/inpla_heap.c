/*
 * inpla_heap.c - cells: where they come from when a worker's free list is empty.
 *
 * Alone, a worker takes new cells from the unused part of the heap, one by one, and its free lists grow without bound.
 * Several workers take them in chains, or from blocks of their own, and cells go from one to another (inpla_chains.c,
 * inpla_homes.c).
 *
 * Cells of more than INPLA_SMALL_PORTS ports are rare: they lie in one list of the net, of lists by room. Port 0 links
 * cells of equal room, port 1 of the first of them links to the next room. A cell has room for its ports; with
 * INPLA_VALUES, where any port count may occur, for up to an eighth more, so that there are not too many lists.
 */
#include "inpla_internal.h"

#if INPLA_THREADS
#define lock_heap(net) inplaN_lock(&(net)->heap_lock)
#define unlock_heap(net) inplaN_unlock(&(net)->heap_lock)
#else
#define lock_heap(net) ((void)(net))
#define unlock_heap(net) ((void)(net))
#endif

INPLA_FUNC void *inplaH_fresh(inpla_net *net, size_t bytes)
{
    if (inpla_unlikely((size_t)(net->heap_end - net->heap_next) < bytes)) {
#if INPLA_VALUES
        if (!inplaG_grow_heap(net, bytes))
            return NULL;
#else
        return NULL;
#endif
    }
    void *start = net->heap_next;
    net->heap_next += bytes;
    net->cells++;
    return start;
}

/* --- large cells ------------------------------------------------------------------------------------------------ */

/* How many ports a large cell has room for. */
static unsigned room_for(unsigned ports)
{
#if INPLA_VALUES
    unsigned step = 1;
    while (ports / step >= 16)
        step *= 2;
    const unsigned room = (ports + step - 1) / step * step;
    return room < ports ? ports : room;
#else
    return ports;
#endif
}

/* The link to the list of this room; its target is NULL if there is none. */
static inpla_cell **large_list(inpla_net *net, unsigned room)
{
    inpla_cell **link = &net->large;
    while (*link != NULL && inpla_port_count(*link) != room)
        link = &inpla_ports(*link)[1].cell;
    return link;
}

/* One that was given back, or NULL. */
static inpla_cell *take_large(inpla_net *net, unsigned room)
{
    inpla_cell **link = large_list(net, room);
    inpla_cell *cell = *link;
    if (cell == NULL)
        return NULL;
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
    const unsigned room = room_for(ports);
    lock_heap(net);
    inpla_cell **link = large_list(net, room);
    inpla_cell *same_size = *link;
    cell->head = inpla_head(INPLA_FREE, room);
    inpla_ports(cell)[0].cell = same_size;
    inpla_ports(cell)[1].cell = same_size == NULL ? NULL : inpla_ports(same_size)[1].cell;
    *link = cell;
    unlock_heap(net);
}

static inpla_cell *new_large(inpla_worker *worker, unsigned ports)
{
    inpla_net *net = worker->net;
    const unsigned room = room_for(ports);
    lock_heap(net);
    inpla_cell *cell = take_large(net, room);
    if (cell == NULL)
        cell = (inpla_cell *)inplaH_fresh(net, inplaH_cell_bytes(room));
    unlock_heap(net);
    return cell;
}

INPLA_API inpla_cell *inplaH_refill(inpla_worker *worker, unsigned ports)
{
    if (ports > INPLA_SMALL_PORTS)
        return new_large(worker, ports);
#if INPLA_HOMES
    return inplaC_refill(worker, ports);
#else
#if INPLA_THREADS
    if (worker->net->worker_count > 1)
        return inplaC_refill(worker, ports);
#endif
    return (inpla_cell *)inplaH_fresh(worker->net, inplaH_cell_bytes(ports));
#endif
}

/* --- facts ------------------------------------------------------------------------------------------------------ */

static size_t count_list(inpla_cell *first)
{
    size_t count = 0;
    for (; first != NULL; first = inpla_ports(first)[0].cell)
        count++;
    return count;
}

/* The worker's free cells, less those that its blocks have had. */
static size_t count_free(const inpla_worker *worker)
{
    size_t count = 0;
    for (unsigned i = 0; i < INPLA_CLASSES; i++)
        count += count_list(worker->free_list[i]);
#if INPLA_COUNTED
    for (unsigned i = 0; i < INPLA_CLASSES; i++)
        count += count_list(worker->spare[i]);
#endif
#if INPLA_HOMES
    count -= worker->cells;
    for (unsigned i = 0; i < INPLA_CLASSES; i++)
        count += count_list(worker->strays[i]) + count_list(worker->shared.come_home[i]);
#endif
    return count;
}

INPLA_FUNC size_t inplaH_live_cells(const inpla_net *net)
{
    size_t live = net->cells;
    for (unsigned i = 0; i < net->worker_count; i++)
        live -= count_free(inplaN_worker(net, i));
    for (inpla_cell *list = net->large; list != NULL; list = inpla_ports(list)[1].cell)
        live -= count_list(list);
#if INPLA_THREADS
    for (unsigned size_class = 0; size_class < INPLA_CLASSES; size_class++)
        for (inpla_cell *chain = net->chains[size_class]; chain != NULL; chain = inpla_ports(chain)[1].cell)
            live -= count_list(chain);
#endif
    return live;
}
