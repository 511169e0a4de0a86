/*
 * postponed.h - pairs that lack a number in a port while several workers are at the net, or compiled rules.
 *
 * One worker alone makes connections in the order of the program, and a number that is not there when a rule needs it is
 * a failure. Where another worker makes the connection, or a compiled rule with an order of its own, the number may come
 * a little later: the pair waits until all else is done, and then is tried again, so that neither changes the result.
 */
#ifndef INPLA_POSTPONED_H
#define INPLA_POSTPONED_H

#include "machine/failure.h"

struct postponed;

/* NULL: memory is exhausted. */
struct postponed *postponed_open(void);
void postponed_close(struct postponed *closed);

/* May the number that a port lacked be on its way, as the port leads to a wire that others may connect; or has it come
 * meanwhile? `kind` is FAILURE_INT or FAILURE_FLOAT. */
int postponed_may_come(const inpla_worker *worker, inpla_cell *port, failure_kind kind);

/* A worker leaves a pair; `reason` is what will be reported if the number never comes. 0: memory is exhausted. */
int postponed_add(inpla_worker *worker, inpla_pair pair, failure reason);

/* After a reduction: puts the pairs back on worker 0's list. 0: there are none, or nothing has been reduced since they
 * were put back last, which is reported as a failure. */
int postponed_push(language *run);

/* After a reduction that has failed: forgets the pairs. */
void postponed_forget(language *run);

#endif
