/*
 * inpla_grow.c - memory that grows, by the host's callback: the heap by chunks, a worker's pairs by a larger array.
 *
 * A chunk starts with three words: the chunk before it, its bytes, and how much of the memory before it is in use. The
 * heap's present end is never moved, so cells stay where they are.
 */
#include "inpla_internal.h"

#if INPLA_VALUES

enum { CHUNK_HEADER = 3 * sizeof(uintptr_t), FIRST_CHUNK = 1 << 16, LARGEST_CHUNK = 1 << 26 };

/* As much as there is already, within bounds. */
static size_t chunk_bytes(const inpla_net *net, size_t bytes)
{
    size_t size = net->chunks == NULL ? FIRST_CHUNK : (size_t)net->chunks[1] * 2;
    if (size > LARGEST_CHUNK)
        size = LARGEST_CHUNK;
    return size < bytes + CHUNK_HEADER ? bytes + CHUNK_HEADER : size;
}

INPLA_FUNC int inplaG_grow_heap(inpla_net *net, size_t bytes)
{
    const size_t size = chunk_bytes(net, bytes);
    uintptr_t *chunk = net->grow == NULL ? NULL : (uintptr_t *)net->grow(inplaN_worker(net, 0)->user, NULL, 0, size);
    if (chunk == NULL)
        return 0;
    chunk[0] = (uintptr_t)net->chunks;
    chunk[1] = size;
    chunk[2] = (uintptr_t)(net->heap_next - net->heap_start);
    net->chunks = chunk;
    net->heap_start = net->heap_next = (uint8_t *)chunk + CHUNK_HEADER;
    net->heap_end = (uint8_t *)chunk + size;
    return 1;
}

INPLA_FUNC int inplaG_grow_pairs(inpla_worker *worker)
{
    inpla_net *net = worker->net;
    const size_t bytes = (size_t)((uint8_t *)worker->limit - (uint8_t *)worker->base);
    const size_t larger = bytes < 4096 ? 4096 : bytes * 2;
    inpla_pair *pairs = net->grow == NULL ? NULL : (inpla_pair *)net->grow(worker->user, NULL, 0, larger);
    if (pairs == NULL)
        return 0;
    inpla_pair *to = pairs;
    for (const inpla_pair *from = worker->base; from != worker->top; from++)
        *to++ = *from;
    if (worker->owns_pairs)
        net->grow(worker->user, worker->base, bytes, 0);
#if INPLA_THREADS
    __atomic_store_n(&worker->shared.bottom, pairs + (worker->shared.bottom - worker->base), __ATOMIC_SEQ_CST);
    __atomic_store_n(&worker->shared.split, pairs + (worker->low - worker->base), __ATOMIC_SEQ_CST);
#endif
    worker->low = pairs + (worker->low - worker->base);
    worker->base = pairs;
    worker->owns_pairs = 1;
    worker->top = to;
    worker->end = worker->limit = pairs + larger / sizeof(inpla_pair);
    return 1;
}

INPLA_API void inpla_close(inpla_net *net)
{
    for (unsigned i = 0; i < net->worker_count; i++) {
        inpla_worker *worker = inplaN_worker(net, i);
        if (worker->owns_pairs)
            net->grow(worker->user, worker->base, (size_t)((uint8_t *)worker->limit - (uint8_t *)worker->base), 0);
    }
    void *user = inplaN_worker(net, 0)->user;
    for (uintptr_t *chunk = net->chunks, *before; chunk != NULL; chunk = before) {
        before = (uintptr_t *)chunk[0];
        net->grow(user, chunk, (size_t)chunk[1], 0);
    }
    net->chunks = NULL;
}

#endif
