/*
 * language.h - the state of a run and the parts that share it.
 *
 *   input -> lexer -> parser -> statement -> net | rule | command         (language.c: the loop over statements)
 *                                             |     |
 *            names, agents, printing  <-------+     +--> check, compiler -> bytecode -> machine (the reduction loop)
 *
 * The parts call to the right and down, never up. They stand on the engine's core (../src), compiled with INPLA_VALUES
 * and INPLA_THREADS. Only syntax/input.c, table/memory.c, run/ and command/ use the C library's input, output and
 * memory.
 */
#ifndef INPLA_LANGUAGE_H
#define INPLA_LANGUAGE_H

#include <stdint.h>
#include <stdio.h>

#include "inpla.h"
#include "syntax/syntax.h"
#include "table/symbols.h"

typedef struct agents agents; /* agents.h */
typedef struct names names;   /* names.h */
struct rules;                 /* rule.h */
struct compiled_program;      /* compiled.h */
struct natives;               /* natives.h */
struct input;                 /* input.h */
struct parser;                /* parser.h */

typedef struct {
    unsigned threads;      /* 1 or more */
    uint8_t is_float;      /* -dialect=float: all numbers are floats, printed with %f, no banner, no counts */
    uint8_t is_weak;       /* -w */
    uint8_t is_interactive; /* an error drops the statement instead of ending the run */
    uint8_t prints_code;   /* -c */
    uint8_t prints_shortest; /* -print=shortest: floats as the shortest text that reads back, in every dialect */
    FILE *out;               /* everything is printed here */
    const struct compiled_program *compiled; /* of an executable that inpla-cc has made, else NULL */
} language_options;

/* What becomes of the run after a statement. */
typedef enum {
    OUTCOME_OK,
    OUTCOME_WARNED, /* a message was printed that does not end a batch run */
    OUTCOME_FAILED, /* batch: the run ends with status 1; interactive: the statement is dropped */
    OUTCOME_EXIT    /* `exit`, or memory is exhausted */
} outcome;

typedef struct language {
    language_options options;
    FILE *out;
    symbols symbols;
    agents *agents;
    struct rules *rules;
    names *names;
    const struct compiled_program *compiled; /* options.compiled */
    struct natives *natives;                 /* NULL: no native functions are offered */
    struct parser *parser;
    struct input *input;  /* the innermost one */
    void *net_memory;
    inpla_net *net;
    inpla_worker *worker; /* number 0: builds nets between reductions */
    const char *file;     /* of the statement at hand; NULL for the file given first, whose messages name no file; stays
                             where it is to the end of the run */
    uint32_t line;        /* first line of the statement at hand */
    int status;           /* what the process will return */
} language;

/* --- for main ---------------------------------------------------------------------------------------------------- */

/* Makes an empty net. 0: memory is exhausted, which has been printed; language_close is to be called all the same. */
int language_open(language *run, const language_options *options);
void language_close(language *run);

/* Executes a file, of this name or with `.in` behind it; a text; standard input. Each returns the status for exit():
 * 1 if there was an error, else 0. */
int language_run_file(language *run, const char *path);
int language_run_text(language *run, const char *text, size_t size);
int language_run_lines(language *run);

/* Executes `const NAME=NUMBER`. 0: it is not of this form, or memory is exhausted; a message has been printed. */
int language_define(language *run, const char *definition);

/* --- for every part ---------------------------------------------------------------------------------------------- */

/* Prints a message on `out`: the place, "3:" or "lib.in:3:", then the text. */
void language_report(language *run, uint32_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* --- what each part offers to the loop over statements --------------------------------------------------------- */

/* net.c: checks, builds and reduces a net; prints the count line. */
outcome net_execute(language *run, const statement *net);

/* rule.c: checks a rule and makes it the one for its pair. */
outcome rule_define(language *run, const statement *rule);

/* command.c: everything but nets, rules and `use`. */
outcome command_execute(language *run, const statement *command);

#endif
