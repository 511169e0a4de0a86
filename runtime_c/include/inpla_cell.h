/*
 * inpla_cell.h - cells: what a net consists of.
 *
 * A cell is a header word, then the words of its ports; room for 2 ports at least, so that agents of 0 to 2 ports and
 * wires are one size. A port holds a connection, that is the cell of an agent, whose principal port is meant, or the
 * cell of a wire; or it holds an attribute, where the agent's signature says so; or, with INPLA_VALUES, a number, which
 * its lowest bits tell from a cell (inpla_value.h).
 *
 * Header, from the lowest bit: 16 bits agent number, 8 bits number of ports, 8 bits for the image loader; with
 * INPLA_VALUES 32 bits agent number, 32 bits number of ports. A wire has the number of its owner, the worker that made
 * it, in place of the ports; or the number that says that it is everybody's.
 */
#ifndef INPLA_CELL_H
#define INPLA_CELL_H

#include "inpla_conf.h"

#include "inpla.h"

/* The agents that every program starts with: Eraser() and Dup(w, w). ORDER BUILTIN (nets/program.py). */
enum inpla_builtin { INPLA_ERASER, INPLA_DUP, INPLA_BUILTIN_COUNT };

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

/* Pseudo agents, never in a program's table: a wire; a wire of which its owner is making an agent at this moment
 * (inpla_value.h); a wire that is an interface name, whose port 1 is for the host; a cell on a free list. */
#define INPLA_WIRE (INPLA_AGENT_MASK)
#define INPLA_CHANGING (INPLA_AGENT_MASK - 1u)
#define INPLA_NAME (INPLA_AGENT_MASK - 2u)
#define INPLA_FREE (INPLA_AGENT_MASK - 3u)

/* Of wires that are everybody's: in place of an owner. */
#define INPLA_COMMON (UINTPTR_MAX >> INPLA_PORTS_SHIFT)

struct inpla_cell {
    uintptr_t head;
};

/* Two agents whose principal ports are connected. */
typedef struct {
    inpla_cell *left;
    inpla_cell *right;
} inpla_pair;

enum { INPLA_CLASSES = INPLA_SMALL_PORTS - 1 }; /* 0, 1, 2 ports; 3; 4; ...; INPLA_SMALL_PORTS */

/* The size class of an agent; classes from INPLA_CLASSES up have no free list in the worker. */
#define INPLA_CLASS(ports) ((ports) < 2u ? 0u : (ports)-2u)

static inline uintptr_t inpla_head(inpla_agent_id agent, unsigned ports)
{
    return (uintptr_t)agent | (uintptr_t)ports << INPLA_PORTS_SHIFT;
}

/* The header of a cell that may be the wire of another worker, which may be making an agent of it. What an agent's
 * header is read by, may read its ports. */
static inline uintptr_t inpla_head_of(const inpla_cell *cell)
{
#if INPLA_VALUES && INPLA_THREADS
    return __atomic_load_n(&cell->head, __ATOMIC_ACQUIRE);
#else
    return cell->head;
#endif
}

static inline unsigned inpla_agent_of(const inpla_cell *cell)
{
    return (unsigned)(inpla_head_of(cell) & INPLA_AGENT_MASK);
}

/* Of an agent. */
static inline unsigned inpla_port_count(const inpla_cell *cell)
{
    return (unsigned)(cell->head >> INPLA_PORTS_SHIFT) & INPLA_PORTS_MASK;
}

/* The ports of a cell, ports[0] to ports[n-1]. */
static inline inpla_word *inpla_ports(inpla_cell *cell)
{
    return (inpla_word *)(void *)(cell + 1);
}

/* Is it a number instead of a cell? Never without INPLA_VALUES. */
static inline int inpla_is_number(const inpla_cell *value)
{
#if INPLA_VALUES
    return ((uintptr_t)value & 3u) != 0;
#else
    (void)value;
    return 0;
#endif
}

/* Is it a cell, and that of a wire? Interface names are wires. */
static inline int inpla_is_wire(const inpla_cell *value)
{
    if (inpla_is_number(value))
        return 0;
    inpla_assert(inpla_agent_of(value) != INPLA_FREE);
#if INPLA_VALUES
    return inpla_agent_of(value) >= INPLA_NAME;
#else
    return inpla_agent_of(value) == INPLA_WIRE;
#endif
}

/* What the first end of a wire was connected to, NULL before that. It is written once. With
 * INPLA_VALUES this holds if the cell is still a wire when its header is read after it. */
static inline inpla_cell *inpla_first_of(inpla_cell *wire)
{
#if INPLA_THREADS
    return __atomic_load_n(&inpla_ports(wire)[0].cell, __ATOMIC_ACQUIRE);
#else
    return inpla_ports(wire)[0].cell;
#endif
}

static inline void inpla_set_first(inpla_cell *wire, inpla_cell *value)
{
#if INPLA_THREADS
    __atomic_store_n(&inpla_ports(wire)[0].cell, value, __ATOMIC_RELEASE);
#else
    inpla_ports(wire)[0].cell = value;
#endif
}

#endif
