/*
 * walk.h - going through the cells of a term without recursion: the connections that are still to be looked at.
 */
#ifndef INPLA_WALK_H
#define INPLA_WALK_H

#include "inpla_value.h"

typedef struct {
    inpla_cell **values;
    uint32_t count;
    uint32_t room;
} walk;

/* The next connection is this one. 0: memory is exhausted. */
int walk_push(walk *at, inpla_cell *value);

/* The next connections are the ports of an agent, from the last to the first. */
int walk_push_ports(walk *at, inpla_cell *cell);

/* The connection that was pushed last, NULL if there is none. */
static inline inpla_cell *walk_pop(walk *at)
{
    return at->count == 0 ? NULL : at->values[--at->count];
}

void walk_close(walk *at);

#endif
