/*
 * inpla_worker.h - a worker, one of the threads that reduce a net: its cells and its pairs.
 *
 * Taking and giving back cells does not touch the worker's pairs; connecting, inpla_push and inpla_next do.
 */
#ifndef INPLA_WORKER_H
#define INPLA_WORKER_H

#include "inpla_cell.h"

#if INPLA_THREADS
/* What other workers look at and write to, on cache lines of its own. */
typedef struct {
    int attention; /* inpla_next has to look closer */
    int wish;      /* somebody has found no pair here and wants some */
#if INPLA_HOMES
    unsigned classes;      /* somebody needs free cells of these size classes, a bit for each */
    int strays;            /* somebody wants back its cells */
    inpla_cell *come_home[INPLA_CLASSES]; /* cells of this worker that others have given back */
#endif
    int lock;      /* for `bottom`; `split` is moved up without it */
    inpla_pair *split;
    inpla_pair *bottom;
    inpla_cell *mail; /* messages: inpla_mail.c */
} __attribute__((aligned(64))) inpla_shared;
#endif

#if INPLA_HANDS
/* Closed: its owner does not wait. Reached: another worker is about to put a pair into it. */
enum { INPLA_HAND_CLOSED, INPLA_HAND_OPEN, INPLA_HAND_REACHED, INPLA_HAND_FULL };

typedef struct {
    int state;
    inpla_pair pair;
} __attribute__((aligned(64))) inpla_hand;
#endif

/*
 * Pending pairs are a stack from `base` to `top`. With threads, those from `bottom` to `split` are public: others may
 * take them, from the bottom. Everything from `low`, which is `split`, up is the owner's. Rules use a worker through the
 * functions of this file and of inpla_rule.h only.
 */
struct inpla_worker {
    inpla_pair *top;                      /* the first free entry */
    inpla_pair *end;                      /* where inpla_push has to look closer: `limit`, or less */
    inpla_pair *low;                      /* where inpla_next has to look closer: `base`, or more */
    inpla_cell *free_list[INPLA_CLASSES]; /* linked by port 0 */
    inpla_net *net;
    void *user;
    uint64_t interactions;
    inpla_pair *base;
    inpla_pair *limit; /* end of the array */
#if INPLA_VALUES
    uint8_t owns_pairs; /* the array is no longer the one of inpla_open */
#endif
#if INPLA_COUNTED
    inpla_cell *spare[INPLA_CLASSES]; /* a second chain, full, or NULL */
    int16_t count[INPLA_CLASSES];     /* cells in free_list */
#endif
#if INPLA_HOMES
    uint8_t *homes;      /* the net's table */
    uint8_t *block_next; /* the unused part of the worker's last block */
    uint8_t *block_end;
    size_t cells; /* that were ever taken from its blocks */
    inpla_cell *strays[INPLA_CLASSES]; /* free cells of other workers */
#endif
#if INPLA_THREADS
    uintptr_t wire_head; /* header of this worker's wires */
    uint16_t number;
    uint8_t sharing; /* other workers are at the same net */
    uint8_t is_asked; /* a wish is still open */
#if INPLA_HANDS
    ptrdiff_t put_off; /* pairs of others that were passed over in a row */
    inpla_hand hand;
#endif
    inpla_shared shared;
#endif
};

/* The engine's slow paths; rules do not call these. */
INPLA_API inpla_cell *inplaH_refill(inpla_worker *worker, unsigned ports) INPLA_MAYBE_UNUSED;
INPLA_API void inplaH_free_large(inpla_worker *worker, inpla_cell *cell, unsigned ports) INPLA_MAYBE_UNUSED;
INPLA_API inpla_status inplaR_overflow(inpla_worker *worker, inpla_cell *left, inpla_cell *right) INPLA_MAYBE_UNUSED;
#if INPLA_COUNTED
INPLA_API void inplaC_chain_full(inpla_worker *worker, unsigned size_class) INPLA_MAYBE_UNUSED;
#endif
#if INPLA_THREADS
INPLA_API void inplaS_publish(inpla_worker *worker) INPLA_MAYBE_UNUSED;
INPLA_API inpla_pair inplaS_next(inpla_worker *worker) INPLA_MAYBE_UNUSED;

/* For a rule that goes on for long: mail is read, and all pairs are given to who wants some. Not 0: the rule had better
 * end, as somebody waits for pairs and there are none, or the net is lost; inpla_is_wanted says so until inpla_next. */
INPLA_API int inplaS_give_way(inpla_worker *worker) INPLA_MAYBE_UNUSED;
#endif

/*
 * What the host gave to inpla_open; first argument of every native function. To be called anew for each call of a
 * native function: as that may take long, the pairs that wait on this worker are offered to other workers first.
 */
static inline void *inpla_user(inpla_worker *worker)
{
#if INPLA_THREADS
    if (worker->sharing && worker->top != worker->low)
        inplaS_publish(worker);
#endif
    return worker->user;
}

#if INPLA_HANDS
INPLA_API int inplaD_pass_on(inpla_worker *worker, inpla_int piece, inpla_int pieces, inpla_pair pair) INPLA_MAYBE_UNUSED;
#endif

/*
 * For a pair that calls a native function on piece number `piece`, of `pieces`, of some work. Of each work, a worker has the
 * same pieces every time, neighbours of those that it has of other work: their data are in its cache. Not 0: the pair has
 * gone to where it belongs and is no longer the caller's. 0: the caller is to go on with it.
 */
static inline INPLA_MAYBE_UNUSED int inpla_passes_on(inpla_worker *worker, inpla_int piece, inpla_int pieces,
                                                 inpla_cell *left, inpla_cell *right)
{
#if INPLA_HANDS
    const inpla_pair pair = {left, right};
    return worker->sharing && inplaD_pass_on(worker, piece, pieces, pair);
#else
    (void)worker, (void)piece, (void)pieces, (void)left, (void)right;
    return 0;
#endif
}

/* --- cells ------------------------------------------------------------------------------------------------------- */

/* A cell with this header. */
static inline inpla_cell *inpla_take(inpla_worker *worker, uintptr_t head, unsigned ports)
{
    const unsigned size_class = INPLA_CLASS(ports);
    inpla_cell *cell = size_class < INPLA_CLASSES ? worker->free_list[size_class] : NULL;
    if (inpla_likely(cell != NULL)) {
        inpla_assert(inpla_agent_of(cell) == INPLA_FREE);
        worker->free_list[size_class] = inpla_ports(cell)[0].cell;
#if INPLA_COUNTED
        worker->count[size_class]--;
#endif
    } else {
        cell = inplaH_refill(worker, ports);
        if (inpla_unlikely(cell == NULL))
            return NULL;
    }
    cell->head = head;
    return cell;
}

/* A cell for an agent of `ports` ports, which the caller fills. NULL when the heap is exhausted. */
static inline inpla_cell *inpla_new(inpla_worker *worker, inpla_agent_id agent, unsigned ports)
{
    return inpla_take(worker, inpla_head(agent, ports), ports);
}

/* A new wire; the caller uses the result exactly twice, as a port or in inpla_connect. NULL: heap exhausted. */
static inline inpla_cell *inpla_wire(inpla_worker *worker)
{
#if INPLA_THREADS
    inpla_cell *wire = inpla_take(worker, worker->wire_head, 1);
#else
    inpla_cell *wire = inpla_new(worker, INPLA_WIRE, 0);
#endif
    if (inpla_likely(wire != NULL))
        inpla_ports(wire)[0].cell = NULL;
    return wire;
}

#if INPLA_HOMES
/* The number of the worker that a cell, which is not a large one, belongs to; where the table is too small, of any. */
static inline unsigned inpla_home_of(const inpla_worker *worker, const inpla_cell *cell)
{
    return __atomic_load_n(&worker->homes[(uintptr_t)cell / INPLA_BLOCK % INPLA_HOME_ENTRIES], __ATOMIC_RELAXED);
}
#endif

/* Gives back a cell; `ports` is the port count it was made with. */
static inline void inpla_free(inpla_worker *worker, inpla_cell *cell, unsigned ports)
{
    const unsigned size_class = INPLA_CLASS(ports);
    inpla_assert(inpla_agent_of(cell) != INPLA_FREE);
    inpla_assert(size_class == (inpla_is_wire(cell) ? 0u : INPLA_CLASS(inpla_port_count(cell))));
    if (size_class >= INPLA_CLASSES) {
        inplaH_free_large(worker, cell, ports);
        return;
    }
#if INPLA_CHECK
    cell->head = INPLA_FREE;
#endif
    inpla_cell **list = &worker->free_list[size_class];
#if INPLA_HOMES
    if (inpla_unlikely(worker->sharing) && inpla_home_of(worker, cell) != worker->number)
        list = &worker->strays[size_class];
#endif
    inpla_ports(cell)[0].cell = *list;
    *list = cell;
#if INPLA_COUNTED
    if (inpla_unlikely(++worker->count[size_class] == INPLA_CHAIN))
        inplaC_chain_full(worker, size_class);
#endif
}

/* Makes another agent of a cell of the pair. Both have to be in the same size class (INPLA_CLASS). */
static inline inpla_cell *inpla_reuse(inpla_cell *cell, inpla_agent_id agent, unsigned ports)
{
    inpla_assert(inpla_agent_of(cell) != INPLA_FREE);
    inpla_assert(INPLA_CLASS(inpla_port_count(cell)) == INPLA_CLASS(ports));
    cell->head = inpla_head(agent, ports);
    return cell;
}

/* --- pairs ------------------------------------------------------------------------------------------------------- */

/* Puts a pair on the list of what is to be reduced. INPLA_OK, or INPLA_ERROR_STACK. */
static inline inpla_status inpla_push(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    if (inpla_unlikely(worker->top >= worker->end))
        return inplaR_overflow(worker, left, right);
    worker->top->left = left;
    worker->top->right = right;
    worker->top++;
    return INPLA_OK;
}

/* Has something happened that inpla_next has to see? A loop that reduces pairs without inpla_next looks every time. */
static inline int inpla_is_wanted(const inpla_worker *worker)
{
#if INPLA_THREADS
    return __atomic_load_n(&worker->shared.attention, __ATOMIC_RELAXED) != 0;
#else
    (void)worker;
    return 0;
#endif
}

/* Takes the next pair to reduce. 0: there is none for this worker, or the net is lost. */
static inline int inpla_next(inpla_worker *worker, inpla_pair *pair)
{
#if INPLA_THREADS
    if (inpla_unlikely(worker->top == worker->low || inpla_is_wanted(worker))) {
        *pair = inplaS_next(worker);
        return pair->left != NULL;
    }
#else
    if (inpla_unlikely(worker->top == worker->low))
        return 0;
#endif
    worker->top--;
    pair->left = worker->top->left;
    pair->right = worker->top->right;
    return 1;
}

#endif
