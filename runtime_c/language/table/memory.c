/*
 * memory.c - memory from the C library. Must not know what it is for.
 */
#include "table/memory.h"

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
    const char *text = "ERROR: Memory is exhausted.\n";
    if (run->line == 0)
        fputs(text, run->out); /* before the first statement */
    else
        language_report(run, run->line, "%s", text);
    run->status = 1;
    return OUTCOME_EXIT;
}
