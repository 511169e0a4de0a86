/*
 * assembler.c - code as it grows: operations by number and jumps to labels, until assembler_finish makes them words of
 * the machine and addresses.
 */
#include "rules/assembler.h"

#include <stdlib.h>
#include <string.h>

#include "table/array.h"

void assembler_close(assembler *to)
{
    free(to->words);
    free(to->starts);
    free(to->labels);
}

void assembler_clear(assembler *to)
{
    to->count = to->start_count = to->label_count = 0;
    to->is_out_of_memory = 0;
}

/* --- words ------------------------------------------------------------------------------------------------------- */

/* Room for an instruction of `count` words, filled with 0; NULL when memory is exhausted. */
static code_word *open_instruction(assembler *to, uint32_t count)
{
    if (to->is_out_of_memory || !ARRAY_RESERVE(to->words, to->room, (size_t)to->count + count) ||
        !ARRAY_RESERVE(to->starts, to->start_room, (size_t)to->start_count + 1)) {
        to->is_out_of_memory = 1;
        return NULL;
    }
    code_word *words = &to->words[to->count];
    memset(words, 0, count * sizeof *words);
    to->starts[to->start_count++] = to->count;
    to->count += count;
    return words;
}

void assembler_emit(assembler *to, const instruction *what)
{
    const code_shape shape = code_shape_of(what->operation);
    const uint32_t listed = what->list == NULL ? 0 : what->half[shape.halves - 1];
    code_word *words = open_instruction(to, shape.list + (listed + 1) / 2);
    if (words == NULL)
        return;
    words[0].operation = what->operation;
    for (uint32_t i = 0; i < shape.halves; i++)
        words[1 + i / 2].half[i % 2] = what->half[i];
    for (uint32_t i = shape.full; i < shape.list; i++)
        words[i] = what->full[i - shape.full];
    for (uint32_t i = 0; i < listed; i++)
        words[shape.list + i / 2].half[i % 2] = what->list[i];
}

void assembler_push_number(assembler *to, uint32_t agent, uint32_t number)
{
    const code_word *last = to->start_count == to->region ? NULL : &to->words[to->starts[to->start_count - 1]];
    if (last == NULL || last->operation != CODE_ADD_BY || last[1].half[0] != number) {
        assembler_emit(to, &(instruction){CODE_PUSH, {agent, number}, {{0}}, NULL});
        return;
    }
    const instruction joined = {CODE_PUSH_PLUS, {agent, last[1].half[1]}, {{.number = last[2].number}}, NULL};
    to->count = to->starts[--to->start_count];
    assembler_emit(to, &joined);
}

/* --- labels ------------------------------------------------------------------------------------------------------ */

uint32_t assembler_label_new(assembler *to)
{
    if (!ARRAY_RESERVE(to->labels, to->label_room, (size_t)to->label_count + 1)) {
        to->is_out_of_memory = 1;
        return 0;
    }
    to->labels[to->label_count] = (assembler_label){0, 0};
    return to->label_count++;
}

/* The label that a label stands for. Long ways there are halved, so that they are not gone again. */
static uint32_t resolve(assembler *to, uint32_t label)
{
    assembler_label *const labels = to->labels;
    while (labels[label].is_alias) {
        if (labels[labels[label].at].is_alias)
            labels[label].at = labels[labels[label].at].at;
        label = labels[label].at;
    }
    return label;
}

void assembler_label_here(assembler *to, uint32_t label)
{
    if (!to->is_out_of_memory)
        to->labels[resolve(to, label)].at = to->count;
}

void assembler_label_join(assembler *to, uint32_t label, uint32_t other)
{
    if (to->is_out_of_memory)
        return;
    label = resolve(to, label);
    other = resolve(to, other);
    if (label != other)
        to->labels[label] = (assembler_label){other, 1};
}

/* --- the end ----------------------------------------------------------------------------------------------------- */

/* The operation becomes the machine's word for it, labels become addresses. */
static void finish_instruction(assembler *to, code_word *all, code_word *words)
{
    const code_operation operation = (code_operation)words[0].operation;
    const char *operands = code_operands(operation);
    const code_shape shape = code_shape_of(operation);
    words[0] = machine_word(operation);
    for (uint32_t i = shape.full; i < shape.list; i++)
        if (operands[shape.halves + i - shape.full] == 't')
            words[i].target = all + to->labels[resolve(to, (uint32_t)words[i].number)].at;
}

code_word *assembler_finish(assembler *to, uint32_t *count)
{
    if (to->is_out_of_memory)
        return NULL;
    code_word *all = malloc(to->count * sizeof *all);
    if (all == NULL)
        return NULL;
    memcpy(all, to->words, to->count * sizeof *all);
    for (uint32_t i = 0; i < to->start_count; i++)
        finish_instruction(to, all, all + to->starts[i]);
    *count = to->count;
    return all;
}
