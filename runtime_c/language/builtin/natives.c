/*
 * natives.c - native functions on the files of -weights and -inputs, and on numbers.
 */
#include "builtin/natives.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/natives_math.h"
#include "command/print.h"
#include "inpla_value.h"
#include "syntax/input.h"
#include "table/array.h"

typedef struct {
    char *bytes;
    size_t count;
} numbers;

typedef struct {
    inpla_int index;
    uint32_t order; /* of its store among all */
    float value;
} stored_output;

struct natives {
    numbers weights;
    numbers inputs;
    pthread_mutex_t lock; /* of what follows */
    stored_output *outputs;
    uint32_t output_count;
    uint32_t output_room;
};

/* --- the functions --------------------------------------------------------------------------------------------- */

static int read_number(const numbers *of, inpla_int index, inpla_word *result)
{
    if (index < 0 || (size_t)index >= of->count)
        return 1;
    memcpy(&result->f, of->bytes + (size_t)index * sizeof result->f, sizeof result->f);
    return 0;
}

static int call_weight(void *user, const inpla_word *arguments, inpla_word *result)
{
    return read_number(&((const struct natives *)user)->weights, arguments[0].i, result);
}

static int call_input(void *user, const inpla_word *arguments, inpla_word *result)
{
    return read_number(&((const struct natives *)user)->inputs, arguments[0].i, result);
}

static int call_output(void *user, const inpla_word *arguments, inpla_word *result)
{
    struct natives *all = user;
    pthread_mutex_lock(&all->lock);
    const int is_room = ARRAY_RESERVE(all->outputs, all->output_room, (size_t)all->output_count + 1);
    if (is_room) {
        all->outputs[all->output_count] = (stored_output){arguments[0].i, all->output_count, arguments[1].f};
        all->output_count++;
    }
    pthread_mutex_unlock(&all->lock);
    result->i = 0;
    return !is_room;
}

#define OF_ONE(name)                                                                              \
    static int call_##name(void *user, const inpla_word *arguments, inpla_word *result)            \
    {                                                                                             \
        (void)user;                                                                               \
        result->f = (float)natives_##name((double)arguments[0].f);                                \
        return 0;                                                                                 \
    }

#define OF_TWO(name)                                                                              \
    static int call_##name(void *user, const inpla_word *arguments, inpla_word *result)            \
    {                                                                                             \
        (void)user;                                                                               \
        result->f = (float)natives_##name((double)arguments[0].f, (double)arguments[1].f);         \
        return 0;                                                                                 \
    }

OF_ONE(exp)
OF_ONE(log)
OF_ONE(sqrt)
OF_ONE(erf)
OF_ONE(tanh)
OF_ONE(sigmoid)
OF_TWO(pow)
OF_TWO(elu)
OF_ONE(gelu)
OF_ONE(gelu_tanh)

/* The same as nets/natives.py of the compiler declares. */
static const inpla_native_entry entries[] = {
    {"weight", "i", 'f', call_weight},   {"input", "i", 'f', call_input},
    {"output", "if", 'i', call_output},  {"exp", "f", 'f', call_exp},
    {"log", "f", 'f', call_log},         {"sqrt", "f", 'f', call_sqrt},
    {"erf", "f", 'f', call_erf},         {"tanh", "f", 'f', call_tanh},
    {"sigmoid", "f", 'f', call_sigmoid}, {"pow", "ff", 'f', call_pow},
    {"elu", "ff", 'f', call_elu},        {"gelu", "f", 'f', call_gelu},
    {"gelu_tanh", "f", 'f', call_gelu_tanh}};
enum { ENTRIES = sizeof entries / sizeof *entries };

const inpla_native_entry *natives_get(uint32_t number)
{
    return &entries[number];
}

const char *natives_failure(const inpla_native_entry *native)
{
    if (native->call == call_weight)
        return "has failed: the file of -weights has no such number";
    if (native->call == call_input)
        return "has failed: the file of -inputs has no such number";
    return "has failed: memory is exhausted";
}

/* --- files and outputs ----------------------------------------------------------------------------------------- */

static int read_numbers(language *run, const char *path, numbers *of)
{
    size_t size = 0;
    if (path == NULL)
        return 1;
    const input_status status = input_read_file(path, &of->bytes, &size);
    of->count = size / sizeof(float);
    if (status == INPUT_OK)
        return 1;
    fprintf(run->out, status == INPUT_NO_MEMORY ? "Error: Memory is too small for the file `%s'.\n"
                                                : "Error: The file `%s' cannot be opened.\n", path);
    return 0;
}

static int make_known(language *run)
{
    for (uint32_t i = 0; i < ENTRIES; i++) {
        const symbol_id id = symbols_intern(&run->symbols, entries[i].name, strlen(entries[i].name));
        if (id == NO_SYMBOL) {
            fprintf(run->out, "Error: Memory is exhausted.\n");
            return 0;
        }
        symbols_get(&run->symbols, id)->native = i + 1;
    }
    return 1;
}

int natives_open(language *run, const char *weights, const char *inputs)
{
    run->natives = calloc(1, sizeof *run->natives);
    if (run->natives == NULL) {
        fprintf(run->out, "Error: Memory is exhausted.\n");
        return 0;
    }
    pthread_mutex_init(&run->natives->lock, NULL);
    return read_numbers(run, weights, &run->natives->weights) && read_numbers(run, inputs, &run->natives->inputs) &&
           make_known(run);
}

void natives_close(language *run)
{
    if (run->natives == NULL)
        return;
    pthread_mutex_destroy(&run->natives->lock);
    free(run->natives->weights.bytes);
    free(run->natives->inputs.bytes);
    free(run->natives->outputs);
    free(run->natives);
    run->natives = NULL;
}

static int by_index(const void *left, const void *right)
{
    const stored_output *a = left, *b = right;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Of several stores with one index, the last one counts. */
void natives_print_outputs(language *run)
{
    struct natives *all = run->natives;
    if (all == NULL || all->output_count == 0)
        return;
    qsort(all->outputs, all->output_count, sizeof *all->outputs, by_index);
    for (uint32_t i = 0; i < all->output_count; i++) {
        if (i + 1 < all->output_count && all->outputs[i + 1].index == all->outputs[i].index)
            continue;
        fprintf(run->out, "output(%lld) = ", (long long)all->outputs[i].index);
        print_number(run, inpla_of_float(all->outputs[i].value));
        fprintf(run->out, "\n");
    }
}
