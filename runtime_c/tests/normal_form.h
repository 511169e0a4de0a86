/*
 * normal_form.h - what the interface of a net leads to, as a number: equal for equal normal forms.
 *
 * Agents are read from their principal ports, so what a name leads to is a tree, with names and open wires as its leaves.
 * Open wires are numbered in the order in which they are met.
 */
#ifndef NORMAL_FORM_H
#define NORMAL_FORM_H

#include "inpla_value.h"

enum { MOST_OPEN_WIRES = 1 << 14 }; /* a power of two */

static struct {
    inpla_cell *wire;
    uint32_t number;
    uint32_t form; /* which normal form the entry belongs to; others are empty */
} open_wires[MOST_OPEN_WIRES];

typedef struct {
    uint64_t hash;
    uint32_t wires;
    uint32_t form;
} normal_form;

static inline void add_word(normal_form *form, uint64_t word)
{
    form->hash = (form->hash ^ word) * 0x100000001B3u;
    form->hash ^= form->hash >> 29;
}

static inline uint32_t wire_number(normal_form *form, inpla_cell *wire)
{
    size_t at = ((uintptr_t)wire >> 3) * 0x9E3779B97F4A7C15u >> 40;
    for (;; at++) {
        at %= MOST_OPEN_WIRES;
        if (open_wires[at].form == form->form && open_wires[at].wire == wire)
            return open_wires[at].number;
        if (open_wires[at].form != form->form) {
            CHECK(++form->wires < MOST_OPEN_WIRES);
            open_wires[at].form = form->form;
            open_wires[at].wire = wire;
            return open_wires[at].number = form->wires;
        }
    }
}

static inline void add_value(normal_form *form, inpla_cell *value)
{
    while (inpla_is_wire(value) && inpla_first_of(value) != NULL)
        value = inpla_first_of(value);
    if (inpla_is_number(value)) {
        add_word(form, (uint64_t)inpla_int_of(value) ^ 0x1111);
    } else if (inpla_is_name(value)) {
        add_word(form, 0x2222u + (uint64_t)inpla_ports(value)[1].i);
    } else if (inpla_is_wire(value)) {
        add_word(form, 0x3333u + ((uint64_t)wire_number(form, value) << 16));
    } else {
        add_word(form, value->head);
        for (unsigned i = 0; i < inpla_port_count(value); i++)
            add_value(form, inpla_ports(value)[i].cell);
    }
}

/* Of names that have one end each in the net. A name with two is looked through where it stands in a term: whether it is
 * consumed there or lives on depends on the order of reduction. */
static inline uint64_t normal_form_of(inpla_cell *const *names, unsigned count)
{
    static uint32_t forms = 0;
    normal_form form = {0xCBF29CE484222325u, 0, ++forms};
    for (unsigned i = 0; i < count; i++)
        add_value(&form, names[i]);
    return form.hash;
}

#endif
