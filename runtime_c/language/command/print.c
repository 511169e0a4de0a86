/*
 * print.c - terms as text. Must not change a net, but for the labels of private wires.
 *
 * What is open is a stack of frames: an agent of which some ports are printed, or a list at one of its cells.
 */
#include "command/print.h"

#include <stdlib.h>

#include "net/names.h"
#include "table/agents.h"
#include "table/array.h"

enum { LONGEST_LIST = 31, LETTERS = 26 };

typedef struct {
    inpla_cell *cell;
    uint32_t next;  /* port of an agent */
    uint32_t count; /* elements of a list that are printed or being printed */
} frame;

typedef struct {
    language *run;
    frame *frames;
    uint32_t depth;
    uint32_t room;
    inpla_cell *root;  /* the name that is printed: met again, it leads to itself */
    uint8_t is_listed; /* names are printed by name */
} printer;

static void put_text(const printer *to, const char *text)
{
    fputs(text, to->run->out);
}

static void put_letter(const printer *to, char letter)
{
    fputc(letter, to->run->out);
}

/* --- ends of wires ---------------------------------------------------------------------------------------------- */

/* What a connection leads to: an agent, a number, or a wire that is printed as such. */
static inpla_cell *follow(const printer *to, inpla_cell *value)
{
    while (inpla_is_wire(value)) {
        inpla_cell *next = inpla_ports(value)[0].cell;
        if (next == NULL || value == to->root || (to->is_listed && names_has(value)))
            break;
        value = next;
    }
    return value;
}

static void put_wire(const printer *to, inpla_cell *wire)
{
    if (wire == to->root) {
        fprintf(to->run->out, "<Warning:%s is cyclic>", symbols_get(&to->run->symbols, names_symbol(wire))->text);
    } else if (names_has(wire)) {
        put_text(to, symbols_get(&to->run->symbols, names_symbol(wire))->text);
    } else {
        const uint32_t label = names_label(to->run, wire);
        fprintf(to->run->out, "<%c%u>", (char)('a' + label % LETTERS), label / LETTERS + 1);
    }
}

/* --- terms ------------------------------------------------------------------------------------------------------ */

static int open_frame(printer *to, inpla_cell *cell)
{
    if (!ARRAY_RESERVE(to->frames, to->room, (size_t)to->depth + 1))
        return 0;
    to->frames[to->depth++] = (frame){.cell = cell};
    return 1;
}

/* Nothing of it is printed bare but its name. */
static int is_bare(const char *name, unsigned ports)
{
    return ports == 0 && !(name[0] >= 'a' && name[0] <= 'z') && name[0] != '(';
}

static int put_agent(printer *to, inpla_cell *cell)
{
    const unsigned number = inpla_agent_of(cell), ports = inpla_port_count(cell);
    const char *name = symbols_get(&to->run->symbols, agents_get(to->run, number)->symbol)->text;
    if (number == AGENT_NIL) {
        put_text(to, "[]");
        return 1;
    }
    if (number == AGENT_PERCENT) {
        const int64_t of = inpla_int_of(inpla_ports(cell)[0].cell);
        fprintf(to->run->out, "%%%s", symbols_get(&to->run->symbols, (symbol_id)of)->text);
        return 1;
    }
    if (number == AGENT_CONS) {
        put_letter(to, '[');
        return open_frame(to, cell);
    }
    if (!agents_is_tuple(to->run, number))
        put_text(to, name);
    if (is_bare(name, ports))
        return 1;
    put_letter(to, '(');
    return open_frame(to, cell);
}

static int put_value(printer *to, inpla_cell *value)
{
    value = follow(to, value);
    if (inpla_is_number(value))
        print_number(to->run, value);
    else if (inpla_is_wire(value))
        put_wire(to, value);
    else
        return put_agent(to, value);
    return 1;
}

/* The next port of the agent on top, or its end. */
static int continue_agent(printer *to, frame *top)
{
    if (top->next == inpla_port_count(top->cell)) {
        put_letter(to, ')');
        to->depth--;
        return 1;
    }
    if (top->next != 0)
        put_letter(to, ',');
    return put_value(to, inpla_ports(top->cell)[top->next++].cell);
}

static int is_agent(inpla_cell *value, unsigned number)
{
    return !inpla_is_number(value) && inpla_agent_of(value) == number;
}

/* What stands in place of a further cell ends the list. */
static int end_list(printer *to, inpla_cell *tail)
{
    to->depth--;
    if (is_agent(tail, AGENT_NIL)) {
        put_letter(to, ']');
    } else if (is_agent(tail, AGENT_CONS)) {
        put_text(to, ",...]");
    } else if (inpla_is_wire(tail)) {
        put_letter(to, ',');
        put_wire(to, tail);
        put_text(to, "...");
    } else {
        put_letter(to, ':');
        return put_value(to, tail);
    }
    return 1;
}

/* The next element of the list on top, or its end. */
static int continue_list(printer *to, frame *top)
{
    if (top->count != 0) {
        inpla_cell *tail = follow(to, inpla_ports(top->cell)[1].cell);
        if (!is_agent(tail, AGENT_CONS) || top->count == LONGEST_LIST)
            return end_list(to, tail);
        put_letter(to, ',');
        top->cell = tail;
    }
    top->count++;
    return put_value(to, inpla_ports(top->cell)[0].cell);
}

static int print(printer *to, inpla_cell *value)
{
    int is_whole = put_value(to, value);
    while (is_whole && to->depth != 0) {
        frame *top = &to->frames[to->depth - 1];
        is_whole = inpla_agent_of(top->cell) == AGENT_CONS ? continue_list(to, top) : continue_agent(to, top);
    }
    free(to->frames);
    return is_whole;
}

/* --- what others print ------------------------------------------------------------------------------------------ */

int print_value(language *run, inpla_cell *value)
{
    printer to = {.run = run};
    return print(&to, value);
}

static int print_interface(language *run, symbol_id id, int is_listed)
{
    inpla_cell *name = symbols_get(&run->symbols, id)->name;
    printer to = {.run = run, .root = name, .is_listed = (uint8_t)is_listed};
    if (name != NULL && inpla_ports(name)[0].cell != NULL)
        return print(&to, inpla_ports(name)[0].cell);
    put_text(&to, name == NULL ? "<NON-DEFINED>" : "<EMPTY>");
    return 1;
}

int print_name(language *run, symbol_id id)
{
    return print_interface(run, id, 0);
}

int print_listed(language *run, symbol_id id)
{
    return print_interface(run, id, 1);
}
