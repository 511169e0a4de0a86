/*
 * compiled_builtin.c - built-in agents as functions of compiled rules: Eraser, Dup and Append along lists, arithmetic.
 *
 * They count what the rules of pairs (inpla_builtin.c, builtin_list.c, builtin_number.c) count.
 */
#include "executable/compiled_rule.h"

/* --- Eraser ------------------------------------------------------------------------------------------------------- */

static inpla_status connect_eraser(inpla_worker *worker, inpla_cell *value)
{
    inpla_cell *eraser = inpla_new(worker, INPLA_ERASER, 0);
    return eraser == NULL ? INPLA_ERROR_HEAP : inpla_connect(worker, eraser, value);
}

/* An agent of two ports, the first of which holds a number and the second one a cell: most lists consist of such. */
static inline int is_number_and_rest(inpla_cell *value)
{
    if (inpla_is_number(value))
        return 0;
    const uintptr_t head = inpla_head_of(value);
    return head >> INPLA_PORTS_SHIFT == 2 && (head & INPLA_AGENT_MASK) < INPLA_NAME &&
           inpla_is_number(inpla_ports(value)[0].cell) && !inpla_is_number(inpla_ports(value)[1].cell);
}

/* A merger that has seen the end of one list has a rule with Eraser of its own. */
static int is_erased_here(const inpla_cell *value)
{
    return !inpla_is_wire(value) && inpla_agent_of(value) != AGENT_MERGERP;
}

/* Erases all ports but the last one, which is returned in `last`, and gives back the cell; counts what is erased. */
static inpla_status erase_ports(inpla_worker *worker, inpla_cell *cell, inpla_cell **last)
{
    const unsigned ports = inpla_port_count(cell);
    inpla_status status = INPLA_OK;
    worker->interactions++;
    for (unsigned i = 0; status == INPLA_OK && i + 1 < ports; i++) {
        inpla_cell *value = inpla_ports(cell)[i].cell;
        if (inpla_is_number(value))
            worker->interactions++;
        else
            status = connect_eraser(worker, value);
    }
    *last = ports == 0 ? NULL : inpla_ports(cell)[ports - 1].cell;
    inpla_free(worker, cell, ports);
    return status;
}

/* Erases the beginning of a list of numbers, or of what looks like it. Returns the rest. */
static inpla_cell *erase_numbers(inpla_worker *worker, inpla_cell *value)
{
    uint64_t count = 0;
    while (is_number_and_rest(value)) {
        inpla_cell *const rest = inpla_ports(value)[1].cell;
        inpla_free(worker, value, 2);
        value = rest;
        count += 2;
    }
    worker->interactions += count;
    return value;
}

inpla_status compiled_erase_cell(inpla_worker *worker, inpla_cell *value)
{
    for (;;) {
        value = erase_numbers(worker, inpla_reach(worker, value));
        if (inpla_is_number(value)) {
            worker->interactions++;
            return INPLA_OK;
        }
        if (!is_erased_here(value))
            return connect_eraser(worker, value);
        const inpla_status status = erase_ports(worker, value, &value);
        if (status != INPLA_OK || value == NULL)
            return status;
    }
}

/* --- Dup ---------------------------------------------------------------------------------------------------------- */

/* Dup becomes a cell. */
static int connect_dup(inpla_worker *worker, compiled_result *d0, compiled_result *d1, inpla_cell *value)
{
    inpla_cell *dup = inpla_new(worker, INPLA_DUP, 2);
    inpla_cell *first = compiled_open_result(worker, d0), *second = compiled_open_result(worker, d1);
    if (dup == NULL || first == NULL || second == NULL)
        return 0;
    inpla_ports(dup)[0].cell = first;
    inpla_ports(dup)[1].cell = second;
    return inpla_connect(worker, dup, value) == INPLA_OK;
}

static int copy_port(inpla_worker *worker, const char *floor, inpla_cell **first, inpla_cell **second)
{
    COMPILED_RESULT(d0, NULL);
    COMPILED_RESULT(d1, NULL);
    if (!compiled_copy(worker, floor, &d0, &d1, *first))
        return 0;
    *first = compiled_behind_wire(worker, d0.first);
    *second = compiled_behind_wire(worker, d1.first);
    return *first != NULL && *second != NULL;
}

/* The second one of two numbers that are all the ports counts as if it were met. */
static unsigned count_of_copy(inpla_cell *cell)
{
    const inpla_word *ports = inpla_ports(cell);
    return 1 + (inpla_port_count(cell) == 2 && inpla_is_number(ports[0].cell) && inpla_is_number(ports[1].cell));
}

/* Copies a cell but for its last port. NULL: the net is lost. */
static inpla_cell *copy_cell(inpla_worker *worker, const char *floor, inpla_cell *cell)
{
    const unsigned ports = inpla_port_count(cell);
    inpla_cell *copy = inpla_take(worker, cell->head, ports);
    if (copy == NULL)
        return NULL;
    worker->interactions += count_of_copy(cell);
    for (unsigned i = 0; i + 1 < ports; i++) {
        inpla_word *first = &inpla_ports(cell)[i], *second = &inpla_ports(copy)[i];
        if (inpla_is_number(first->cell))
            *second = *first;
        else if (!copy_port(worker, floor, &first->cell, &second->cell))
            return NULL;
    }
    return copy;
}

static void fill_both(compiled_result *d0, inpla_cell *first, compiled_result *d1, inpla_cell *second)
{
    *d0->hole = first;
    *d1->hole = second;
}

/* Copies the beginning of a list of numbers. Returns the rest, NULL when memory is exhausted. */
static inpla_cell *copy_numbers(inpla_worker *worker, compiled_result *d0, compiled_result *d1, inpla_cell *value)
{
    inpla_cell **first = d0->hole, **second = d1->hole;
    unsigned count = 0;
    for (; count < COMPILED_PATIENCE && is_number_and_rest(value); count++) {
        inpla_cell *const copy = inpla_take(worker, value->head, 2);
        if (copy == NULL)
            return NULL;
        inpla_ports(copy)[0] = inpla_ports(value)[0];
        *first = value;
        *second = copy;
        first = &inpla_ports(value)[1].cell;
        second = &inpla_ports(copy)[1].cell;
        value = *first;
    }
    d0->hole = first;
    d1->hole = second;
    worker->interactions += count;
    return value;
}

/* Copies a cell, and leaves its last port to be copied. That is returned, or the cell if it has no such port; NULL: the
 * net is lost. */
static inpla_cell *copy_first_ports(inpla_worker *worker, const char *floor, compiled_result *d0, compiled_result *d1,
                                    inpla_cell *value)
{
    const unsigned ports = inpla_port_count(value);
    inpla_cell *const copy = copy_cell(worker, floor, value);
    if (copy == NULL)
        return NULL;
    fill_both(d0, value, d1, copy);
    if (ports == 0)
        return value;
    inpla_word *last = &inpla_ports(value)[ports - 1], *last_of_copy = &inpla_ports(copy)[ports - 1];
    if (inpla_is_number(last->cell)) {
        *last_of_copy = *last;
        return value;
    }
    d0->hole = &last->cell;
    d1->hole = &last_of_copy->cell;
    return last->cell;
}

/* Goes on with the last port of each cell: along lists. */
int compiled_copy(inpla_worker *worker, const char *floor, compiled_result *d0, compiled_result *d1, inpla_cell *value)
{
    int must_stop = COMPILED_MUST_STOP(worker, floor, 0);
    for (;; must_stop = COMPILED_MUST_STOP(worker, floor, 0)) {
        value = copy_numbers(worker, d0, d1, inpla_reach(worker, value));
        if (value == NULL)
            return 0;
        if (inpla_is_number(value)) {
            worker->interactions++;
            return compiled_fill(worker, d0, value) && compiled_fill(worker, d1, value);
        }
        if (must_stop || inpla_is_wire(value) || inpla_agent_of(value) == INPLA_DUP)
            return connect_dup(worker, d0, d1, value);
        inpla_cell *const rest = copy_first_ports(worker, floor, d0, d1, value);
        if (rest == NULL || rest == value)
            return rest != NULL;
        value = rest;
    }
}

/* --- Append ------------------------------------------------------------------------------------------------------- */

/* Append becomes a cell. */
static inpla_cell *connect_append(inpla_worker *worker, compiled_result *result, inpla_cell *b, inpla_cell *list)
{
    inpla_cell *append = inpla_new(worker, AGENT_APPEND, 2), *open = compiled_open_result(worker, result);
    if (append == NULL || open == NULL)
        return NULL;
    inpla_ports(append)[0].cell = open;
    inpla_ports(append)[1].cell = b;
    return inpla_connect(worker, append, list) == INPLA_OK ? compiled_value(result) : NULL;
}

static int is_agent(const inpla_cell *value, uintptr_t head)
{
    return !inpla_is_number(value) && inpla_head_of(value) == head;
}

/* The cells of the list stay; only its end becomes `b`. */
inpla_cell *compiled_Append_2(inpla_worker *worker, const char *floor, inpla_cell *into, inpla_cell *b, inpla_cell *list)
{
    COMPILED_RESULT(result, into);
    (void)floor;
    do {
        unsigned count = 0;
        list = inpla_reach(worker, list);
        while (count < COMPILED_PATIENCE && is_agent(list, inpla_head(AGENT_CONS, 2))) {
            *result.hole = list;
            result.hole = &inpla_ports(list)[1].cell;
            list = *result.hole;
            count++;
        }
        worker->interactions += count;
        if (count < COMPILED_PATIENCE)
            list = inpla_reach(worker, list);
    } while (is_agent(list, inpla_head(AGENT_CONS, 2)) && !compiled_gives_way(worker, 0));
    if (!is_agent(list, inpla_head(AGENT_NIL, 0)))
        return connect_append(worker, &result, b, list);
    worker->interactions++;
    inpla_free(worker, list, 0);
    return compiled_fill(worker, &result, b) ? result.first : NULL;
}

/* --- Add, Sub, Mul, Div, Mod -------------------------------------------------------------------------------------- */

/* The agent as a cell, with a wire in its first port if that leads nowhere. NULL: memory is exhausted. */
static inpla_cell *operation_cell(inpla_worker *worker, inpla_cell *into, number_operation operation, inpla_cell *b)
{
    inpla_cell *cell = inpla_new(worker, AGENT_ADD + operation, 2);
    inpla_cell *open = into != NULL ? into : inpla_wire(worker);
    if (cell == NULL || open == NULL)
        return NULL;
    inpla_ports(cell)[0].cell = open;
    inpla_ports(cell)[1].cell = b;
    return cell;
}

inpla_cell *compiled_operate(inpla_worker *worker, inpla_cell *into, number_operation operation, inpla_cell *b,
                             inpla_cell *m)
{
    b = inpla_reach(worker, b);
    m = inpla_reach(worker, m);
    const int are_numbers = inpla_is_number(b) && inpla_is_number(m);
    inpla_cell *const value = are_numbers ? number_operate(operation, b, m) : NULL;
    if (value != NULL) {
        worker->interactions += 2;
        return value;
    }
    inpla_cell *const cell = operation_cell(worker, into, operation, b);
    if (cell == NULL)
        return NULL;
    inpla_cell *const open = inpla_ports(cell)[0].cell;
    if (are_numbers) {
        failure_set(worker, (inpla_pair){cell, m}, (failure){.kind = FAILURE_DIVISION});
        return NULL;
    }
    return inpla_connect(worker, cell, m) != INPLA_OK ? NULL : open == into ? COMPILED_DONE : open;
}
