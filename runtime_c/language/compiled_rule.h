/*
 * compiled_rule.h - what the functions of compiled rules compute with, besides inpla_rule.h and compiled.h.
 *
 * Ints are computed with as they lie in values: n is the word 2n + 1, an inpla_int. Whoever may fail sets `failed`.
 */
#ifndef INPLA_COMPILED_RULE_H
#define INPLA_COMPILED_RULE_H

#include "agents.h"
#include "compiled.h"

static inline inpla_int int_quotient(inpla_int a, inpla_int b, int *failed)
{
    if (inpla_unlikely(b == 1)) {
        *failed = 1;
        return 1;
    }
    return (inpla_int)((uintptr_t)((a >> 1) / (b >> 1)) << 1 | 1u);
}

static inline inpla_int int_remainder(inpla_int a, inpla_int b, int *failed)
{
    if (inpla_unlikely(b == 1)) {
        *failed = 1;
        return 1;
    }
    return (inpla_int)((uintptr_t)((a >> 1) % (b >> 1)) << 1 | 1u);
}

static inline inpla_int int_random(inpla_int limit, int *failed)
{
    if (limit <= 1) {
        *failed = 1;
        return 1;
    }
    return (inpla_int)((uintptr_t)compiled_rand(limit >> 1) << 1 | 1u);
}

/* By the integer part of `limit`. */
static inline float float_random(float limit, int *failed)
{
    if (!(limit >= 1)) {
        *failed = 1;
        return 0;
    }
    return (float)compiled_rand(limit < 0x1p62f ? (int64_t)limit : INPLA_INT_MAX);
}

/* What a function value `%f` has in its port; `number` is that of f with any port count. */
static inline inpla_cell *compiled_function(const inpla_worker *worker, uint32_t number)
{
    return inpla_of_int(agents_get((const language *)worker->user, number)->symbol);
}

#endif
