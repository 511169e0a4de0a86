/*
 * inpla_api.c - the functions of inpla.h: a net's memory, running an image, the interface.
 */
#include "inpla_internal.h"

/* --- memory ----------------------------------------------------------------------------------------------------- */

INPLA_API size_t inpla_memory_bytes(const inpla_limits *limits)
{
    return INPLA_MEMORY_BYTES(limits->heap_bytes, limits->pairs, limits->slots, limits->workers);
}

/* Limits so large that their bytes cannot be counted. */
static int is_absurd(const inpla_limits *limits)
{
    const size_t most = SIZE_MAX / 8;
    return limits->workers == 0 || limits->workers > 0xFFFF || limits->heap_bytes > most ||
           limits->slots > most / sizeof(void *) || limits->pairs > most / sizeof(inpla_pair) / limits->workers;
}

static void open_worker(inpla_worker *worker, inpla_net *net, inpla_pair *pairs, size_t pair_count)
{
    for (unsigned i = 0; i < INPLA_CLASSES; i++)
        worker->free_list[i] = NULL;
    worker->net = net;
    worker->interactions = 0;
#if INPLA_VALUES
    worker->owns_pairs = 0;
#endif
    worker->base = worker->low = worker->top = pairs;
    worker->end = worker->limit = pairs + pair_count;
#if INPLA_COUNTED
    for (unsigned i = 0; i < INPLA_CLASSES; i++) {
        worker->spare[i] = NULL;
        worker->count[i] = 0;
    }
#endif
#if INPLA_HOMES
    worker->homes = net->homes;
    worker->block_next = worker->block_end = NULL;
    worker->cells = 0;
    for (unsigned i = 0; i < INPLA_CLASSES; i++)
        worker->strays[i] = worker->shared.come_home[i] = NULL;
#endif
#if INPLA_THREADS
    worker->sharing = worker->is_asked = 0;
#if INPLA_HANDS
    worker->put_off = 0;
    worker->hand.state = INPLA_HAND_CLOSED;
#endif
    worker->shared.attention = worker->shared.wish = worker->shared.lock = 0;
#if INPLA_HOMES
    worker->shared.classes = 0;
    worker->shared.strays = 0;
#endif
    worker->shared.split = worker->shared.bottom = pairs;
    worker->shared.mail = NULL;
#endif
}

static void open_heap(inpla_net *net, uint8_t *start, uint8_t *end)
{
    net->heap_start = net->heap_next = start;
    net->heap_end = end;
    net->large = NULL;
    net->cells = 0;
#if INPLA_VALUES
    net->chunks = NULL;
#endif
#if INPLA_THREADS
    for (unsigned i = 0; i < INPLA_CLASSES; i++)
        net->chains[i] = NULL;
    net->heap_lock = 0;
#if INPLA_HOMES
    for (unsigned i = 0; i < INPLA_HOME_ENTRIES; i++)
        net->homes[i] = 0;
#endif
#endif
}

/* Hands out the memory behind the net: workers, pairs, slots, heap. */
static void divide_memory(inpla_net *net, const inpla_limits *limits, void *user)
{
    uint8_t *memory = (uint8_t *)(void *)net;
    net->workers = (inpla_worker *)(void *)(memory + INPLA_NET_BYTES);
    inpla_pair *pairs = (inpla_pair *)(void *)inplaN_worker(net, limits->workers);
    for (unsigned i = 0; i < limits->workers; i++) {
        open_worker(inplaN_worker(net, i), net, pairs + i * limits->pairs, limits->pairs);
        inplaN_worker(net, i)->user = user;
#if INPLA_THREADS
        inplaN_worker(net, i)->number = (uint16_t)i;
        inplaN_worker(net, i)->wire_head = inpla_head(INPLA_WIRE, i);
#endif
    }
    net->slots = (inpla_cell **)(void *)(pairs + limits->workers * limits->pairs);
    net->slot_count = limits->slots;
    for (size_t i = 0; i < net->slot_count; i++)
        net->slots[i] = NULL;
    open_heap(net, (uint8_t *)(void *)(net->slots + net->slot_count), memory + inpla_memory_bytes(limits));
}

INPLA_API inpla_status inpla_open(inpla_net **result, const inpla_program *program, const inpla_limits *limits,
                                  void *memory, size_t size, void *user)
{
    *result = NULL;
    if (memory == NULL || (uintptr_t)memory % INPLA_ALIGN != 0)
        return INPLA_ERROR_MEMORY;
    if (is_absurd(limits) || size < inpla_memory_bytes(limits))
        return INPLA_ERROR_MEMORY;
    inpla_net *net = (inpla_net *)memory;
    net->program = program;
    net->worker_count = limits->workers;
    net->lost = INPLA_OK;
    net->failure.status = INPLA_OK;
    net->failure.place = INPLA_AT_NOTHING;
    net->failure.detail = NULL;
#if INPLA_VALUES
    net->grow = limits->grow;
    net->failed.status = INPLA_OK;
#endif
#if INPLA_THREADS
    net->finished = 0;
    net->active = 1;
    net->present = 1;
#endif
    divide_memory(net, limits, user);
    *result = net;
    return INPLA_OK;
}

#if INPLA_VALUES

/* --- running: the general language ---------------------------------------------------------------------------- */

INPLA_API inpla_worker *inpla_first_worker(inpla_net *net)
{
    return inplaN_worker(net, 0);
}

INPLA_API inpla_status inpla_reduce(inpla_net *net)
{
    if (net->lost != INPLA_OK)
        return (inpla_status)net->lost;
#if INPLA_THREADS
    const int has_helpers = net->worker_count > 1 && inplaT_begin(net);
    const inpla_status status = inplaR_normalise(net);
    if (has_helpers)
        inplaT_end(net);
    return status;
#else
    return inplaR_normalise(net);
#endif
}

INPLA_API inpla_status inpla_fail(inpla_worker *worker, inpla_failed failed)
{
    inpla_net *net = worker->net;
    const inpla_failure failure = {failed.status, INPLA_AT_PAIR, 0, 0, 0, NULL};
#if INPLA_THREADS
    inplaN_lock(&net->heap_lock);
#endif
    if (net->failed.status == INPLA_OK)
        net->failed = failed;
#if INPLA_THREADS
    inplaN_unlock(&net->heap_lock);
#endif
    return inplaM_lose(net, failure);
}

INPLA_API inpla_failed inpla_get_failed(const inpla_net *net)
{
    return net->failed;
}

INPLA_API void inpla_recover(inpla_net *net)
{
    net->failed.status = INPLA_OK;
    net->lost = INPLA_OK;
    for (unsigned i = 0; i < net->worker_count; i++) {
        inpla_worker *worker = inplaN_worker(net, i);
        worker->top = worker->low = worker->base;
        worker->end = worker->limit;
#if INPLA_THREADS
        worker->shared.split = worker->shared.bottom = worker->base;
        worker->shared.mail = NULL;
        worker->shared.attention = worker->shared.wish = worker->is_asked = 0;
#endif
    }
#if INPLA_THREADS
    net->active = 1;
#endif
}

#else

/* --- running ---------------------------------------------------------------------------------------------------- */

INPLA_API inpla_status inpla_run(inpla_net *net, const uint8_t *image, size_t size)
{
    if (net->lost != INPLA_OK)
        return (inpla_status)net->lost;
#if INPLA_THREADS
    const int has_helpers = net->worker_count > 1 && inplaT_begin(net);
    const inpla_status status = inplaI_run(net, image, size);
    if (has_helpers)
        inplaT_end(net);
    return status;
#else
    return inplaI_run(net, image, size);
#endif
}

/* --- interface -------------------------------------------------------------------------------------------------- */

/* A refusal that leaves the net as it is. */
static inpla_status refuse(inpla_net *net, uint32_t slot, const char *detail)
{
    const inpla_failure failure = {INPLA_ERROR_INTERFACE, INPLA_AT_SLOT, 0, 0, slot, detail};
    net->failure = failure;
    return INPLA_ERROR_INTERFACE;
}

/* The same because another agent than the wanted one is there. */
static inpla_status refuse_agent(inpla_net *net, uint32_t slot, inpla_agent_id agent)
{
    const inpla_failure failure = {INPLA_ERROR_INTERFACE, INPLA_AT_AGENT, agent, agent, slot, NULL};
    net->failure = failure;
    return INPLA_ERROR_INTERFACE;
}

static inpla_status lose_at_slot(inpla_net *net, uint32_t slot, inpla_status status)
{
    const inpla_failure failure = {status, INPLA_AT_SLOT, 0, 0, slot, NULL};
    return inplaM_lose(net, failure);
}

static int has_one_attribute(const inpla_net *net, unsigned agent)
{
    if (agent >= net->program->agent_count)
        return 0;
    const char *ports = inplaN_agent(net, agent)->ports;
    return ports[0] != 0 && ports[0] != INPLA_PORT_WIRE && ports[1] == 0;
}

static inpla_status check_interface(inpla_net *net, uint32_t slot, inpla_agent_id agent)
{
    if (net->lost != INPLA_OK)
        return (inpla_status)net->lost;
    if (slot >= net->slot_count)
        return refuse(net, slot, "the net has fewer slots");
    if (!has_one_attribute(net, agent))
        return refuse(net, slot, "the agent does not have one attribute port");
    return INPLA_OK;
}

INPLA_API inpla_status inpla_put(inpla_net *net, uint32_t slot, inpla_agent_id agent, inpla_word value)
{
    inpla_status status = check_interface(net, slot, agent);
    if (status != INPLA_OK)
        return status;
    inpla_worker *worker = inplaN_worker(net, 0);
    inpla_cell *cell = inpla_new(worker, agent, 1);
    inpla_cell *wire = net->slots[slot];
    if (wire != NULL)
        net->slots[slot] = NULL;
    else
        wire = net->slots[slot] = inpla_wire(worker);
    if (cell == NULL || wire == NULL)
        return lose_at_slot(net, slot, INPLA_ERROR_HEAP);
    inpla_ports(cell)[0] = value;
    status = inpla_connect(worker, wire, cell);
    return status == INPLA_OK ? status : lose_at_slot(net, slot, status);
}

/* What is connected to a slot, or NULL. Wires on the way are given back. */
static inpla_cell *connected_to(inpla_net *net, uint32_t slot)
{
    for (;;) {
        inpla_cell *wire = net->slots[slot];
        inpla_cell *cell = wire == NULL ? NULL : inpla_ports(wire)[0].cell;
        if (cell == NULL || !inpla_is_wire(cell))
            return cell;
        net->slots[slot] = cell;
        inpla_free(inplaN_worker(net, 0), wire, 1);
    }
}

INPLA_API inpla_status inpla_get(inpla_net *net, uint32_t slot, inpla_agent_id agent, inpla_word *value)
{
    inpla_worker *worker = inplaN_worker(net, 0);
    inpla_status status = check_interface(net, slot, agent);
    if (status == INPLA_OK)
        status = inplaR_normalise(net);
    if (status != INPLA_OK)
        return status;
    inpla_cell *cell = connected_to(net, slot);
    if (cell == NULL)
        return refuse(net, slot, "nothing is connected");
    if (inpla_agent_of(cell) != agent)
        return refuse_agent(net, slot, (uint16_t)inpla_agent_of(cell));
    *value = inpla_ports(cell)[0];
    inpla_free(worker, cell, 1);
    inpla_free(worker, net->slots[slot], 1);
    net->slots[slot] = NULL;
    return INPLA_OK;
}

#endif

/* --- facts ------------------------------------------------------------------------------------------------------ */

static uint64_t count_interactions(const inpla_net *net)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < net->worker_count; i++)
        sum += inplaN_worker(net, i)->interactions;
    return sum;
}

#if INPLA_VALUES
INPLA_API uint64_t inpla_interactions(const inpla_net *net)
{
    return count_interactions(net);
}
#endif

INPLA_API void inpla_get_statistics(const inpla_net *net, inpla_statistics *statistics)
{
    statistics->interactions = count_interactions(net);
    statistics->heap_bytes = (size_t)(net->heap_next - net->heap_start);
#if INPLA_VALUES
    for (const uintptr_t *chunk = net->chunks; chunk != NULL; chunk = (const uintptr_t *)chunk[0])
        statistics->heap_bytes += chunk[2]; /* used of the memory before it */
#endif
    statistics->live_cells = inplaH_live_cells(net);
}
