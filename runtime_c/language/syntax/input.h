/*
 * input.h - where statements come from: whole files, texts in memory, lines of standard input; one on top of the other
 * where a file is used. Knows what a word is as little as the lexer knows files.
 */
#ifndef INPLA_INPUT_H
#define INPLA_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "syntax/lexer.h"

typedef struct input {
    lexer lexer; /* the first member: its address is that of the input */
    struct input *outer;
    const char *name; /* as messages say it, kept by others; NULL: they name no file */
    char *text;       /* the memory of a file, or of the line at hand */
    size_t room;      /* of the line at hand */
    uint64_t device;  /* tells whether a file is in use already; 0 and 0 if it is none */
    uint64_t number;
    const char *embedded; /* a text of somebody else, or NULL */
    FILE *output;         /* of lines: flushed before the next one is waited for */
    uint8_t is_terminal;
} input;

typedef enum { INPUT_OK, INPUT_MISSING, INPUT_IN_USE, INPUT_NO_MEMORY } input_status;

typedef struct {
    symbols *symbols;
    int is_float;
} input_words;

/*
 * Each of these puts an input on top of `*top`, unless the status is another than INPUT_OK.
 */

/* A file; INPUT_IN_USE: it is already below `*top`. `name` is for messages, NULL for none; it outlives
 * the input. */
input_status input_open_file(input **top, input_words words, const char *path, const char *name);

/* A text in memory, which outlives the input; INPUT_IN_USE as for files. */
input_status input_open_text(input **top, input_words words, const char *text, size_t size, const char *name);

/* Lines of standard input; with editing and prompts if it is a terminal. */
input_status input_open_lines(input **top, input_words words, FILE *output);

/* Takes the top one away. */
void input_close(input **top);

/* What is left of the line of a terminal is forgotten. */
void input_drop_line(input *top);

/* Reads a whole file into new memory, with a 0 behind it. */
input_status input_read_file(const char *path, char **text, size_t *size);

#endif
