/*
 * assembler.h - writes the machine's code, with labels for places that are not known yet.
 */
#ifndef INPLA_ASSEMBLER_H
#define INPLA_ASSEMBLER_H

#include "rules/code.h"

typedef struct {
    code_operation operation;
    uint32_t half[4];      /* registers and counts, in order */
    code_word full[2];          /* a jump's target: .number is a label */
    const uint32_t *list;  /* as many registers as the last count says */
} instruction;

/* A label is a place, or stands for another label. */
typedef struct {
    uint32_t at; /* index of a word, or of a label */
    uint8_t is_alias;
} assembler_label;

typedef struct {
    code_word *words;
    uint32_t count;
    uint32_t room;
    uint32_t *starts; /* index of the first word of each instruction */
    uint32_t start_count;
    uint32_t start_room;
    uint32_t region; /* the first instruction of it: the branch at hand */
    assembler_label *labels;
    uint32_t label_count;
    uint32_t label_room;
    uint8_t is_out_of_memory; /* then nothing is written any more */
} assembler;

void assembler_close(assembler *to);

/* Forgets everything, keeps the memory. */
void assembler_clear(assembler *to);

void assembler_emit(assembler *to, const instruction *what);

/* From here on instructions may be changed by assembler_move: no other code can get between them. */
void assembler_begin_region(assembler *to);

typedef struct {
    uint32_t to;
    uint32_t from;
} register_move;

/* Registers get other registers' values, all at once: those of the moves, which it changes. What has been computed for
 * a move alone is computed where it belongs. `spare` is a register for its own use. */
void assembler_move(assembler *to, register_move *moves, uint32_t count, uint32_t spare);

/* Pushes the pair of an agent and a number that nothing else needs: where the last instruction has added a constant to
 * get it, both become one. */
void assembler_push_number(assembler *to, uint32_t agent, uint32_t number);

/* A new label; the place of a label is here; a label stands for another one from now on. */
uint32_t assembler_label_new(assembler *to);
void assembler_label_here(assembler *to, uint32_t label);
void assembler_label_join(assembler *to, uint32_t label, uint32_t other);

/* The finished code in memory of its own, for `free`; NULL when memory is exhausted. `count` words. */
code_word *assembler_finish(assembler *to, uint32_t *count);

#endif
