/*
 * compiled_rule.c - what agents' functions of compiled rules do seldom: fail, wait, find out how large the stack is.
 */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "executable/compiled_rule.h"

#include <pthread.h>

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
