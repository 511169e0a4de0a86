/*
 * compiled_rule.c - what agents' functions of compiled rules do seldom.
 */
#include "compiled_rule.h"

inpla_cell *compiled_stop(inpla_worker *worker, failure_kind kind, uint32_t rule, uint32_t what)
{
    compiled_fail(worker, NULL, NULL, kind, rule, what);
    return NULL;
}

/* Whoever calls a rule's function reports that memory is exhausted, unless something else has been reported. */
inpla_status compiled_lost(const inpla_worker *worker)
{
    return inpla_get_failed(worker->net).status == INPLA_OK ? INPLA_ERROR_HEAP : INPLA_ERROR_NO_RULE;
}

inpla_status compiled_erase_cell(inpla_worker *worker, inpla_cell *value)
{
    value = compiled_reach(worker, value);
    if (inpla_is_number(value) || (!inpla_is_wire(value) && inpla_port_count(value) == 0)) {
        worker->interactions++;
        if (!inpla_is_number(value))
            inpla_free(worker, value, 0);
        return INPLA_OK;
    }
    inpla_cell *eraser = inpla_new(worker, INPLA_ERASER, 0);
    return eraser == NULL ? INPLA_ERROR_HEAP : inpla_connect(worker, eraser, value);
}

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
    b = compiled_reach(worker, b);
    m = compiled_reach(worker, m);
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
        failure_set(worker, (inpla_pair){cell, m}, (failure){FAILURE_DIVISION, 0, NULL});
        return NULL;
    }
    return inpla_connect(worker, cell, m) != INPLA_OK ? NULL : open == into ? COMPILED_DONE : open;
}
