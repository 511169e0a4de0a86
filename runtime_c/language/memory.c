/*
 * memory.c - memory from the C library. Must not know what it is for.
 */
#include "memory.h"

#include <stdlib.h>

void *memory_grow(void *user, void *block, size_t old_bytes, size_t bytes)
{
    (void)user, (void)old_bytes;
    if (bytes != 0)
        return realloc(block, bytes);
    free(block);
    return NULL;
}

outcome memory_exhausted(language *run)
{
    fprintf(run->out, "ERROR: Memory is exhausted.\n");
    run->status = 1;
    return OUTCOME_EXIT;
}
