/*
 * weak.h - weak reduction (-w): only pairs from which an interface name can be reached are reduced.
 */
#ifndef INPLA_WEAK_H
#define INPLA_WEAK_H

#include "run/language.h"

/* Reduces until no pair that is left reaches an interface name; the others wait for the next call, on worker 0's list.
 * In place of inpla_reduce, with one worker. Returns what inpla_reduce would. */
inpla_status weak_reduce(language *run);

#endif
