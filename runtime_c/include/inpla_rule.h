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

/* Pseudo agents, never in a program's table: a wire, and a cell on a free list. */
enum { INPLA_WIRE = 0xFFFF, INPLA_FREE = 0xFFFE };

/* The most ports an agent can have. */
enum { INPLA_MAX_PORTS = 254 };

/*
 * A cell: this header word, then the words of its ports; room for 2 ports at least, so that agents of 0 to 2 ports and
 * wires are one size. Header: agent number in bits 0 to 15, ports in bits 16 to 23; bits 24 to 31 belong to the
 * image loader. Port 0 of a wire is what its first end was connected to, NULL before that.
 */
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
    intptr_t live; /* cells taken minus cells given back by this worker */
#if INPLA_THREADS
    inpla_cell *spare[INPLA_CLASSES]; /* a second chain, full, or NULL */
    int16_t count[INPLA_CLASSES];     /* cells in free_list */
    uint8_t sharing;                  /* other workers are at the same net: wires need atomics */
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

/* The engine's slow paths; rules do not call these. */
INPLA_API inpla_cell *inplaH_refill(inpla_worker *worker, unsigned ports) INPLA_MAYBE_UNUSED;
INPLA_API void inplaH_free_large(inpla_worker *worker, inpla_cell *cell, unsigned ports) INPLA_MAYBE_UNUSED;
INPLA_API inpla_status inplaR_overflow(inpla_worker *worker, inpla_cell *left, inpla_cell *right) INPLA_MAYBE_UNUSED;
#if INPLA_THREADS
INPLA_API void inplaH_chain_full(inpla_worker *worker, unsigned size_class) INPLA_MAYBE_UNUSED;
INPLA_API void inplaS_publish(inpla_worker *worker) INPLA_MAYBE_UNUSED;
#endif

/* The ports of a cell, ports[0] to ports[n-1]. */
static inline inpla_word *inpla_ports(inpla_cell *cell)
{
    return (inpla_word *)(void *)(cell + 1);
}

static inline unsigned inpla_agent_of(const inpla_cell *cell)
{
    return (unsigned)(cell->head & 0xFFFFu);
}

static inline unsigned inpla_port_count(const inpla_cell *cell)
{
    return (unsigned)(cell->head >> 16) & 0xFFu;
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
static inline inpla_cell *inpla_new(inpla_worker *worker, uint16_t agent, unsigned ports)
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
    cell->head = (uintptr_t)agent | (uintptr_t)ports << 16;
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
static inline inpla_cell *inpla_reuse(inpla_cell *cell, uint16_t agent, unsigned ports)
{
    inpla_assert(inpla_agent_of(cell) != INPLA_FREE);
    inpla_assert(INPLA_CLASS(inpla_port_count(cell)) == INPLA_CLASS(ports));
    cell->head = (uintptr_t)agent | (uintptr_t)ports << 16;
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
    inpla_assert(inpla_agent_of(cell) != INPLA_FREE);
    return inpla_agent_of(cell) == INPLA_WIRE;
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
            inpla_free(worker, wire, 1);
        return first;
    }
#endif
    inpla_cell *first = port->cell;
    if (first == NULL)
        port->cell = cell;
    else
        inpla_free(worker, wire, 1);
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

/* The connection a ~ b; each is an agent or an end of a wire. INPLA_OK, or INPLA_ERROR_STACK. */
static inline INPLA_MAYBE_UNUSED inpla_status inpla_connect(inpla_worker *worker, inpla_cell *a, inpla_cell *b)
{
    for (;;) {
        const int b_is_wire = inpla_is_wire(b);
        if (inpla_is_wire(a)) {
            if (inpla_unlikely(a == b)) {
                inpla_free(worker, a, 1);
                return INPLA_OK;
            }
            if (!b_is_wire || inpla_goes_first(worker, a, b))
                a = inpla_meet(worker, a, b);
            else
                b = inpla_meet(worker, b, a);
        } else if (b_is_wire) {
            b = inpla_meet(worker, b, a);
        } else {
            return inpla_push(worker, a, b);
        }
        if (a == NULL || b == NULL)
            return INPLA_OK;
    }
}

#endif
