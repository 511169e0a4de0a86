/*
 * inpla_image.c - loads a net image (format: inpla_image.h) and reduces it section by section.
 *
 * Nested terms need no stack: where a port holds an agent and is not the last one, the last one keeps the agent around
 * it while the inner one is read, and bits 24 to 31 of the header say at which port to go on. So there is no limit on the
 * depth of a term.
 */
#include "inpla_image.h"

#include "inpla_internal.h"

#if !INPLA_VALUES

/* Where the loader is. Small functions get a pointer to it and are inlined, so that it stays in registers. */
typedef struct {
    inpla_net *net;
    inpla_worker *worker;
    const uint8_t *start;
    const uint8_t *next;
    const uint8_t *end;
    uintptr_t slots;
    uintptr_t wire_head; /* header of the wires that are made */
} loader;

static inpla_status fail_at(loader from, inpla_status status, const char *detail)
{
    const inpla_failure failure = {status, INPLA_AT_IMAGE, 0, 0, (size_t)(from.next - from.start), detail};
    return inplaM_lose(from.net, failure);
}

static inpla_status malformed(loader from, const char *detail)
{
    return fail_at(from, INPLA_ERROR_IMAGE, detail);
}

/* --- elements --------------------------------------------------------------------------------------------------- */

INPLA_INLINE inpla_status read_byte(loader *from, uint8_t *byte)
{
    if (inpla_unlikely(from->next == from->end))
        return malformed(*from, "it ends too early");
    *byte = *from->next++;
    return INPLA_OK;
}

/* A number of any length, in *value, and the loader behind it. Too large for a machine word is malformed. */
static inpla_status read_long_varint(loader from, const uint8_t **next, uintptr_t *value)
{
    uint8_t byte = 0;
    *value = 0;
    for (unsigned shift = 0; shift < sizeof(uintptr_t) * 8; shift += 7) {
        const inpla_status status = read_byte(&from, &byte);
        if (status != INPLA_OK)
            return status;
        const uintptr_t bits = byte & 0x7Fu;
        if (bits << shift >> shift != bits)
            break;
        *value |= bits << shift;
        if (byte < 0x80) {
            *next = from.next;
            return INPLA_OK;
        }
    }
    return malformed(from, "number too large");
}

INPLA_INLINE inpla_status read_any_varint(loader *from, uintptr_t *value)
{
    const uint8_t *next = from->next;
    uintptr_t number = 0;
    const inpla_status status = read_long_varint(*from, &next, &number);
    from->next = next;
    *value = number;
    return status;
}

/* Most numbers of an image are one to three bytes. */
INPLA_INLINE inpla_status read_varint(loader *from, uintptr_t *value)
{
    const uint8_t *byte = from->next;
    if (inpla_unlikely(from->end - byte < 3))
        return read_any_varint(from, value);
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
        return read_any_varint(from, value);
    }
    return INPLA_OK;
}

INPLA_INLINE inpla_status read_int(loader *from, inpla_int *value)
{
    uintptr_t zigzag = 0;
    const inpla_status status = read_varint(from, &zigzag);
    *value = (inpla_int)(zigzag >> 1 ^ (0 - (zigzag & 1)));
    return status;
}

INPLA_INLINE inpla_status read_float(loader *from, float *value)
{
    const uint8_t *byte = from->next;
    if (inpla_unlikely(from->end - byte < 4))
        return malformed(*from, "it ends too early");
    const uint32_t bits = byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
    __builtin_memcpy(value, &bits, sizeof bits);
    from->next += 4;
    return INPLA_OK;
}

INPLA_INLINE inpla_status read_literal(loader *from, char kind, inpla_word *value)
{
    return kind == INPLA_PORT_FLOAT ? read_float(from, &value->f) : read_int(from, &value->i);
}

/* --- attributes ------------------------------------------------------------------------------------------------- */

INPLA_INLINE inpla_status call_native(loader *from, uintptr_t number, char kind, inpla_word *value)
{
    inpla_word arguments[INPLA_MAX_PARAMETERS];
    if (number >= from->net->program->native_count)
        return malformed(*from, "no such native function");
    const inpla_native_entry *native = &from->net->program->natives[number];
    if (native->result != kind)
        return malformed(*from, "native function with another type of result than the port");
    for (unsigned i = 0; native->parameters[i] != 0; i++) {
        if (i == INPLA_MAX_PARAMETERS)
            return malformed(*from, "native function with too many parameters");
        const inpla_status status = read_literal(from, native->parameters[i], &arguments[i]);
        if (status != INPLA_OK)
            return status;
    }
    if (native->call(from->worker->user, arguments, value) != 0)
        return fail_at(*from, INPLA_ERROR_NATIVE, native->name);
    return INPLA_OK;
}

INPLA_INLINE inpla_status read_attribute(loader *from, char kind, inpla_word *value)
{
    uintptr_t selector = 0;
    const inpla_status status = read_varint(from, &selector);
    if (status != INPLA_OK)
        return status;
    return selector == 0 ? read_literal(from, kind, value) : call_native(from, selector - 1, kind, value);
}

/* --- terms ------------------------------------------------------------------------------------------------------ */

INPLA_INLINE inpla_status read_wire(loader *from, uintptr_t slot, inpla_cell **wire)
{
    if (inpla_unlikely(slot >= from->slots))
        return malformed(*from, "no such wire slot");
    inpla_cell **place = &from->net->slots[slot];
    *wire = *place;
    *place = NULL;
    if (*wire != NULL)
        return INPLA_OK;
    inpla_cell *const fresh = inpla_take(from->worker, from->wire_head, 1);
    if (inpla_unlikely(fresh == NULL))
        return fail_at(*from, INPLA_ERROR_HEAP, NULL);
    inpla_ports(fresh)[0].cell = NULL;
    *wire = *place = fresh;
    return INPLA_OK;
}

/* An agent that is being read: its cell, the next port to read, and the kinds of the ports from there on. */
typedef struct {
    inpla_cell *cell;
    inpla_word *port;
    const char *kinds;
    inpla_cell *around; /* the agent to go on with when this one is complete, or NULL */
} cursor;

enum { PORT_SHIFT = 24 };

static inline inpla_word *last_port(inpla_cell *cell)
{
    return inpla_ports(cell) + inpla_port_count(cell) - 1;
}

/* Takes the cell of an agent, whose ports are read next. */
INPLA_INLINE inpla_status begin_agent(loader *from, cursor *at, uintptr_t agent)
{
    if (inpla_unlikely(agent >= from->net->program->agent_count))
        return malformed(*from, "no such agent");
    const char *kinds = inplaN_agent(from->net, (unsigned)agent)->ports;
    unsigned ports = 0;
    while (ports < INPLA_MAX_PORTS && kinds[ports] != 0) /* without the bound GCC makes a call of strlen of it */
        ports++;
    inpla_assert(kinds[ports] == 0);
    at->cell = inpla_new(from->worker, (uint16_t)agent, ports);
    if (inpla_unlikely(at->cell == NULL))
        return fail_at(*from, INPLA_ERROR_HEAP, NULL);
    at->port = inpla_ports(at->cell);
    at->kinds = kinds;
    return INPLA_OK;
}

/* An agent stands in the port to be read. If there are more ports behind it, the agent around it is gone on with
 * later. */
INPLA_INLINE inpla_status descend(loader *from, cursor *at, uintptr_t agent)
{
    const cursor around = *at;
    const inpla_status status = begin_agent(from, at, agent);
    if (inpla_unlikely(status != INPLA_OK))
        return status;
    around.port->cell = at->cell;
    if (around.kinds[1] != 0) {
        around.cell->head |= (uintptr_t)(around.port + 1 - inpla_ports(around.cell)) << PORT_SHIFT;
        last_port(around.cell)->cell = around.around;
        at->around = around.cell;
    }
    return INPLA_OK;
}

/* The agent is complete: goes on with the one around it. */
INPLA_INLINE void ascend(loader *from, cursor *at)
{
    inpla_cell *cell = at->around;
    const unsigned port = (unsigned)(cell->head >> PORT_SHIFT) & 0xFFu;
    cell->head &= ((uintptr_t)1 << PORT_SHIFT) - 1;
    at->cell = cell;
    at->port = inpla_ports(cell) + port;
    at->kinds = inplaN_agent(from->net, inpla_agent_of(cell))->ports + port;
    at->around = last_port(cell)->cell;
}

/* What stands in a wire port: a wire, which is complete, or an agent, which is descended into. */
INPLA_INLINE inpla_status read_wire_port(loader *from, cursor *at)
{
    uintptr_t value = 0;
    inpla_status status = read_varint(from, &value);
    if (inpla_unlikely(status != INPLA_OK))
        return status;
    if (value & 1)
        return descend(from, at, value >> 1);
    status = read_wire(from, value >> 1, &at->port->cell);
    at->port++;
    at->kinds++;
    return status;
}

INPLA_INLINE inpla_status read_agent(loader *from, uintptr_t agent, inpla_cell **term)
{
    cursor at = {NULL, NULL, NULL, NULL};
    inpla_status status = begin_agent(from, &at, agent);
    *term = at.cell;
    while (inpla_likely(status == INPLA_OK)) {
        if (*at.kinds == INPLA_PORT_WIRE)
            status = read_wire_port(from, &at);
        else if (*at.kinds != 0)
            status = read_attribute(from, *at.kinds++, at.port++);
        else if (at.around != NULL)
            ascend(from, &at);
        else
            break;
    }
    return status;
}

INPLA_INLINE inpla_status read_term(loader *from, inpla_cell **term)
{
    uintptr_t value = 0;
    const inpla_status status = read_varint(from, &value);
    if (inpla_unlikely(status != INPLA_OK))
        return status;
    return value & 1 ? read_agent(from, value >> 1, term) : read_wire(from, value >> 1, term);
}

/* --- the image -------------------------------------------------------------------------------------------------- */

/* Pairs of what is loaded may be reduced by other workers meanwhile. */
static void attend(inpla_worker *worker)
{
#if INPLA_THREADS
    inplaS_attend(worker);
#else
    (void)worker;
#endif
}

/* Header of the wires that are made: those that several workers connect are everybody's. */
static uintptr_t wire_head(const inpla_worker *worker)
{
#if INPLA_THREADS
    if (worker->sharing)
        return (uintptr_t)INPLA_WIRE | (uintptr_t)INPLA_COMMON << INPLA_PORTS_SHIFT;
#endif
    (void)worker;
    return inpla_head(INPLA_WIRE, 0);
}

INPLA_INLINE inpla_status read_connection(loader *from)
{
    inpla_cell *terms[2];
    inpla_status status = INPLA_OK;
    for (unsigned i = 0; i < 2; i++) {
        inpla_cell *term = NULL;
        status = read_term(from, &term);
        if (inpla_unlikely(status != INPLA_OK))
            return status;
        terms[i] = term;
    }
    if (inpla_unlikely(inpla_is_wanted(from->worker)))
        attend(from->worker);
    status = inpla_connect(from->worker, terms[0], terms[1]);
    return status == INPLA_OK ? status : fail_at(*from, status, NULL);
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
            return malformed(*from, "this is no net image");
    }
    const inpla_status status = read_byte(from, &byte);
    if (status == INPLA_OK && byte != INPLA_IMAGE_VERSION)
        return malformed(*from, "another version of the format");
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
        return malformed(*from, "it belongs to another program");
    if (numbers[0] > from->net->slot_count)
        return fail_at(*from, INPLA_ERROR_MEMORY, "more wire slots than the net has");
    if (numbers[3] > (size_t)(from->end - from->next))
        return malformed(*from, "it is cut off");
    from->slots = numbers[0];
    from->end = from->next + numbers[3];
    return INPLA_OK;
}

static inpla_status read_body(loader from)
{
    uint8_t op = INPLA_IMAGE_END;
    inpla_status status;
    while ((status = read_byte(&from, &op)) == INPLA_OK && op != INPLA_IMAGE_END) {
        if (op == INPLA_IMAGE_CONNECT)
            status = read_connection(&from);
        else if (op == INPLA_IMAGE_SECTION)
            status = inplaR_normalise(from.net);
        else
            status = malformed(from, "unknown operation");
        if (status != INPLA_OK)
            return status;
    }
    if (status == INPLA_OK && from.next != from.end)
        return malformed(from, "bytes behind its end");
    return status != INPLA_OK ? status : inplaR_normalise(from.net);
}

INPLA_FUNC inpla_status inplaI_run(inpla_net *net, const uint8_t *image, size_t size)
{
    inpla_worker *worker = inplaN_worker(net, 0);
    loader from = {net, worker, image, image, image + size, 0, wire_head(worker)};
    const inpla_status status = read_header(&from);
    return status != INPLA_OK ? status : read_body(from);
}

#endif
