/*
 * machine_core.c - Eraser and Dup with agents of at most two ports. Larger ones are left to the core.
 */
#include "machine/machine_core.h"

/* What becomes of the connection that the rule goes on with. */
static core_outcome go_on(inpla_worker *worker, inpla_cell *agent, inpla_cell *term, inpla_pair *pair)
{
    return inpla_join(worker, term, agent, pair) ? CORE_GOES_ON : CORE_DONE;
}

static core_outcome as_outcome(inpla_status status)
{
    return status == INPLA_OK ? CORE_DONE : CORE_FAILED;
}

/* --- Eraser ------------------------------------------------------------------------------------------------------- */

/* Eraser ~ a, Eraser ~ b; the second one is new. */
static core_outcome erase_two(inpla_worker *worker, inpla_cell *eraser, inpla_cell *a, inpla_cell *b, inpla_pair *pair)
{
    inpla_cell *other = inpla_new(worker, INPLA_ERASER, 0);
    if (other == NULL || inpla_connect(worker, other, b) != INPLA_OK)
        return CORE_FAILED;
    return go_on(worker, eraser, a, pair);
}

/* Numbers in ports count as if an Eraser met them. */
static core_outcome erase(inpla_worker *worker, inpla_cell *eraser, inpla_cell *cell, inpla_pair *pair)
{
    const unsigned ports = inpla_port_count(cell);
    inpla_cell *a = inpla_ports(cell)[0].cell, *b = inpla_ports(cell)[1].cell;
    const int has_a = ports > 0 && !inpla_is_number(a), has_b = ports > 1 && !inpla_is_number(b);
    worker->interactions += ports - (unsigned)(has_a + has_b);
    inpla_free(worker, cell, ports);
    if (has_a && has_b)
        return erase_two(worker, eraser, a, b, pair);
    if (has_a || has_b)
        return go_on(worker, eraser, has_a ? a : b, pair);
    inpla_free(worker, eraser, 0);
    return CORE_DONE;
}

/* --- Dup ---------------------------------------------------------------------------------------------------------- */

static void fill(inpla_cell *cell, uintptr_t head, inpla_cell *first, inpla_cell *second)
{
    cell->head = head;
    inpla_ports(cell)[0].cell = first;
    inpla_ports(cell)[1].cell = second;
}

/* A small agent with numbers only. The second of two costs an interaction. */
static core_outcome copy_numbers(inpla_worker *worker, inpla_cell *dup, inpla_cell *cell)
{
    inpla_cell *const a = inpla_ports(dup)[0].cell, *const b = inpla_ports(dup)[1].cell;
    fill(dup, cell->head, inpla_ports(cell)[0].cell, inpla_ports(cell)[1].cell);
    worker->interactions += inpla_port_count(cell) == 2;
    const inpla_status status = inpla_connect(worker, a, cell);
    return as_outcome(status != INPLA_OK ? status : inpla_connect(worker, b, dup));
}

/* to ~ agent with these ports: in the wire `to`, or else in a cell. NULL if memory is exhausted, else anything. */
static inline inpla_cell *give(inpla_worker *worker, inpla_cell *to, uintptr_t head, inpla_cell *first,
                               inpla_cell *second)
{
    if (inpla_likely(inpla_may_become(worker, to))) {
        inpla_become_2(to, head, first, second);
        return to;
    }
    inpla_cell *cell = inpla_take(worker, head, 2);
    if (cell == NULL)
        return NULL;
    fill(cell, head, first, second);
    return inpla_connect(worker, to, cell) == INPLA_OK ? cell : NULL;
}

/* A small agent with one connection, in this port: Dup(u,v) goes on with what is there. The cell becomes the wire u. */
static core_outcome copy_connection(inpla_worker *worker, inpla_cell *dup, inpla_cell *cell, unsigned port,
                                    inpla_pair *pair)
{
    inpla_cell *const a = inpla_ports(dup)[0].cell, *const b = inpla_ports(dup)[1].cell, *const v = inpla_wire(worker);
    inpla_cell *const first = inpla_ports(cell)[0].cell, *const second = inpla_ports(cell)[1].cell;
    const uintptr_t head = cell->head;
    if (v == NULL)
        return CORE_FAILED;
    cell->head = worker->wire_head;
    inpla_ports(cell)[0].cell = NULL;
    if (give(worker, a, head, port == 0 ? cell : first, port == 0 ? second : cell) == NULL ||
        give(worker, b, head, port == 0 ? v : first, port == 0 ? second : v) == NULL)
        return CORE_FAILED;
    inpla_ports(dup)[0].cell = cell;
    inpla_ports(dup)[1].cell = v;
    return go_on(worker, dup, port == 0 ? first : second, pair);
}

static int is_connection(inpla_cell *cell, unsigned port)
{
    return port < inpla_port_count(cell) && !inpla_is_number(inpla_ports(cell)[port].cell);
}

static core_outcome copy(inpla_worker *worker, inpla_cell *dup, inpla_cell *cell, inpla_pair *pair)
{
    const int has_first = is_connection(cell, 0), has_second = is_connection(cell, 1);
    if ((has_first && has_second) || inpla_agent_of(cell) == INPLA_DUP)
        return as_outcome(inpla_builtin_rule(worker, dup, cell));
    if (has_first || has_second)
        return copy_connection(worker, dup, cell, has_second, pair);
    return copy_numbers(worker, dup, cell);
}

/* --- both --------------------------------------------------------------------------------------------------------- */

core_outcome machine_reduce_core(inpla_worker *worker, inpla_pair *pair)
{
    const unsigned left = inpla_agent_of(pair->left), right = inpla_agent_of(pair->right);
    const int is_left = left < INPLA_BUILTIN_COUNT && (left == INPLA_ERASER || right != INPLA_ERASER);
    inpla_cell *core = is_left ? pair->left : pair->right, *cell = is_left ? pair->right : pair->left;
    if (inpla_port_count(cell) > 2)
        return as_outcome(inpla_builtin_rule(worker, pair->left, pair->right));
    return inpla_agent_of(core) == INPLA_ERASER ? erase(worker, core, cell, pair) : copy(worker, core, cell, pair);
}
