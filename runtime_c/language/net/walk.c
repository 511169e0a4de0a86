/*
 * walk.c - a stack of connections.
 */
#include "net/walk.h"

#include <stdlib.h>

#include "table/array.h"

int walk_push(walk *at, inpla_cell *value)
{
    if (!ARRAY_RESERVE(at->values, at->room, (size_t)at->count + 1))
        return 0;
    at->values[at->count++] = value;
    return 1;
}

int walk_push_ports(walk *at, inpla_cell *cell)
{
    const uint32_t ports = inpla_port_count(cell);
    if (!ARRAY_RESERVE(at->values, at->room, (size_t)at->count + ports))
        return 0;
    for (uint32_t i = 0; i < ports; i++)
        at->values[at->count++] = inpla_ports(cell)[i].cell;
    return 1;
}

void walk_close(walk *at)
{
    free(at->values);
    *at = (walk){0};
}
