/*
 * names.h - the interface: the names that occurred once in a statement, for later ones to print, connect and free.
 *
 * A name is a wire of the core (INPLA_NAME). The interface has hold of one of its ends, that is, of a *use* of it:
 *
 *   x ~ A       bound: port 0 is A, one end is used
 *   A(x)        a hole: a port of A has one end
 *   both        x can still be printed and freed; both ends are used, so no statement may mention it
 *
 * Port 1 of its cell says which symbol it is, how many ends are used, and when it was introduced. A private wire that
 * has been printed is an INPLA_NAME without a symbol, which remembers its label, <a1>.
 */
#ifndef INPLA_NAMES_H
#define INPLA_NAMES_H

#include "inpla_value.h"
#include "net/locals.h"
#include "run/language.h"

struct names {
    uint32_t count;      /* in the interface */
    uint32_t introduced; /* in this run, up to NAMES_LAST */
    uint32_t labels;     /* given to private wires */
    locals locals;       /* of the net that is being executed */
    inpla_cell **terms;  /* of it, while they are built (build.c) */
    uint32_t term_room;
};

enum { NAMES_LAST = (1 << 29) - 1 };

/* 0 when memory is exhausted. */
int names_open(language *run);
void names_close(language *run);

/* Puts a name into the interface with one end used: by a port that gets the result, or by `bound`, if that is not
 * NULL. Returns NULL when memory is exhausted. */
inpla_cell *names_introduce(language *run, symbol_id id, inpla_cell *bound);

/* Takes a name out of the interface. Its cell becomes a plain wire, whose free end is the caller's. */
void names_remove(language *run, inpla_cell *name);

/* Gives the cell of a name in the interface to another identifier, which is not in it. */
void names_rename(language *run, inpla_cell *name, symbol_id id);

/* Frees the cell of a wire, both of whose ends have been let go of. A name leaves the interface. */
void names_free_wire(language *run, inpla_cell *wire);

/* The number of a private wire that nothing is connected to, as it is printed: 0 for <a1>, 25 for <z1>, 26 for <a2>. */
uint32_t names_label(language *run, inpla_cell *wire);

/* The names of the interface in the order in which they are listed, `run->names->count` of them, to be given to free();
 * NULL when memory is exhausted or there are none. */
symbol_id *names_list(const language *run);

/* NO_SYMBOL for a private wire with a label. */
static inline symbol_id names_symbol(inpla_cell *name)
{
    return (symbol_id)((uintptr_t)inpla_ports(name)[1].i & UINT32_MAX);
}

/* Is it the cell of a name in the interface? */
static inline int names_has(inpla_cell *value)
{
    return inpla_is_name(value) && names_symbol(value) != NO_SYMBOL;
}

/* How many ends of an interface name are used: 1 or 2. */
static inline unsigned names_uses(inpla_cell *name)
{
    return (unsigned)((uintptr_t)inpla_ports(name)[1].i >> 32 & 3);
}

/* Another port gets an end of a name that has one used. */
static inline inpla_cell *names_use(inpla_cell *name)
{
    inpla_ports(name)[1].i += (inpla_int)1 << 32;
    return name;
}

/* When it was introduced; the label, if it has no symbol. */
static inline uint32_t names_number(inpla_cell *name)
{
    return (uint32_t)((uintptr_t)inpla_ports(name)[1].i >> 34) & NAMES_LAST;
}

#endif
