/*
 * machine_parts.c - the slow parts of the machine's operations.
 */
#include "machine/machine_parts.h"

#include "builtin/natives.h"
#include "machine/postponed.h"
#include "number/number.h"

/* --- numbers in ports --------------------------------------------------------------------------------------------- */

/* A port's number is in the register, but a wire may still be in the cell, which the rule may keep as it is. */
static void set_port(inpla_cell **registers, uint32_t place, inpla_cell *value)
{
    const uint32_t left_ports = inpla_port_count(registers[CODE_LEFT]);
    registers[place] = value;
    if (place < CODE_FIRST_PORT)
        return;
    place -= CODE_FIRST_PORT;
    if (place < left_ports)
        inpla_ports(registers[CODE_LEFT])[place].cell = value;
    else
        inpla_ports(registers[CODE_RIGHT])[place - left_ports].cell = value;
}

/* The number that a register leads to, NULL if there is none. */
static inpla_cell *number_at(inpla_worker *worker, inpla_cell *const *registers, uint32_t place)
{
    inpla_cell *port = registers[place];
    return inpla_is_number(port) ? port : inpla_follow(worker, port);
}

static int fail(failure *reason, failure_kind kind, uint32_t place)
{
    reason->kind = kind;
    reason->what = place - CODE_FIRST_PORT;
    return 0;
}

int machine_take_int(inpla_worker *worker, inpla_cell **registers, uint32_t place, failure *reason)
{
    inpla_cell *value = number_at(worker, registers, place);
    if (value == NULL || !inpla_is_int(value))
        return fail(reason, FAILURE_INT, place);
    set_port(registers, place, value);
    return 1;
}

int machine_take_real(inpla_worker *worker, inpla_cell **registers, uint32_t place, failure *reason)
{
    inpla_cell *value = number_at(worker, registers, place);
    if (value == NULL)
        return fail(reason, FAILURE_FLOAT, place);
    set_port(registers, place, inpla_is_int(value) ? inpla_of_float(number_real(value)) : value);
    return 1;
}

int machine_postpone(inpla_worker *worker, inpla_cell *const *registers, failure reason)
{
    inpla_cell *left = registers[CODE_LEFT];
    if (!postponed_may_come(worker, registers[CODE_FIRST_PORT + reason.what], reason.kind))
        return 0;
    for (uint32_t i = 0; i < inpla_port_count(left); i++) /* a loop has them in registers only */
        inpla_ports(left)[i].cell = registers[CODE_FIRST_PORT + i];
    return postponed_add(worker, (inpla_pair){left, registers[CODE_RIGHT]}, reason);
}

/* --- native functions --------------------------------------------------------------------------------------------- */

static inpla_word argument_of(char kind, const inpla_cell *value)
{
    inpla_word word = {NULL};
    if (kind == INPLA_PORT_FLOAT)
        word.f = inpla_float_of(value);
    else if (inpla_is_int(value))
        word.i = (inpla_int)inpla_int_of(value);
    else /* in the float dialect; a number without an int is none that a function takes */
        word.i = inpla_float_of(value) >= -0x1p62f && inpla_float_of(value) < 0x1p62f
                     ? (inpla_int)inpla_float_of(value)
                     : INTPTR_MIN;
    return word;
}

inpla_cell *machine_call_native(inpla_worker *worker, uint32_t number, inpla_cell *const *registers,
                                const code_word *list, uint32_t count)
{
    const inpla_native_entry *native = natives_get(number);
    inpla_word arguments[INPLA_MAX_PARAMETERS], result = {NULL};
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = argument_of(native->parameters[i], registers[list[i / 2].half[i % 2]]);
    language *run = inpla_user(worker);
    if (native->call(run->natives, arguments, &result) != 0)
        return NULL;
    return native->result == INPLA_PORT_FLOAT ? inpla_of_float(result.f) : inpla_of_int(result.i);
}
