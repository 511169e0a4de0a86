/*
 * array.h - arrays that grow: of nodes, symbols, agents, whatever there is no limit on.
 */
#ifndef INPLA_ARRAY_H
#define INPLA_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Makes room for `needed` items of `size` bytes in `*array`, a pointer to items (NULL at first), whose present room is
 * `*room`. Room at least doubles. 0: memory is exhausted, or more than 2^32 - 1 items; the array is as it was.
 */
int array_grow(void *array, uint32_t *room, size_t needed, size_t size);

/* The same, without a call where there is room already. */
#define ARRAY_RESERVE(array, room, needed) \
    ((needed) <= (room) || array_grow(&(array), &(room), (needed), sizeof *(array)))

#endif
