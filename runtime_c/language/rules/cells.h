/*
 * cells.h - which terms of a branch are built in the cells of its pair.
 */
#ifndef INPLA_CELLS_H
#define INPLA_CELLS_H

#include "rules/compiler.h"

/* Chooses among the agents of `order`, of which there are `count`, and sets `cell` of those that are chosen. `last` is
 * the first side of the connection that is reduced next, NO_TERM if there is none. */
void cells_choose(compiler *to, const uint32_t *order, uint32_t count, uint32_t last);

/* The port of the pair's cell in whose place `port` of the term comes already: what needs no store. */
int cells_keeps_port(const compiler *to, const term *built, uint32_t port);

/* How many ports the cell has that a register is for: CODE_LEFT or CODE_RIGHT; 0 if it is a number or not ours. */
uint32_t cells_port_count(const compiler *to, uint32_t place);

/* Is the place that of a cell that the rule owns? */
int cells_is_owned(const compiler *to, uint32_t place);

#endif
