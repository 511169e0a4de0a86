/*
 * fuzz_run.c - any bytes as a script, batch and line by line, with one worker and two, strong and weak: the run ends
 * without a crash or a leak. The linker puts the functions below in front of the language's own (--wrap): reductions and
 * memory have a bound, and no file is read.
 */
#include <stdlib.h>

#include "failure.h"
#include "input.h"
#include "language.h"
#include "machine.h"
#include "memory.h"

enum { MOST_INTERACTIONS = 20000, MOST_BYTES = 1 << 26 };

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

void __wrap_inplaR_reduce(inpla_worker *worker);

void __wrap_inplaR_reduce(inpla_worker *worker)
{
    inpla_pair pair;
    while (inpla_next(worker, &pair)) {
        if (__atomic_add_fetch(&interactions, 1, __ATOMIC_RELAXED) > MOST_INTERACTIONS) {
            failure_set(worker, pair, (failure){.kind = FAILURE_MEMORY});
            return;
        }
        if (machine_reduce_pair(worker, pair) != INPLA_OK)
            return;
    }
}

input_status __wrap_input_open_file(input **top, input_words words, const char *path, const char *name);

input_status __wrap_input_open_file(input **top, input_words words, const char *path, const char *name)
{
    (void)top, (void)words, (void)path, (void)name;
    return INPUT_MISSING;
}

static void run(const char *text, size_t size, language_options options)
{
    language of;
    interactions = 0;
    taken = 0;
    if (language_open(&of, &options))
        language_run_text(&of, text, size);
    language_close(&of);
}

/* The first byte chooses how to run the rest. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static FILE *nowhere = NULL;
    if (nowhere == NULL && (nowhere = fopen("/dev/null", "w")) == NULL)
        abort();
    if (size == 0)
        return 0;
    run((const char *)bytes + 1, size - 1,
        (language_options){.threads = 1 + ((*bytes & 7) == 7),
                           .is_float = *bytes & 8,
                           .is_weak = (*bytes & 7) == 6,
                           .is_interactive = (*bytes & 16) != 0,
                           .prints_code = (*bytes & 32) != 0,
                           .out = nowhere});
    return 0;
}
