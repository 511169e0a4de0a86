/*
 * inpla_conf.h - what a port or a build may change.
 *
 * Define on the command line, before any engine header:
 *   INPLA_API      linkage of the public functions; `static` in a bundle
 *   INPLA_THREADS  nets may be reduced by several threads (needs POSIX threads)
 *   INPLA_VALUES   ports hold values that say what they are, memory grows: the general language (inpla_value.h);
 *                  without it, agents have signatures, as in bundles
 *   INPLA_CHECK    every invariant is asserted (needs <assert.h>); for tests
 */
#ifndef INPLA_CONF_H
#define INPLA_CONF_H

#ifndef INPLA_API
#define INPLA_API extern
#endif

/* Functions that the engine's files offer to each other; inpla_all.c makes them static. */
#ifndef INPLA_FUNC
#define INPLA_FUNC extern
#endif

#ifndef INPLA_THREADS
#define INPLA_THREADS 0
#endif

#ifndef INPLA_VALUES
#define INPLA_VALUES 0
#endif

#ifndef INPLA_CHECK
#define INPLA_CHECK 0
#endif

/* Agents of at most this many ports have a free list of their own; larger ones share a list of lists. */
#define INPLA_SMALL_PORTS 8

/* With threads, free cells go from worker to worker in chains of this many. Where memory is fixed, a worker keeps two
 * chains per port count at most, for which it has to count them (inpla_chains.c). Where it grows, a cell goes back to the
 * worker that it first belonged to, in whose block of so many bytes it lies; a table says whose a block is, or was for
 * one of very many blocks: both are powers of two (inpla_homes.c). */
#define INPLA_CHAIN 32
#define INPLA_COUNTED (INPLA_THREADS && !INPLA_VALUES)
#define INPLA_HOMES (INPLA_THREADS && INPLA_VALUES)
#define INPLA_BLOCK 16384
#define INPLA_HOME_ENTRIES 4096

/* A native function that an image calls has at most this many parameters. */
#define INPLA_MAX_PARAMETERS 8

/* Threads: rounds of looking for work before a worker sleeps; each is some tens of nanoseconds. */
#ifndef INPLA_SPINS
#define INPLA_SPINS 2000
#endif

/* Threads: fewer interactions than this were not worth the way. In a bundle one may be the work of a whole tile. */
#ifndef INPLA_LITTLE_WORK
#define INPLA_LITTLE_WORK (INPLA_VALUES ? 1024 : 1)
#endif

/* Threads: in bundles, where a rule may be the work of a tile, pairs go from hand to hand (inpla_hands.c); who waits asks
 * for pairs only after so many rounds. */
#define INPLA_HANDS (INPLA_THREADS && !INPLA_VALUES)
#define INPLA_ASK_AFTER (INPLA_HANDS ? 64 : 0)

/* Threads: no more helper threads than this are made, whatever a net asks for. */
#define INPLA_MAX_HELPERS 63

#if defined(__GNUC__)
#define INPLA_MAYBE_UNUSED __attribute__((unused))
#define inpla_likely(condition) __builtin_expect(!!(condition), 1)
#define inpla_unlikely(condition) __builtin_expect(!!(condition), 0)
#else
#define INPLA_MAYBE_UNUSED
#define inpla_likely(condition) (condition)
#define inpla_unlikely(condition) (condition)
#endif

/* Functions that are to be part of their caller, unless that is to be small. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define INPLA_INLINE static inline __attribute__((always_inline))
#else
#define INPLA_INLINE static inline
#endif

#ifdef __cplusplus
#define INPLA_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define INPLA_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#if INPLA_CHECK
#include <assert.h>
#define inpla_assert(condition) assert(condition)
#else
#define inpla_assert(condition) ((void)0)
#endif

#endif
