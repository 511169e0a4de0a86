/*
 * terminal.c - INPLA_READLINE or INPLA_EDITLINE (libedit) say which library edits lines; with neither, lines are read
 * as they come.
 */
#define _POSIX_C_SOURCE 200809L
#include "run/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *prompt(int is_continued)
{
    return is_continued ? "... " : ">>> ";
}

#if defined(INPLA_READLINE) || defined(INPLA_EDITLINE)

#ifdef INPLA_READLINE
#include <readline/history.h>
#include <readline/readline.h>
#else
#include <editline/readline.h>
#endif

enum { HISTORY_LINES = 1000, PATH_BYTES = 4096 };

/* The file of the history, "" if there is no home for it. */
static const char *history_path(void)
{
    static char path[PATH_BYTES];
    const char *home = getenv("HOME");
    if (home == NULL || snprintf(path, sizeof path, "%s/.inpla_history", home) >= (int)sizeof path)
        path[0] = 0;
    return path;
}

void terminal_open(void)
{
    using_history();
    stifle_history(HISTORY_LINES);
    if (history_path()[0] != 0)
        read_history(history_path());
}

void terminal_close(void)
{
    if (history_path()[0] != 0)
        write_history(history_path());
    printf("\n");
}

char *terminal_read_line(int is_continued)
{
    char *line = readline(prompt(is_continued));
    if (line == NULL)
        return NULL;
    const size_t length = strlen(line);
    if (length > 0)
        add_history(line);
    char *ended = realloc(line, length + 2);
    if (ended == NULL)
        free(line);
    else
        memcpy(ended + length, "\n", 2);
    return ended;
}

#else

void terminal_open(void)
{
}

void terminal_close(void)
{
    printf("\n");
}

char *terminal_read_line(int is_continued)
{
    char *line = NULL;
    size_t room = 0;
    printf("%s", prompt(is_continued));
    fflush(stdout);
    if (getline(&line, &room, stdin) >= 0)
        return line;
    free(line);
    return NULL;
}

#endif
