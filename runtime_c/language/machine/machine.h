/*
 * machine.h - the machine that reduces pairs: it runs the code of rules (code.h) and calls compiled ones.
 */
#ifndef INPLA_MACHINE_H
#define INPLA_MACHINE_H

#include "run/language.h"

/* Reduces all pairs of the net, with all workers (inplaR_reduce in machine.c). INPLA_OK, or what inpla_fail was
 * told. */
inpla_status machine_reduce(language *run);

/* Reduces this pair only and leaves the pairs that come of it on the worker's list. INPLA_OK, or what inpla_fail was
 * told (failure.h). For one worker alone: the weak strategy. */
inpla_status machine_reduce_pair(inpla_worker *worker, inpla_pair pair);

#endif
