/*
 * machine_core.h - Eraser and Dup with small agents: the core's rules (src/inpla_builtin.c) without pairs for what they
 * go on with, and copies in the wires where they are wanted.
 */
#ifndef INPLA_MACHINE_CORE_H
#define INPLA_MACHINE_CORE_H

#include "inpla_value.h"

typedef enum { CORE_DONE, CORE_GOES_ON, CORE_FAILED } core_outcome;

/* Reduces a pair of agents of which one is an Eraser or a Dup, and for which there is no rule of a user. CORE_GOES_ON:
 * with *pair. CORE_FAILED: memory is exhausted. */
core_outcome machine_reduce_core(inpla_worker *worker, inpla_pair *pair);

#endif
