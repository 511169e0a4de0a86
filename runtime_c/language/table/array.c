/*
 * array.c - arrays that grow. Must not know what is in them.
 */
#include "table/array.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

int array_grow(void *array, uint32_t *room, size_t needed, size_t size)
{
    size_t more = *room == 0 ? FIRST_ROOM : (size_t)*room * 2;
    void *items;
    if (needed <= *room)
        return 1;
    if (needed > UINT32_MAX)
        return 0;
    if (more < needed)
        more = needed;
    if (more > UINT32_MAX)
        more = UINT32_MAX;
    if (more > SIZE_MAX / size)
        return 0;
    memcpy(&items, array, sizeof items);
    items = realloc(items, more * size);
    if (items == NULL)
        return 0;
    memcpy(array, &items, sizeof items);
    *room = (uint32_t)more;
    return 1;
}
