/*
 * inpla_image.c - loads a net image (format: inpla_image.h) and reduces it section by section.
 *
 * Nested terms need no stack: while an agent's wire port is being read, the port itself holds the agent that the
 * current one stands in, and bits 24 to 31 of its header say which port that is. So there is no limit on the depth of a
 * term.
 */
#include "inpla_image.h"

#include "inpla_internal.h"

#if !INPLA_VALUES

typedef struct {
    inpla_net *net;
    inpla_worker *worker;
    const uint8_t *start;
    const uint8_t *next;
    const uint8_t *end;
    uintptr_t slots;
} loader;

static inpla_status fail_at(loader *from, inpla_status status, const char *detail)
{
    const inpla_failure failure = {status, INPLA_AT_IMAGE, 0, 0, (size_t)(from->next - from->start), detail};
    return inplaM_lose(from->net, failure);
}

static inpla_status malformed(loader *from, const char *detail)
{
    return fail_at(from, INPLA_ERROR_IMAGE, detail);
}

/* --- elements --------------------------------------------------------------------------------------------------- */

static inpla_status read_byte(loader *from, uint8_t *byte)
{
    if (inpla_unlikely(from->next == from->end))
        return malformed(from, "it ends too early");
    *byte = *from->next++;
    return INPLA_OK;
}

/* A number too large for a machine word is malformed. */
static inpla_status read_long_varint(loader *from, uintptr_t *value)
{
    uint8_t byte = 0;
    *value = 0;
    for (unsigned shift = 0; shift < sizeof(uintptr_t) * 8; shift += 7) {
        const inpla_status status = read_byte(from, &byte);
        if (status != INPLA_OK)
            return status;
        const uintptr_t bits = byte & 0x7Fu;
        if (bits << shift >> shift != bits)
            break;
        *value |= bits << shift;
        if (byte < 0x80)
            return INPLA_OK;
    }
    return malformed(from, "number too large");
}

/* Most numbers of an image are one to three bytes. */
static inline inpla_status read_varint(loader *from, uintptr_t *value)
{
    const uint8_t *byte = from->next;
    if (inpla_unlikely(from->end - byte < 3))
        return read_long_varint(from, value);
    if (byte[0] < 0x80) {
        *value = byte[0];
        from->next += 1;
    } else if (byte[1] < 0x80) {
        *value = (byte[0] & 0x7Fu) | (uintptr_t)byte[1] << 7;
        from->next += 2;
    } else if (byte[2] < 0x80) {
        *value = (byte[0] & 0x7Fu) | (byte[1] & 0x7Fu) << 7 | (uintptr_t)byte[2] << 14;
        from->next += 3;
    } else {
        return read_long_varint(from, value);
    }
    return INPLA_OK;
}

static inpla_status read_int(loader *from, inpla_int *value)
{
    uintptr_t zigzag = 0;
    const inpla_status status = read_varint(from, &zigzag);
    if (status == INPLA_OK)
        *value = (inpla_int)(zigzag >> 1 ^ (0 - (zigzag & 1)));
    return status;
}

static inpla_status read_float(loader *from, float *value)
{
    const uint8_t *byte = from->next;
    if (inpla_unlikely(from->end - byte < 4))
        return malformed(from, "it ends too early");
    const uint32_t bits = byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
    __builtin_memcpy(value, &bits, sizeof bits);
    from->next += 4;
    return INPLA_OK;
}

static inpla_status read_literal(loader *from, char kind, inpla_word *value)
{
    return kind == INPLA_PORT_FLOAT ? read_float(from, &value->f) : read_int(from, &value->i);
}

/* --- attributes ------------------------------------------------------------------------------------------------- */

static inpla_status call_native(loader *from, uintptr_t number, char kind, inpla_word *value)
{
    inpla_word arguments[INPLA_MAX_PARAMETERS];
    if (number >= from->net->program->native_count)
        return malformed(from, "no such native function");
    const inpla_native_entry *native = &from->net->program->natives[number];
    if (native->result != kind)
        return malformed(from, "native function with another type of result than the port");
    for (unsigned i = 0; native->parameters[i] != 0; i++) {
        if (i == INPLA_MAX_PARAMETERS)
            return malformed(from, "native function with too many parameters");
        const inpla_status status = read_literal(from, native->parameters[i], &arguments[i]);
        if (status != INPLA_OK)
            return status;
    }
    if (native->call(from->worker->user, arguments, value) != 0)
        return fail_at(from, INPLA_ERROR_NATIVE, native->name);
    return INPLA_OK;
}

static inpla_status read_attribute(loader *from, char kind, inpla_word *value)
{
    uintptr_t selector = 0;
    const inpla_status status = read_varint(from, &selector);
    if (status != INPLA_OK)
        return status;
    return selector == 0 ? read_literal(from, kind, value) : call_native(from, selector - 1, kind, value);
}

/* --- terms ------------------------------------------------------------------------------------------------------ */

static inpla_status read_wire(loader *from, uintptr_t slot, inpla_cell **wire)
{
    if (slot >= from->slots)
        return malformed(from, "no such wire slot");
    inpla_cell **place = &from->net->slots[slot];
    if (*place != NULL) {
        *wire = *place;
        *place = NULL;
        return INPLA_OK;
    }
    *wire = *place = inpla_wire(from->worker);
    return *wire != NULL ? INPLA_OK : fail_at(from, INPLA_ERROR_HEAP, NULL);
}

/* An agent that is being read: its cell, the next port to read, and the kinds of the ports from there on. */
typedef struct {
    inpla_cell *cell;
    inpla_word *port;
    const char *kinds;
    inpla_cell *parent; /* the agent that this one is a port of, or NULL */
} cursor;

enum { PORT_SHIFT = 24 };

/* Starts an agent inside the one that is being read, which leaves its place in its own header and port. */
static inpla_status descend(loader *from, cursor *at, uintptr_t agent)
{
    if (agent >= from->net->program->agent_count)
        return malformed(from, "no such agent");
    const char *kinds = inplaN_agent(from->net, (unsigned)agent)->ports;
    unsigned ports = 0;
    while (kinds[ports] != 0)
        ports++;
    inpla_assert(ports <= INPLA_MAX_PORTS);
    inpla_cell *cell = inpla_new(from->worker, (uint16_t)agent, ports);
    if (cell == NULL)
        return fail_at(from, INPLA_ERROR_HEAP, NULL);
    if (at->cell != NULL) {
        at->cell->head |= (uintptr_t)(at->port - inpla_ports(at->cell)) << PORT_SHIFT;
        at->port->cell = at->parent;
    }
    at->parent = at->cell;
    at->cell = cell;
    at->port = inpla_ports(cell);
    at->kinds = kinds;
    return INPLA_OK;
}

/* The agent is complete: goes back to its parent, where it is the port that was being read. */
static void ascend(loader *from, cursor *at)
{
    inpla_cell *term = at->cell;
    inpla_cell *cell = at->parent;
    const unsigned port = (unsigned)(cell->head >> PORT_SHIFT) & 0xFFu;
    cell->head &= ((uintptr_t)1 << PORT_SHIFT) - 1;
    at->cell = cell;
    at->port = inpla_ports(cell) + port;
    at->kinds = inplaN_agent(from->net, inpla_agent_of(cell))->ports + port + 1;
    at->parent = at->port->cell;
    at->port->cell = term;
    at->port++;
}

/* What stands in a wire port: a wire, which is complete, or an agent, which is descended into. */
static inpla_status read_wire_port(loader *from, cursor *at)
{
    uintptr_t value = 0;
    inpla_status status = read_varint(from, &value);
    if (status != INPLA_OK)
        return status;
    if (value & 1)
        return descend(from, at, value >> 1);
    status = read_wire(from, value >> 1, &at->port->cell);
    at->port++;
    at->kinds++;
    return status;
}

static inpla_status read_agent(loader *from, uintptr_t agent, inpla_cell **term)
{
    cursor at = {NULL, NULL, NULL, NULL};
    inpla_status status = descend(from, &at, agent);
    while (status == INPLA_OK) {
        if (*at.kinds == INPLA_PORT_WIRE) {
            status = read_wire_port(from, &at);
        } else if (*at.kinds != 0) {
            status = read_attribute(from, *at.kinds++, at.port++);
        } else if (at.parent != NULL) {
            ascend(from, &at);
        } else {
            *term = at.cell;
            return INPLA_OK;
        }
    }
    return status;
}

static inpla_status read_term(loader *from, inpla_cell **term)
{
    uintptr_t value = 0;
    const inpla_status status = read_varint(from, &value);
    if (status != INPLA_OK)
        return status;
    return value & 1 ? read_agent(from, value >> 1, term) : read_wire(from, value >> 1, term);
}

/* --- the image -------------------------------------------------------------------------------------------------- */

static inpla_status read_connection(loader *from)
{
    inpla_cell *left = NULL;
    inpla_cell *right = NULL;
    inpla_status status = read_term(from, &left);
    if (status == INPLA_OK)
        status = read_term(from, &right);
    if (status != INPLA_OK)
        return status;
    status = inpla_connect(from->worker, left, right);
    return status == INPLA_OK ? status : fail_at(from, status, NULL);
}

static inpla_status read_magic(loader *from)
{
    const char *magic = INPLA_IMAGE_MAGIC;
    uint8_t byte = 0;
    for (unsigned i = 0; i < 4; i++) {
        const inpla_status status = read_byte(from, &byte);
        if (status != INPLA_OK)
            return status;
        if (byte != (uint8_t)magic[i])
            return malformed(from, "this is no net image");
    }
    const inpla_status status = read_byte(from, &byte);
    if (status == INPLA_OK && byte != INPLA_IMAGE_VERSION)
        return malformed(from, "another version of the format");
    return status;
}

static inpla_status read_header(loader *from)
{
    uintptr_t numbers[4] = {0, 0, 0, 0}; /* slots, agents, natives, bytes of the body */
    inpla_status status = read_magic(from);
    for (unsigned i = 0; i < 4 && status == INPLA_OK; i++)
        status = read_varint(from, &numbers[i]);
    if (status != INPLA_OK)
        return status;
    if (numbers[1] != from->net->program->agent_count || numbers[2] != from->net->program->native_count)
        return malformed(from, "it belongs to another program");
    if (numbers[0] > from->net->slot_count)
        return fail_at(from, INPLA_ERROR_MEMORY, "more wire slots than the net has");
    if (numbers[3] > (size_t)(from->end - from->next))
        return malformed(from, "it is cut off");
    from->slots = numbers[0];
    from->end = from->next + numbers[3];
    return INPLA_OK;
}

static inpla_status read_body(loader *from)
{
    uint8_t op = INPLA_IMAGE_END;
    inpla_status status;
    while ((status = read_byte(from, &op)) == INPLA_OK && op != INPLA_IMAGE_END) {
        if (op == INPLA_IMAGE_CONNECT)
            status = read_connection(from);
        else if (op == INPLA_IMAGE_SECTION)
            status = inplaR_normalise(from->net);
        else
            status = malformed(from, "unknown operation");
        if (status != INPLA_OK)
            return status;
    }
    if (status == INPLA_OK && from->next != from->end)
        return malformed(from, "bytes behind its end");
    return status != INPLA_OK ? status : inplaR_normalise(from->net);
}

INPLA_FUNC inpla_status inplaI_run(inpla_net *net, const uint8_t *image, size_t size)
{
    loader from = {net, inplaN_worker(net, 0), image, image, image + size, 0};
    const inpla_status status = read_header(&from);
    return status != INPLA_OK ? status : read_body(&from);
}

#endif
