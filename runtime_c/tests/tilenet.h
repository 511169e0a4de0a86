/*
 * tilenet.h - images of layered task nets over program_tile.h: every task of a layer waits for all tasks of the one
 * before, through a tree of Join agents and a tree of Dup agents.
 */
#ifndef TILENET_H
#define TILENET_H

#include "program_tile.h"
#include "testnet.h"

/* left ~ Task(r, t) */
static inline void put_task(image *to, unsigned r, unsigned task)
{
    put_agent(to, TASK);
    put_wire(to, r);
    put_varint(to, 0);
    put_int(to, task);
}

/* Balanced Dup(.., ..) whose leaves are Task(slot + i, task + i). */
static inline void put_fan_out(image *to, unsigned slot, unsigned task, unsigned count)
{
    if (count == 1) {
        put_task(to, slot, task);
        return;
    }
    put_agent(to, INPLA_DUP);
    put_fan_out(to, slot, task, count / 2);
    put_fan_out(to, slot + count / 2, task + count / 2, count - count / 2);
}

/* Joins the wires slot .. slot+count-1 pairwise, level by level: leaf ~ Join(out, other). The result is in `slot`. */
static inline void put_fan_in(image *to, unsigned slot, unsigned count, unsigned scratch)
{
    for (; count > 1; count = (count + 1) / 2) {
        for (unsigned i = 0; i + 1 < count; i += 2) {
            put_connection(to);
            put_wire(to, slot + i);
            put_agent(to, JOIN);
            put_wire(to, scratch);
            put_wire(to, slot + i + 1);
            put_connection(to);
            put_wire(to, scratch);
            put_wire(to, slot + i / 2);
        }
        if (count % 2 == 1 && count > 2) {
            put_connection(to);
            put_wire(to, slot + count - 1);
            put_wire(to, slot + count / 2);
        }
    }
}

/* Layers of `width` tasks; slot 0 starts the first one and, at the end, slot 1 holds the last token. */
static inline image tile_image(unsigned layers, unsigned width)
{
    const unsigned first = 4, start = 0, end = 1, scratch = 2;
    image body = {NULL, 0, 0};
    put_connection(&body);
    put_wire(&body, start);
    put_wire(&body, first);
    for (unsigned layer = 0; layer < layers; layer++) {
        put_connection(&body);
        put_wire(&body, first);
        put_fan_out(&body, first + 1, layer * width, width);
        for (unsigned i = 0; i < width; i++) {
            put_connection(&body);
            put_wire(&body, first + 1 + i);
            put_wire(&body, first + i);
        }
        put_fan_in(&body, first, width, scratch);
    }
    put_connection(&body);
    put_wire(&body, first);
    put_wire(&body, end);
    return finish_for(&body, first + width + 1, &tile_program);
}

/* Fan-out, task, fan-in of every layer. */
static inline uint64_t tile_interactions(unsigned layers, unsigned width)
{
    return (uint64_t)layers * ((width - 1) + width + 2 * (width - 1));
}

/* --- a model of what the tasks compute -------------------------------------------------------------------------- */

enum { MAX_TASKS = 4096 };

typedef struct {
    unsigned width;
    unsigned failing; /* a task that fails with code 7 */
    int done[MAX_TASKS];
    int runs;
    int too_early;
} tile_model;

static inline inpla_int run_modelled(void *data, inpla_int task)
{
    tile_model *model = (tile_model *)data;
    const unsigned layer = (unsigned)task / model->width;
    for (unsigned i = 0; layer > 0 && i < model->width; i++)
        if (!__atomic_load_n(&model->done[(layer - 1) * model->width + i], __ATOMIC_RELAXED))
            __atomic_store_n(&model->too_early, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&model->runs, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&model->done[task], 1, __ATOMIC_RELAXED);
    return (unsigned)task == model->failing ? 7 : 0;
}

static inline inpla_int run_tiles(const image *of, tile_model *model, unsigned workers, uint64_t interactions)
{
    tile_user user = {run_modelled, model};
    testnet net = open_net(&tile_program, 40000, 1000, model->width + 5, workers, &user);
    inpla_word token;
    token.i = 0;
    CHECK_INT(inpla_put(net.net, 0, READY, token), INPLA_OK);
    CHECK_INT(inpla_run(net.net, of->bytes, of->size), INPLA_OK);
    CHECK_INT(inpla_get(net.net, 1, READY, &token), INPLA_OK);
    CHECK_INT(statistics_of(net.net).interactions, interactions);
    CHECK_INT(statistics_of(net.net).live_cells, 0);
    CHECK_INT(model->too_early, 0);
    close_net(&net);
    return token.i;
}

#endif
