/*
 * inpla_value.h - the engine for the general language: ports hold values, memory grows, the host has the loop.
 *
 * Compiled with INPLA_VALUES, which needs 64-bit words. A connection or port (`inpla_cell *`) is a value:
 *
 *   lowest bits 00   a cell: an agent's principal port, or an end of a wire
 *   lowest bit 1     a 63-bit integer, which wraps around as two's complement
 *   lowest bits 10   a float: an IEEE single in the upper 32 bits
 *
 * Numbers are partners of agents like agents without ports. The host offers two functions:
 *
 *   inplaR_reduce(worker)                reduces pairs, as long as inpla_next gives some. It counts each in
 *                                        worker->interactions. When a pair cannot be reduced it calls inpla_fail and
 *                                        returns. Every worker's thread calls it.
 *   inplaR_name_consumed(worker, name)   both ends of an interface name (an INPLA_NAME cell) were connected, and its
 *                                        cell is given back after the call. Called by worker 0 alone, in inpla_connect
 *                                        and inpla_next.
 *
 * Between reductions the host builds nets as worker 0: inpla_new, inpla_wire, inpla_name, inpla_connect; then it calls
 * inpla_reduce.
 */
#ifndef INPLA_VALUE_H
#define INPLA_VALUE_H

#include "inpla_rule.h"

#if !INPLA_VALUES
#error "compile with -DINPLA_VALUES=1"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the host offers, see above. */
void inplaR_reduce(inpla_worker *worker);
void inplaR_name_consumed(inpla_worker *worker, inpla_cell *name);

/* --- values ------------------------------------------------------------------------------------------------------ */

#define INPLA_INT_MAX ((int64_t)(INT64_MAX >> 1))
#define INPLA_INT_MIN (-INPLA_INT_MAX - 1)

static inline int inpla_is_int(const inpla_cell *value)
{
    return (int)((uintptr_t)value & 1u);
}

static inline int inpla_is_float(const inpla_cell *value)
{
    return ((uintptr_t)value & 3u) == 2;
}

/* The lower 63 bits of a number as a value. */
static inline inpla_cell *inpla_of_int(int64_t number)
{
    return (inpla_cell *)((uintptr_t)number << 1 | 1u);
}

static inline int64_t inpla_int_of(const inpla_cell *value)
{
    return (int64_t)(intptr_t)value >> 1;
}

static inline inpla_cell *inpla_of_float(float number)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return (inpla_cell *)((uintptr_t)bits << 32 | 2u);
}

static inline float inpla_float_of(const inpla_cell *value)
{
    const uint32_t bits = (uint32_t)((uintptr_t)value >> 32);
    float number;
    __builtin_memcpy(&number, &bits, sizeof number);
    return number;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

/* A wire that is an interface name; its port 1 is the host's. Made by worker 0. NULL: heap exhausted. Where two open
 * names meet, the one with the lower number in port 1 is made to lead to the other. */
static inline inpla_cell *inpla_name(inpla_worker *worker, uintptr_t own)
{
    inpla_cell *name = inpla_wire(worker);
    if (inpla_likely(name != NULL)) {
        name->head ^= INPLA_WIRE ^ INPLA_NAME;
        inpla_ports(name)[1].i = (inpla_int)own;
    }
    return name;
}

static inline int inpla_is_name(const inpla_cell *value)
{
    return !inpla_is_number(value) && inpla_agent_of(value) == INPLA_NAME;
}

/* --- an agent in place of a wire ----------------------------------------------------------------------------------- */

/*
 * Where the first end of a wire is connected to a new agent of two ports at most, its owner may build the agent in the
 * wire's cell: whoever has the other end has the agent then. Others may be looking at the wire: they read port 0, then
 * the header, and only if it is still that of a wire the port means anything. So the header says that the wire is
 * changing before port 0 is written, and which agent it is when all is there.
 */
static inline int inpla_may_become(const inpla_worker *worker, inpla_cell *wire)
{
    return !inpla_is_number(wire) && inpla_is_own_wire(worker, wire) && inpla_ports(wire)[0].cell == NULL;
}

static inline void inpla_set_head(inpla_cell *cell, uintptr_t head)
{
#if INPLA_THREADS
    __atomic_store_n(&cell->head, head, __ATOMIC_RELEASE);
#else
    cell->head = head;
#endif
}

static inline void inpla_become_0(inpla_cell *wire, uintptr_t head)
{
    inpla_set_head(wire, head);
}

static inline void inpla_become_1(inpla_cell *wire, uintptr_t head, inpla_cell *a)
{
#if INPLA_THREADS
    __atomic_store_n(&wire->head, INPLA_CHANGING, __ATOMIC_RELAXED);
#endif
    inpla_set_first(wire, a);
    inpla_set_head(wire, head);
}

static inline void inpla_become_2(inpla_cell *wire, uintptr_t head, inpla_cell *a, inpla_cell *b)
{
    inpla_ports(wire)[1].cell = b;
    inpla_become_1(wire, head, a);
}

/* Where a connection leads to over wires, which are freed: a number, an agent, or a wire that cannot be passed. */
static inline inpla_cell *inpla_reach(inpla_worker *worker, inpla_cell *value)
{
    while (!inpla_is_number(value)) {
        inpla_cell *const first = inpla_first_of(value);
        if (inpla_agent_of(value) != INPLA_WIRE || first == NULL)
            break;
        inpla_free(worker, value, 1);
        value = first;
    }
    return value;
}

/* The number that a port leads to, over wires, which then are freed. NULL, and nothing has changed, if there is none, or
 * not yet; or if an interface name is on the way and this is not worker 0. */
INPLA_API inpla_cell *inpla_follow(inpla_worker *worker, inpla_cell *port) INPLA_MAYBE_UNUSED;

/* --- the net ----------------------------------------------------------------------------------------------------- */

/* Worker 0, which belongs to the host between two reductions. */
INPLA_API inpla_worker *inpla_first_worker(inpla_net *net) INPLA_MAYBE_UNUSED;

/* Reduces all pairs, with all workers; returns INPLA_OK or what inpla_fail was given first. */
INPLA_API inpla_status inpla_reduce(inpla_net *net) INPLA_MAYBE_UNUSED;

/* Pairs reduced so far: one of the statistics, at no cost. */
INPLA_API uint64_t inpla_interactions(const inpla_net *net) INPLA_MAYBE_UNUSED;

/* The rules of Eraser and Dup; `right` may be a number. Counts further interactions than that of the pair itself.
 * INPLA_ERROR_NO_RULE: it is neither's pair. */
INPLA_API inpla_status inpla_builtin_rule(inpla_worker *worker, inpla_cell *left, inpla_cell *right) INPLA_MAYBE_UNUSED;

/* What inpla_fail was told first. `detail` is the host's. */
typedef struct {
    inpla_status status;
    inpla_cell *left;
    inpla_cell *right;
    uintptr_t detail;
} inpla_failed;

/* Called in inplaR_reduce: the pair cannot be reduced. All workers stop. Returns the status of the first failure. */
INPLA_API inpla_status inpla_fail(inpla_worker *worker, inpla_failed failed) INPLA_MAYBE_UNUSED;

/* What made inpla_reduce fail; status INPLA_OK if nothing did. Its cells, and those of pending pairs, stay as they are
 * until inpla_recover. */
INPLA_API inpla_failed inpla_get_failed(const inpla_net *net) INPLA_MAYBE_UNUSED;

/* Forgets the failure and all pending pairs; the cells of these are lost to the net until it is closed. */
INPLA_API void inpla_recover(inpla_net *net) INPLA_MAYBE_UNUSED;

/* Gives back the memory that the net has grown by. The block given to inpla_open stays the caller's. */
INPLA_API void inpla_close(inpla_net *net) INPLA_MAYBE_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
