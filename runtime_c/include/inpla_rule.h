/*
 * inpla_rule.h - what compiled rules use.
 *
 * A rule is a C function (inpla_rule in inpla.h) that gets the two cells of a pair, owns them, and builds the
 * right-hand side of the rule. Its shape is always the same:
 *
 *   1. read every port of both cells into locals (inpla_ports);
 *   2. give back the cells that are not needed (inpla_free), and build agents in the others (inpla_reuse);
 *   3. take new cells for what is left (inpla_new, inpla_wire), NULL means `return INPLA_ERROR_HEAP`;
 *   4. connect (inpla_connect), and pass its status on if it is not INPLA_OK.
 *
 * A port holds a connection: the cell of an agent, whose principal port is meant, or the cell of a wire. A wire has two
 * ends; each end is held by one port or given to inpla_connect once. When both have been given, the engine has freed
 * the wire's cell.
 *
 * A rule that fails need not tidy up: the net is lost. A rule touches no cell that it does not own: the ports that it
 * reads from its pair are connections to hand on, not cells to look into.
 */
#ifndef INPLA_RULE_H
#define INPLA_RULE_H

#include "inpla_conf.h"

#include "inpla.h"

/* The agents that every program starts with: Eraser() and Dup(w, w). ORDER BUILTIN (nets/program.py). */
enum inpla_builtin { INPLA_ERASER, INPLA_DUP, INPLA_BUILTIN_COUNT };

/*
 * A cell: this header word, then the words of its ports; room for 2 ports at least, so that agents of 0 to 2 ports and
 * wires are one size. Header: agent number in bits 0 to 15, ports in bits 16 to 23; bits 24 to 31 belong to the
 * image loader. With INPLA_VALUES: agent number in the lower, ports in the upper 32 bits. Port 0 of a wire is what its
 * first end was connected to, NULL before that.
 */
#if INPLA_VALUES
#define INPLA_PORTS_SHIFT 32
#define INPLA_AGENT_MASK 0xFFFFFFFFu
#define INPLA_PORTS_MASK 0xFFFFFFFFu
#else
#define INPLA_PORTS_SHIFT 16
#define INPLA_AGENT_MASK 0xFFFFu
#define INPLA_PORTS_MASK 0xFFu

/* The most ports an agent can have. */
enum { INPLA_MAX_PORTS = 254 };
#endif

/* Pseudo agents, never in a program's table: a wire; a wire that is an interface name, whose port 1 is for the host; a
 * cell on a free list. */
#define INPLA_WIRE (INPLA_AGENT_MASK)
#define INPLA_NAME (INPLA_AGENT_MASK - 1u)
#define INPLA_FREE (INPLA_AGENT_MASK - 2u)

struct inpla_cell {
    uintptr_t head;
};

typedef struct {
    inpla_cell *left;
    inpla_cell *right;
} inpla_pair;

enum { INPLA_CLASSES = INPLA_SMALL_PORTS - 1 }; /* 0, 1, 2 ports; 3; 4; ...; INPLA_SMALL_PORTS */

/* The size class of an agent; classes from INPLA_CLASSES up have no free list in the worker. */
#define INPLA_CLASS(ports) ((ports) < 2u ? 0u : (ports)-2u)

/* One of the threads that reduce a net. Rules use it through the functions below only. */
struct inpla_worker {
    inpla_pair *top;                      /* pending pairs: the first free entry */
    inpla_pair *end;                      /* pending pairs: end of the array */
    inpla_cell *free_list[INPLA_CLASSES]; /* linked by port 0 */
    inpla_net *net;
    void *user;
    uint64_t interactions;
#if INPLA_VALUES
    uint8_t owns_pairs; /* the array is no longer the one of inpla_open */
#endif
    intptr_t live; /* cells taken minus cells given back by this worker */
#if INPLA_THREADS
    inpla_cell *spare[INPLA_CLASSES]; /* a second chain, full, or NULL */
    int16_t count[INPLA_CLASSES];     /* cells in free_list */
    uint8_t sharing;                  /* other workers are at the same net: wires need atomics */
    uint8_t attention;                /* inpla_next has to look closer */
    uint16_t number;
    /* Pending pairs from `bottom` to `split` are public: others may take them, from the bottom, under `lock`. The
     * owner alone moves `split`, and everything from there to `top` is its own. */
    inpla_pair *split;
    inpla_pair *bottom;
    inpla_pair *base; /* start of the array */
    int lock;
#else
    inpla_pair *base;
#endif
};

#if INPLA_VALUES
/* The host's: reduces pairs, as long as inpla_next gives some; an interface name's both ends were connected, its cell
 * goes. Called by worker 0 alone. (inpla_value.h) */
void inplaR_reduce(inpla_worker *worker);
void inplaR_name_consumed(inpla_worker *worker, inpla_cell *name);
#endif

/* The engine's slow paths; rules do not call these. */
INPLA_API inpla_cell *inplaH_refill(inpla_worker *worker, unsigned ports) INPLA_MAYBE_UNUSED;
INPLA_API void inplaH_free_large(inpla_worker *worker, inpla_cell *cell, unsigned ports) INPLA_MAYBE_UNUSED;
INPLA_API inpla_status inplaR_overflow(inpla_worker *worker, inpla_cell *left, inpla_cell *right) INPLA_MAYBE_UNUSED;
#if INPLA_THREADS
INPLA_API void inplaH_chain_full(inpla_worker *worker, unsigned size_class) INPLA_MAYBE_UNUSED;
INPLA_API void inplaS_publish(inpla_worker *worker) INPLA_MAYBE_UNUSED;
INPLA_API int inplaS_next(inpla_worker *worker, inpla_pair *pair) INPLA_MAYBE_UNUSED;
#endif

/* Is it a number (inpla_value.h) instead of a cell? Never without INPLA_VALUES. */
static inline int inpla_is_number(const inpla_cell *value)
{
#if INPLA_VALUES
    return ((uintptr_t)value & 3u) != 0;
#else
    (void)value;
    return 0;
#endif
}

/* The ports of a cell, ports[0] to ports[n-1]. */
static inline inpla_word *inpla_ports(inpla_cell *cell)
{
    return (inpla_word *)(void *)(cell + 1);
}

static inline unsigned inpla_agent_of(const inpla_cell *cell)
{
    return (unsigned)(cell->head & INPLA_AGENT_MASK);
}

static inline unsigned inpla_port_count(const inpla_cell *cell)
{
    return (unsigned)(cell->head >> INPLA_PORTS_SHIFT) & INPLA_PORTS_MASK;
}

static inline uintptr_t inpla_head(inpla_agent_id agent, unsigned ports)
{
    return (uintptr_t)agent | (uintptr_t)ports << INPLA_PORTS_SHIFT;
}

/*
 * What the host gave to inpla_open; first argument of every native function. To be called anew for each call of a
 * native function: as that may take long, the pairs that wait on this worker are offered to other workers first.
 */
static inline void *inpla_user(inpla_worker *worker)
{
#if INPLA_THREADS
    if (worker->sharing && worker->top != worker->split)
        inplaS_publish(worker);
#endif
    return worker->user;
}

/* A cell for an agent of `ports` ports, which the caller fills. NULL when the heap is exhausted. */
static inline inpla_cell *inpla_new(inpla_worker *worker, inpla_agent_id agent, unsigned ports)
{
    const unsigned size_class = INPLA_CLASS(ports);
    inpla_cell *cell = size_class < INPLA_CLASSES ? worker->free_list[size_class] : NULL;
    if (inpla_likely(cell != NULL)) {
        inpla_assert(inpla_agent_of(cell) == INPLA_FREE);
        worker->free_list[size_class] = inpla_ports(cell)[0].cell;
#if INPLA_THREADS
        worker->count[size_class]--;
#endif
    } else {
        cell = inplaH_refill(worker, ports);
        if (cell == NULL)
            return NULL;
    }
    worker->live++;
    cell->head = inpla_head(agent, ports);
    return cell;
}

/* Gives back a cell; `ports` is the port count it was made with. */
static inline void inpla_free(inpla_worker *worker, inpla_cell *cell, unsigned ports)
{
    const unsigned size_class = INPLA_CLASS(ports);
    inpla_assert(inpla_agent_of(cell) != INPLA_FREE && INPLA_CLASS(inpla_port_count(cell)) == size_class);
    worker->live--;
    if (size_class >= INPLA_CLASSES) {
        inplaH_free_large(worker, cell, ports);
        return;
    }
#if INPLA_CHECK
    cell->head = INPLA_FREE;
#endif
    inpla_ports(cell)[0].cell = worker->free_list[size_class];
    worker->free_list[size_class] = cell;
#if INPLA_THREADS
    if (++worker->count[size_class] == INPLA_CHAIN)
        inplaH_chain_full(worker, size_class);
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

/* A new wire; the caller uses the result exactly twice, as a port or in inpla_connect. NULL: heap exhausted. */
static inline inpla_cell *inpla_wire(inpla_worker *worker)
{
    inpla_cell *wire = inpla_new(worker, INPLA_WIRE, 1);
    if (inpla_likely(wire != NULL))
        inpla_ports(wire)[0].cell = NULL;
    return wire;
}

static inline int inpla_is_wire(const inpla_cell *cell)
{
    if (inpla_is_number(cell))
        return 0;
    inpla_assert(inpla_agent_of(cell) != INPLA_FREE);
#if INPLA_VALUES
    return inpla_agent_of(cell) >= INPLA_NAME;
#else
    return inpla_agent_of(cell) == INPLA_WIRE;
#endif
}

/* Both ends of a wire were connected: its cell goes. */
static inline void inpla_end_wire(inpla_worker *worker, inpla_cell *wire)
{
#if INPLA_VALUES
    if (inpla_unlikely(inpla_agent_of(wire) == INPLA_NAME))
        inplaR_name_consumed(worker, wire);
#endif
    inpla_free(worker, wire, 1);
}

/* Gives one end of `wire` to `cell`. NULL if it was the first end; else frees the wire and returns what the first end
 * was given. The two ends may be in the hands of two threads: whoever comes second finds the first. */
static inline inpla_cell *inpla_meet(inpla_worker *worker, inpla_cell *wire, inpla_cell *cell)
{
    inpla_word *port = inpla_ports(wire);
#if INPLA_THREADS
    if (worker->sharing) {
        inpla_cell *first = __atomic_load_n(&port->cell, __ATOMIC_ACQUIRE);
        if (first == NULL)
            first = __atomic_exchange_n(&port->cell, cell, __ATOMIC_ACQ_REL);
        if (first != NULL)
            inpla_end_wire(worker, wire);
        return first;
    }
#endif
    inpla_cell *first = port->cell;
    if (first == NULL)
        port->cell = cell;
    else
        inpla_end_wire(worker, wire);
    return first;
}

/* Puts a pair of agents on the list of what is to be reduced. */
static inline inpla_status inpla_push(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    if (inpla_unlikely(worker->top == worker->end))
        return inplaR_overflow(worker, left, right);
    worker->top->left = left;
    worker->top->right = right;
    worker->top++;
    return INPLA_OK;
}

/* Has an end of this wire been connected? With several threads the answer no may be out of date. */
static inline int inpla_is_half_connected(const inpla_worker *worker, inpla_cell *wire)
{
    inpla_word *port = inpla_ports(wire);
#if INPLA_THREADS
    if (worker->sharing)
        return __atomic_load_n(&port->cell, __ATOMIC_RELAXED) != NULL;
#endif
    (void)worker;
    return port->cell != NULL;
}

/* Of two different wires, the one to go through first: one that leads on, else the one with the lower address. As only
 * a lower one is ever given a higher one, wires form no ring, whoever connects them in whatever order, and a loop
 * without an agent is freed when it closes. */
static inline int inpla_goes_first(const inpla_worker *worker, inpla_cell *a, inpla_cell *b)
{
    if (inpla_is_half_connected(worker, a))
        return 1;
    return !inpla_is_half_connected(worker, b) && (uintptr_t)a < (uintptr_t)b;
}

/*
 * The connection a ~ b; each is an agent, an end of a wire or, with INPLA_VALUES, a number. Where an active pair comes
 * of it, it is *pair, and the result is 1; the pair's `left` is a number only if both are. Else the result is 0.
 */
static inline INPLA_MAYBE_UNUSED int inpla_join(inpla_worker *worker, inpla_cell *a, inpla_cell *b, inpla_pair *pair)
{
    for (;;) {
        const int b_is_wire = inpla_is_wire(b);
        if (inpla_is_wire(a)) {
            if (inpla_unlikely(a == b)) {
                inpla_end_wire(worker, a);
                return 0;
            }
            if (!b_is_wire || inpla_goes_first(worker, a, b))
                a = inpla_meet(worker, a, b);
            else
                b = inpla_meet(worker, b, a);
        } else if (b_is_wire) {
            b = inpla_meet(worker, b, a);
        } else {
            const int is_swapped = inpla_is_number(a);
            pair->left = is_swapped ? b : a;
            pair->right = is_swapped ? a : b;
            return 1;
        }
        if (a == NULL || b == NULL)
            return 0;
    }
}

/* The same, and the pair is put on the list of what is to be reduced. INPLA_OK, or INPLA_ERROR_STACK. */
static inline INPLA_MAYBE_UNUSED inpla_status inpla_connect(inpla_worker *worker, inpla_cell *a, inpla_cell *b)
{
    inpla_pair pair;
    return inpla_join(worker, a, b, &pair) ? inpla_push(worker, pair.left, pair.right) : INPLA_OK;
}

/* --- the loop --------------------------------------------------------------------------------------------------- */

/* Has something happened that inpla_next has to see? A loop that reduces pairs without inpla_next looks every time. */
static inline int inpla_is_wanted(const inpla_worker *worker)
{
#if INPLA_THREADS
    return __atomic_load_n(&worker->attention, __ATOMIC_RELAXED) != 0;
#else
    (void)worker;
    return 0;
#endif
}

/* Takes the next pair to reduce. 0: there is none for this worker, or the net is lost. */
static inline int inpla_next(inpla_worker *worker, inpla_pair *pair)
{
#if INPLA_THREADS
    if (inpla_unlikely(worker->top == worker->split || inpla_is_wanted(worker)))
        return inplaS_next(worker, pair);
#else
    if (inpla_unlikely(worker->top == worker->base))
        return 0;
#endif
    *pair = *--worker->top;
    return 1;
}

#endif
