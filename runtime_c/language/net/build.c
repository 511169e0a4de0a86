/*
 * build.c - builds a net straight from its nodes, with a stack of terms.
 *
 * A name is not built before it is known what it is in: on the stack it stands for itself. In a port it is an end of a
 * wire; as a side of a connection it connects what its other end has, or will have, to the other side. A name with a
 * name is one way: the left one is made to lead to the right one, or is handed over if it leads to something already.
 */
#include "net/build.h"

#include "net/expression.h"
#include "net/names.h"
#include "table/agents.h"
#include "table/array.h"

typedef struct {
    language *run;
    inpla_cell **terms; /* the stack: values, or names waiting (wait_as_name) */
    inpla_cell **top;
    uint32_t line;
} builder;

/* --- names on the stack: neither a cell nor a number ------------------------------------------------------------- */

static inpla_cell *wait_as_name(symbol_id id)
{
    return (inpla_cell *)((uintptr_t)id << 3 | 4);
}

static int is_waiting_name(const inpla_cell *term)
{
    return ((uintptr_t)term & 7) == 4;
}

static symbol_id waiting_name(const inpla_cell *term)
{
    return (symbol_id)((uintptr_t)term >> 3);
}

/* Is it a wire within this statement? Else it is one of the interface's. */
static int is_private(const local *name)
{
    return name->occurrences == 2;
}

static inpla_cell *interface_name(const builder *to, symbol_id id)
{
    return symbols_get(&to->run->symbols, id)->name;
}

/* --- ports ------------------------------------------------------------------------------------------------------ */

static inpla_cell *private_end(const builder *to, local *name)
{
    if (!name->has_end) {
        name->has_end = 1;
        name->value = inpla_wire(to->run->worker);
    }
    return name->value;
}

/* An end of the wire that the name is, for a port. NULL: memory is exhausted. */
static inpla_cell *take_end(const builder *to, symbol_id id)
{
    local *name = locals_get(to->run, id);
    if (is_private(name))
        return private_end(to, name);
    inpla_cell *known = interface_name(to, id);
    return known == NULL ? names_introduce(to->run, id, NULL) : names_use(known);
}

static int push_cell(builder *to, uint32_t number, uint32_t ports)
{
    inpla_cell *cell = number == AGENT_NONE ? NULL : inpla_new(to->run->worker, number, ports);
    if (cell == NULL)
        return 0;
    to->top -= ports;
    for (uint32_t i = 0; i < ports; i++) {
        inpla_cell *term = is_waiting_name(to->top[i]) ? take_end(to, waiting_name(to->top[i])) : to->top[i];
        if (term == NULL)
            return 0;
        inpla_ports(cell)[i].cell = term;
    }
    *to->top++ = cell;
    return 1;
}

static int push_percent(builder *to, symbol_id id)
{
    const symbol *function = symbols_get(&to->run->symbols, id);
    inpla_cell *cell = inpla_new(to->run->worker, AGENT_PERCENT, 1);
    if (cell == NULL)
        return 0;
    if (function->agent == 0)
        language_report(to->run, to->line, "Warning: `%s' is given to %%, although it hasn't yet been defined.\n",
                        function->text);
    inpla_ports(cell)[0].cell = inpla_of_int(id);
    *to->top++ = cell;
    return 1;
}

/* --- connections ------------------------------------------------------------------------------------------------ */

static int connect(const builder *to, inpla_cell *left, inpla_cell *right)
{
    return inpla_connect(to->run->worker, left, right) == INPLA_OK;
}

/* name ~ term: a wire of this statement leads there, or has its two ends connected. */
static int connect_private(const builder *to, local *name, inpla_cell *term)
{
    if (name->has_end)
        return connect(to, name->value, term);
    name->has_end = 1;
    name->value = term;
    return 1;
}

/* name ~ term, which is no name. */
static int connect_name(const builder *to, symbol_id id, inpla_cell *term)
{
    local *name = locals_get(to->run, id);
    if (is_private(name))
        return connect_private(to, name, term);
    inpla_cell *known = interface_name(to, id);
    if (known == NULL)
        return names_introduce(to->run, id, term) != NULL;
    names_remove(to->run, known);
    return connect(to, known, term);
}

/* What the free end of a wire leads to, or the wire, if that is nothing yet. The wires on the way are freed. */
static inpla_cell *hand_over(const builder *to, inpla_cell *wire)
{
    while (inpla_is_wire(wire) && inpla_ports(wire)[0].cell != NULL) {
        inpla_cell *next = inpla_ports(wire)[0].cell;
        names_free_wire(to->run, wire);
        wire = next;
    }
    return wire;
}

/* end ~ right: the free end of a wire with a name. */
static int connect_end(const builder *to, inpla_cell *end, symbol_id right)
{
    local *name = locals_get(to->run, right);
    end = hand_over(to, end);
    if (is_private(name) || !inpla_is_wire(end))
        return connect_name(to, right, end);
    inpla_ports(end)[0].cell = take_end(to, right);
    return inpla_ports(end)[0].cell != NULL;
}

/* left ~ right: `left` is not yet in the interface and will lead to `right`. */
static int introduce_leading_to(const builder *to, symbol_id left, symbol_id right)
{
    inpla_cell *name = names_introduce(to->run, left, NULL);
    inpla_cell *end = take_end(to, right);
    if (name == NULL || end == NULL)
        return 0;
    inpla_ports(name)[0].cell = end;
    return 1;
}

static int is_new(const builder *to, symbol_id id)
{
    return !is_private(locals_get(to->run, id)) && interface_name(to, id) == NULL;
}

/* left ~ right: `left` is in the interface. */
static int connect_known(const builder *to, inpla_cell *left, symbol_id right)
{
    if (is_new(to, right)) {
        names_rename(to->run, left, right);
        return 1;
    }
    names_remove(to->run, left);
    return connect_end(to, left, right);
}

static int connect_names(const builder *to, symbol_id left, symbol_id right)
{
    local *name = locals_get(to->run, left);
    if (left == right)
        return 1; /* a wire without anything at its ends */
    if (is_new(to, left))
        return introduce_leading_to(to, left, right);
    if (!is_private(name))
        return connect_known(to, interface_name(to, left), right);
    if (name->has_end)
        return connect_end(to, name->value, right);
    name->has_end = 1;
    name->value = take_end(to, right);
    return name->value != NULL;
}

static int connect_top(builder *to)
{
    inpla_cell *right = *--to->top, *left = *--to->top;
    if (is_waiting_name(left))
        return is_waiting_name(right) ? connect_names(to, waiting_name(left), waiting_name(right))
                                      : connect_name(to, waiting_name(left), right);
    if (is_waiting_name(right))
        return connect_name(to, waiting_name(right), left);
    return connect(to, left, right);
}

/* --- nodes ------------------------------------------------------------------------------------------------------ */

static int push_value(builder *to, inpla_cell *value)
{
    *to->top++ = value;
    return 1;
}

static int build(builder *to, const syntax_node *node)
{
    switch (node->kind) {
    case SYNTAX_NAME:
        return push_value(to, wait_as_name(node->symbol));
    case SYNTAX_INT:
    case SYNTAX_FLOAT:
        return push_value(to, expression_number(node));
    case SYNTAX_AGENT:
        return push_cell(to, agents_use(to->run, node->symbol, node->count, to->line), node->count);
    case SYNTAX_TUPLE:
        return push_cell(to, agents_tuple(to->run, node->count), node->count);
    case SYNTAX_NIL:
        return push_cell(to, AGENT_NIL, 0);
    case SYNTAX_CONS:
        return push_cell(to, AGENT_CONS, 2);
    case SYNTAX_PERCENT:
        return push_percent(to, node->symbol);
    default:
        return connect_top(to);
    }
}

int build_net(language *run, const statement *net)
{
    names *all = run->names;
    const syntax_range range = net->net.connections;
    if (!ARRAY_RESERVE(all->terms, all->term_room, (size_t)(range.end - range.begin)))
        return 0;
    builder to = {.run = run, .terms = all->terms, .top = all->terms, .line = net->last_line};
    for (uint32_t i = range.begin; i != range.end; i++)
        if (!build(&to, &net->nodes[i]))
            return 0;
    return 1;
}
