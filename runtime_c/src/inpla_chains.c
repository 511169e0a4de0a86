/*
 * inpla_chains.c - free cells go from worker to worker in chains, through the net.
 *
 * Where memory is fixed, a worker counts its free cells: it keeps two chains of INPLA_CHAIN cells per size at most, and
 * gives the net what is more. So if a worker finds no cell of a size, the others hold no more than the slack in
 * INPLA_MEMORY_BYTES.
 */
#include "inpla_internal.h"

#if INPLA_THREADS

INPLA_STATIC_ASSERT(INPLA_SLACK_WORDS >= 2 * INPLA_CHAIN * INPLA_CLASSES * (3 + INPLA_SMALL_PORTS + 1) / 2,
                    "INPLA_SLACK_WORDS covers two chains of every size");

INPLA_FUNC void inplaC_put_chain(inpla_net *net, unsigned size_class, inpla_cell *chain)
{
    inpla_ports(chain)[1].cell = net->chains[size_class];
    net->chains[size_class] = chain;
}

INPLA_FUNC inpla_cell *inplaC_take_chain(inpla_net *net, unsigned size_class)
{
    inpla_cell *chain = net->chains[size_class];
    if (chain != NULL)
        net->chains[size_class] = inpla_ports(chain)[1].cell;
    return chain;
}

#if INPLA_COUNTED

/* Cells from the unused part of the heap. The first cell is the one with the lowest address. */
static inpla_cell *fresh_chain(inpla_net *net, unsigned ports, unsigned *count)
{
    inpla_cell *first = NULL;
    inpla_cell *last = NULL;
    for (*count = 0; *count < INPLA_CHAIN; ++*count) {
        inpla_cell *cell = (inpla_cell *)inplaH_fresh(net, inplaH_cell_bytes(ports));
        if (cell == NULL)
            break;
        cell->head = INPLA_FREE;
        inpla_ports(cell)[0].cell = NULL;
        if (first == NULL)
            first = cell;
        else
            inpla_ports(last)[0].cell = cell;
        last = cell;
    }
    return first;
}

/* A chain that another worker has given back, else fresh cells, else NULL. */
static inpla_cell *take_any_chain(inpla_net *net, unsigned ports, unsigned *count)
{
    inplaN_lock(&net->heap_lock);
    inpla_cell *chain = inplaC_take_chain(net, INPLA_CLASS(ports));
    if (chain == NULL)
        chain = fresh_chain(net, ports, count);
    inplaN_unlock(&net->heap_lock);
    return chain;
}

INPLA_FUNC inpla_cell *inplaC_refill(inpla_worker *worker, unsigned ports)
{
    const unsigned size_class = INPLA_CLASS(ports);
    inpla_cell *chain = worker->spare[size_class];
    unsigned count = INPLA_CHAIN;
    if (chain != NULL)
        worker->spare[size_class] = NULL;
    else
        chain = take_any_chain(worker->net, ports, &count);
    if (chain == NULL)
        return NULL;
    worker->free_list[size_class] = inpla_ports(chain)[0].cell;
    worker->count[size_class] = (int16_t)(count - 1);
    return chain;
}

INPLA_API void inplaC_chain_full(inpla_worker *worker, unsigned size_class)
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
    inplaN_lock(&net->heap_lock);
    inplaC_put_chain(net, size_class, spare);
    inplaN_unlock(&net->heap_lock);
}

#endif

#endif
