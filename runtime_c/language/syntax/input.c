/*
 * input.c - files are read at once; lines one by one, when the lexer asks for more.
 */
#define _POSIX_C_SOURCE 200809L
#include "syntax/input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/terminal.h"

enum { FIRST_BYTES = 1 << 16 };

/* The size of a regular file, else a first guess. */
static size_t expected_size(FILE *file)
{
    struct stat facts;
    if (fstat(fileno(file), &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size >= 0)
        return (size_t)facts.st_size + 1;
    return FIRST_BYTES;
}

/* Pipes do not tell their size, so the memory may have to grow. Room for the 0 is kept. */
static input_status read_all(FILE *file, char **text, size_t *size)
{
    size_t room = expected_size(file) + 1;
    char *bytes = malloc(room);
    *size = 0;
    while (bytes != NULL) {
        *size += fread(bytes + *size, 1, room - 1 - *size, file);
        if (*size < room - 1)
            break;
        char *larger = room > SIZE_MAX / 2 ? NULL : realloc(bytes, room *= 2);
        if (larger == NULL)
            free(bytes);
        bytes = larger;
    }
    if (bytes == NULL)
        return INPUT_NO_MEMORY;
    bytes[*size] = 0;
    if (ferror(file)) {
        free(bytes);
        return INPUT_MISSING;
    }
    *text = bytes;
    return INPUT_OK;
}

input_status input_read_file(const char *path, char **text, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return INPUT_MISSING;
    const input_status status = read_all(file, text, size);
    fclose(file);
    return status;
}

/* Tells files apart, whatever path they are reached by. */
static void identify(const char *path, input *of)
{
    struct stat facts;
    if (stat(path, &facts) == 0) {
        of->device = (uint64_t)facts.st_dev + 1;
        of->number = (uint64_t)facts.st_ino;
    }
}

static int is_in_use(const input *below, const input *made)
{
    for (; below != NULL; below = below->outer)
        if ((made->device != 0 && below->device == made->device && below->number == made->number) ||
            (made->embedded != NULL && below->embedded == made->embedded))
            return 1;
    return 0;
}

static void dispose(input *of)
{
    free(of->text);
    free(of);
}

static input *make(const char *name)
{
    input *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->name = name;
    return made;
}

static input_status put_on_top(input **top, input *made, input_status status)
{
    if (status != INPUT_OK) {
        dispose(made);
        return status;
    }
    made->outer = *top;
    *top = made;
    return INPUT_OK;
}

input_status input_open_file(input **top, input_words words, const char *path, const char *name)
{
    size_t size = 0;
    input *made = make(name);
    if (made == NULL)
        return INPUT_NO_MEMORY;
    identify(path, made);
    input_status status = is_in_use(*top, made) ? INPUT_IN_USE : input_read_file(path, &made->text, &size);
    if (status == INPUT_OK)
        lexer_open(&made->lexer, words.symbols, words.is_float, made->text, size);
    return put_on_top(top, made, status);
}

input_status input_open_text(input **top, input_words words, const char *text, size_t size, const char *name)
{
    input *made = make(name);
    if (made == NULL)
        return INPUT_NO_MEMORY;
    made->embedded = text;
    lexer_open(&made->lexer, words.symbols, words.is_float, text, size);
    return put_on_top(top, made, is_in_use(*top, made) ? INPUT_IN_USE : INPUT_OK);
}

void input_close(input **top)
{
    input *closed = *top;
    *top = closed->outer;
    if (closed->is_terminal)
        terminal_close();
    dispose(closed);
}

/* --- lines ----------------------------------------------------------------------------------------------------- */

/* The line at hand becomes the next one, with its line end. Returns its length, 0 at the end of the input. */
static size_t read_line(input *of)
{
    fflush(of->output);
    if (of->is_terminal) {
        free(of->text);
        of->text = terminal_read_line(of->lexer.is_within_statement);
        return of->text == NULL ? 0 : strlen(of->text);
    }
    const ssize_t length = getline(&of->text, &of->room, stdin);
    return length < 0 ? 0 : (size_t)length;
}

static int read_more(lexer *asking)
{
    input *of = (input *)(void *)asking;
    const size_t length = read_line(of);
    asking->at = of->text == NULL ? "" : of->text;
    asking->end = asking->at + length;
    return length > 0;
}

input_status input_open_lines(input **top, input_words words, FILE *output)
{
    input *made = make(NULL);
    if (made == NULL)
        return INPUT_NO_MEMORY;
    lexer_open(&made->lexer, words.symbols, words.is_float, "", 0);
    made->lexer.more = read_more;
    made->output = output;
    made->is_terminal = (uint8_t)(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
    if (made->is_terminal)
        terminal_open();
    return put_on_top(top, made, INPUT_OK);
}

void input_drop_line(input *top)
{
    if (!top->is_terminal)
        return;
    top->lexer.line += top->lexer.at < top->lexer.end;
    top->lexer.at = top->lexer.end;
}
