/*
 * compiled_main.c - the main function of executables that inpla-cc makes.
 *
 * Their rules call each other where `inpla` would keep pairs in the heap, so the run gets a stack of its own, which is
 * only as large as it is used. Without it the calls end sooner, and the rest is pairs.
 */
#include <pthread.h>

#include "run/command_line.h"

enum { STACK_BYTES = 1 << 28 };

typedef struct {
    const compiled_program *program;
    int count;
    char **arguments;
    int status;
} run_of_program;

static void *run_program(void *argument)
{
    run_of_program *run = argument;
    run->status = command_line_run(run->program, run->count, run->arguments);
    return NULL;
}

static int start_thread(pthread_t *thread, run_of_program *run)
{
    pthread_attr_t facts;
    if (pthread_attr_init(&facts) != 0)
        return 0;
    const int is_started = pthread_attr_setstacksize(&facts, STACK_BYTES) == 0 &&
                           pthread_create(thread, &facts, run_program, run) == 0;
    pthread_attr_destroy(&facts);
    return is_started;
}

int compiled_main(const compiled_program *program, int argc, char **argv)
{
    run_of_program run = {program, argc, argv, 1};
    pthread_t thread;
    if (start_thread(&thread, &run))
        pthread_join(thread, NULL);
    else
        run_program(&run);
    return run.status;
}
