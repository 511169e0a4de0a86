/*
 * test_tile.c - tasks that wait for tokens: none runs before all it waits for have run, none after an error.
 */
#define _POSIX_C_SOURCE 200112L
#include "inpla_all.c"

#include "tilenet.h"

static const unsigned worker_counts[] = {1, 2, 4, 8};
static tile_model model;

static void start_model(unsigned width, unsigned failing)
{
    memset(&model, 0, sizeof model);
    model.width = width;
    model.failing = failing;
}

static void every_task_runs_once_and_after_the_layer_before(void)
{
    static const unsigned shapes[][2] = {{1, 1}, {5, 1}, {1, 2}, {4, 2}, {3, 7}, {20, 8}, {10, 33}, {3, 100}};
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        const unsigned layers = shapes[shape][0], width = shapes[shape][1];
        image of = tile_image(layers, width);
        for (int i = 0; i < 4; i++) {
            start_model(width, MAX_TASKS);
            CHECK_INT(run_tiles(&of, &model, worker_counts[i], tile_interactions(layers, width)), 0);
            CHECK_INT(model.runs, layers * width);
        }
        drop_image(&of);
    }
}

static void no_task_runs_after_one_that_it_waits_for_has_failed(void)
{
    enum { LAYERS = 6, WIDTH = 5 };
    image of = tile_image(LAYERS, WIDTH);
    for (unsigned failing = 0; failing < LAYERS * WIDTH; failing++) {
        for (int i = 0; i < 4; i++) {
            start_model(WIDTH, failing);
            CHECK_INT(run_tiles(&of, &model, worker_counts[i], tile_interactions(LAYERS, WIDTH)), 7);
            CHECK_INT(model.runs, (failing / WIDTH + 1) * WIDTH);
        }
    }
    drop_image(&of);
}

int main(void)
{
    RUN(every_task_runs_once_and_after_the_layer_before);
    RUN(no_task_runs_after_one_that_it_waits_for_has_failed);
    return check_report();
}
