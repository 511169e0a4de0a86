/*
 * machine_memory.h - memory of a net with INPLA_VALUES, which grows as the C library gives it.
 */
#ifndef MACHINE_MEMORY_H
#define MACHINE_MEMORY_H

#include "inpla_value.h"

static void *grow_by_realloc(void *user, void *block, size_t old_bytes, size_t bytes)
{
    (void)user, (void)old_bytes;
    if (bytes != 0)
        return realloc(block, bytes);
    free(block);
    return NULL;
}

typedef struct {
    inpla_net *net;
    void *block;
} machine;

static machine open_machine(unsigned workers)
{
    const inpla_limits limits = {0, 0, 0, workers, grow_by_realloc};
    const size_t size = (inpla_memory_bytes(&limits) + INPLA_ALIGN - 1) / INPLA_ALIGN * INPLA_ALIGN;
    machine of = {NULL, aligned_alloc(INPLA_ALIGN, size)};
    CHECK_INT(inpla_open(&of.net, NULL, &limits, of.block, size, NULL), INPLA_OK);
    return of;
}

static void close_machine(machine *of)
{
    inpla_close(of->net);
    free(of->block);
}

static inline inpla_statistics facts_of(const inpla_net *net)
{
    inpla_statistics facts;
    inpla_get_statistics(net, &facts);
    return facts;
}

#endif
