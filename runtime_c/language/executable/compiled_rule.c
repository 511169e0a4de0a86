/*
 * compiled_rule.c - what agents' functions of compiled rules do seldom: fail, wait, find out how large the stack is.
 */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "executable/compiled_rule.h"

#include <pthread.h>

static int is_wanted(const inpla_worker *worker)
{
    return worker->sharing && (inpla_is_wanted(worker) || worker->is_asked);
}

/* Once a function has to stop, all that wait for it to return do, so that the largest pieces of work become pairs. */
int compiled_gives_way(inpla_worker *worker, uint64_t rounds)
{
    if (compiled_until == 0)
        return 1;
    if (is_wanted(worker) && inplaS_give_way(worker))
        compiled_until = 0;
    else if (worker->sharing)
        compiled_until = worker->interactions + rounds + COMPILED_PATIENCE;
    return compiled_until == 0;
}

inpla_cell *compiled_stop(inpla_worker *worker, uint32_t rule)
{
    compiled_fail(worker, NULL, NULL, FAILURE_DIVISION, rule, 0);
    return NULL;
}

inpla_status compiled_wait(inpla_worker *worker, inpla_cell *waiting, inpla_cell *right, const compiled_lack *lack,
                           unsigned count)
{
    if (lack == NULL)
        return inpla_connect(worker, waiting, right);
    worker->interactions += count;
    return compiled_fail(worker, waiting, right, lack->kind, lack->rule, lack->port);
}

/* Whoever calls a rule's function reports that memory is exhausted, unless something else has been reported. */
inpla_status compiled_lost(const inpla_worker *worker)
{
    return inpla_get_failed(worker->net).status == INPLA_OK ? INPLA_ERROR_HEAP : INPLA_ERROR_NO_RULE;
}

/* --- the C stack -------------------------------------------------------------------------------------------------- */

_Thread_local const char *compiled_floor = NULL;
_Thread_local uint64_t compiled_until = 0;

enum { SMALLEST_STACK = 64 * 1024, RESERVE = 1 << 15, RESERVE_PART = 8 };

/* An eighth of the stack is kept for whatever else is called. */
const char *compiled_find_floor(void)
{
    const char *here = __builtin_frame_address(0);
    compiled_floor = here - SMALLEST_STACK / 2;
#if defined(__linux__)
    pthread_attr_t facts;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &facts) == 0) {
        if (pthread_attr_getstack(&facts, &lowest, &size) == 0 && size >= SMALLEST_STACK)
            compiled_floor = (const char *)lowest + size / RESERVE_PART + RESERVE;
        pthread_attr_destroy(&facts);
    }
#endif
    return compiled_floor;
}
