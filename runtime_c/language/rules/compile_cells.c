/*
 * compile_cells.c - the cells of a branch: the pair's own given back or made others, new ones taken; what is in their
 * ports.
 */
#include "rules/cells.h"
#include "rules/compiler.h"
#include "table/agents.h"
#include "table/array.h"

static void emit(compiler *to, code_operation operation, uint32_t a, uint32_t b)
{
    assembler_emit(&to->out, &(instruction){operation, {a, b}, {{0}}, NULL});
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* A cell of the pair that a wire may be made in, NO_REGISTER if there is none. */
uint32_t compile_spare_cell(compiler *to)
{
    for (uint32_t place = CODE_LEFT; place <= CODE_RIGHT; place++)
        if (to->spare_cells & 1u << place) {
            to->spare_cells &= ~(1u << place);
            return place;
        }
    return NO_REGISTER;
}

static uint32_t wire_register(compiler *to, variable *wire)
{
    if (wire->place != NO_REGISTER)
        return wire->place;
    wire->place = compile_spare_cell(to);
    if (wire->place != NO_REGISTER) {
        emit(to, CODE_WIRE_IN, wire->place, 0);
    } else {
        wire->place = compiler_new_register(to);
        emit(to, CODE_WIRE, wire->place, 0);
    }
    return wire->place;
}

/* A number, constant or in a register. */
int compile_number(compiler *to, term *at, operand *value)
{
    if (!compile_expression(to, at->nodes, value))
        return 0;
    at->is_real = value->is_real;
    return 1;
}

/* The register of a term; cells have been built. */
int compile_register(compiler *to, uint32_t number, uint32_t *place)
{
    term *at = &to->branch.terms[number];
    operand value;
    if (at->kind == TERM_NAME) {
        *place = wire_register(to, &to->scope.all[at->variable]);
        return 1;
    }
    if (at->kind == TERM_NUMBER && at->place == NO_REGISTER) {
        if (!compile_number(to, at, &value))
            return 0;
        at->place = compile_to_register(to, &value);
    }
    *place = at->place;
    return 1;
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

uintptr_t compile_head(const term *at)
{
    return at->kind == TERM_PERCENT ? inpla_head(AGENT_PERCENT, 1) : inpla_head(at->agent, at->count);
}

/* A cell of the pair becomes this agent; ports that it has already stay. */
static void emit_reuse(compiler *to, term *at, const uint32_t *ports)
{
    const uint32_t place = at->cell - 1u, old = place == CODE_LEFT ? to->rule->left : to->rule->right;
    if (at->agent != old)
        assembler_emit(&to->out, &(instruction){CODE_HEAD, {place}, {{.head = compile_head(at)}}, NULL});
    for (uint32_t i = 0; i < at->count; i++)
        if (!cells_keeps_port(to, at, i))
            assembler_emit(&to->out, &(instruction){CODE_PORT, {place, i, ports[i]}, {{0}}, NULL});
    at->place = place;
}

static void emit_new(compiler *to, term *at, const uint32_t *ports)
{
    static const code_operation small[] = {CODE_NEW_0, CODE_NEW_1, CODE_NEW_2, CODE_NEW_3};
    at->place = compiler_new_register(to);
    instruction made = {CODE_NEW, {at->place, at->count}, {{.head = compile_head(at)}}, ports};
    if (at->count <= 3) {
        made.operation = small[at->count];
        made.list = NULL;
        for (uint32_t i = 0; i < at->count; i++)
            made.half[1 + i] = ports[i];
    }
    assembler_emit(&to->out, &made);
}

static void build_percent(compiler *to, term *at)
{
    const operand id = {.kind = OPERAND_CONSTANT, .value = inpla_of_int(at->agent)};
    const uint32_t port = compile_to_register(to, &id);
    at->place = compiler_new_register(to);
    assembler_emit(&to->out, &(instruction){CODE_NEW_1, {at->place, port}, {{.head = compile_head(at)}}, NULL});
}

/* The registers of an agent's ports: to->ports. */
int compile_ports(compiler *to, const term *at)
{
    if (!ARRAY_RESERVE(to->ports, to->port_room, (size_t)at->count + 1))
        return compiler_fail_memory(to);
    for (uint32_t i = 0; i < at->count; i++)
        if (!compile_register(to, to->branch.ports[at->first + i], &to->ports[i]))
            return 0;
    return 1;
}

int compile_cell(compiler *to, term *at)
{
    if (at->kind == TERM_PERCENT) {
        build_percent(to, at);
        return 1;
    }
    if (!compile_ports(to, at))
        return 0;
    if (at->cell != 0)
        emit_reuse(to, at, to->ports);
    else
        emit_new(to, at, to->ports);
    return 1;
}

/* Is the last connection that of a name with a number? */
static int is_number_last(const compiler *to, uint32_t last)
{
    if (last == NO_TERM)
        return 0;
    const uint8_t left = to->branch.terms[to->branch.sides[last]].kind;
    const uint8_t right = to->branch.terms[to->branch.sides[last + 1]].kind;
    return (left == TERM_NAME && right == TERM_NUMBER) || (left == TERM_NUMBER && right == TERM_NAME);
}

/* Cells of the pair that nothing is built in are kept for wires, or given back before others are taken; the left one
 * together with a number as answer, if that is the end. */
static void free_cells(compiler *to)
{
    uint32_t used = 0, wires = to->wire_count;
    for (uint32_t i = 0; i < to->cell_count; i++)
        used |= to->branch.terms[to->list[i]].cell;
    to->spare_cells = 0;
    to->is_answer = 0;
    for (uint32_t place = CODE_LEFT; place <= CODE_RIGHT; place++) {
        const uint32_t ports = cells_port_count(to, place);
        if (!cells_is_owned(to, place) || (used & (place + 1)) != 0)
            continue;
        if (INPLA_CLASS(ports) == 0 && wires != 0) {
            to->spare_cells |= 1u << place;
            wires--;
        } else if (INPLA_CLASS(ports) == 0 && place == CODE_LEFT && is_number_last(to, to->last)) {
            to->is_answer = 1;
        } else {
            emit(to, CODE_FREE, place, ports);
        }
    }
}

int compile_cells(compiler *to)
{
    free_cells(to);
    for (uint32_t i = to->cell_count; i-- != 0;) {
        term *at = &to->branch.terms[to->list[i]];
        if (to->list[i] != to->loop && !at->is_sent && !compile_cell(to, at))
            return 0;
    }
    return 1;
}
