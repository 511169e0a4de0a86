/*
 * fuzz_run.c - any bytes as a script, with errors that end it and errors that do not, with one worker and two, strong
 * and weak, with native functions and without: the run ends without a crash or a leak. The linker puts the functions
 * below in front of the language's own (--wrap): reductions and memory have a bound, and no file is read.
 */
#include <stdlib.h>

#include "builtin/natives.h"
#include "machine/failure.h"
#include "machine/machine.h"
#include "run/language.h"
#include "syntax/input.h"
#include "table/memory.h"

enum { MOST_INTERACTIONS = 5000, MOST_BYTES = 1 << 26 };

static unsigned interactions; /* of all workers: roughly counted, it is only a bound */
static size_t taken;

void *__real_memory_grow(void *user, void *block, size_t old_bytes, size_t bytes);
void *__wrap_memory_grow(void *user, void *block, size_t old_bytes, size_t bytes);

void *__wrap_memory_grow(void *user, void *block, size_t old_bytes, size_t bytes)
{
    if (__atomic_add_fetch(&taken, bytes, __ATOMIC_RELAXED) > MOST_BYTES && bytes > old_bytes)
        return NULL;
    return __real_memory_grow(user, block, old_bytes, bytes);
}

inpla_status __real_machine_reduce_pair(inpla_worker *worker, inpla_pair pair);
inpla_status __wrap_machine_reduce_pair(inpla_worker *worker, inpla_pair pair);

inpla_status __wrap_machine_reduce_pair(inpla_worker *worker, inpla_pair pair)
{
    if (__atomic_add_fetch(&interactions, 1, __ATOMIC_RELAXED) > MOST_INTERACTIONS)
        return failure_set(worker, pair, (failure){.kind = FAILURE_MEMORY});
    return __real_machine_reduce_pair(worker, pair);
}

void __wrap_inplaR_reduce(inpla_worker *worker);

void __wrap_inplaR_reduce(inpla_worker *worker)
{
    inpla_pair pair;
    while (inpla_next(worker, &pair))
        if (__wrap_machine_reduce_pair(worker, pair) != INPLA_OK)
            return;
}

input_status __wrap_input_open_file(input **top, input_words words, const char *path, const char *name);

input_status __wrap_input_open_file(input **top, input_words words, const char *path, const char *name)
{
    (void)top, (void)words, (void)path, (void)name;
    return INPUT_MISSING;
}

static void run(const char *text, size_t size, language_options options, int has_natives)
{
    language of;
    interactions = 0;
    taken = 0;
    if (language_open(&of, &options) && (!has_natives || natives_open(&of, NULL, NULL)))
        language_run_text(&of, text, size);
    language_close(&of);
}

/* How to run a script is a matter of its bytes. */
static unsigned mode_of(const uint8_t *bytes, size_t size)
{
    unsigned hash = 0;
    for (size_t i = 0; i < size; i++)
        hash = hash * 31 + bytes[i];
    return hash ^ hash >> 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static FILE *nowhere = NULL;
    const unsigned mode = mode_of(bytes, size);
    if (nowhere == NULL && (nowhere = fopen("/dev/null", "w")) == NULL)
        abort();
    run((const char *)bytes, size,
        (language_options){.threads = 1 + ((mode & 7) == 7),
                           .is_weak = (mode & 7) == 6,
                           .is_float = (mode & 24) == 24,
                           .is_interactive = (mode & 32) != 0,
                           .prints_code = (mode & 64) != 0,
                           .out = nowhere},
        (mode & 128) != 0);
    return 0;
}
