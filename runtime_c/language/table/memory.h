/*
 * memory.h - memory for the core to grow by, and what happens when there is no more.
 */
#ifndef INPLA_MEMORY_H
#define INPLA_MEMORY_H

#include "run/language.h"

/* The inpla_grow of inpla_limits. */
void *memory_grow(void *user, void *block, size_t old_bytes, size_t bytes);

/* Prints that memory is exhausted, and in which line's statement; the run ends with status 1. */
outcome memory_exhausted(language *run);

#endif
