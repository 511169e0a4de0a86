/*
 * terminal.h - lines from a person: prompts, editing and a history where the build has readline or libedit.
 */
#ifndef INPLA_TERMINAL_H
#define INPLA_TERMINAL_H

void terminal_open(void);
void terminal_close(void);

/* The next line with its line end, to be given to free(); NULL at the end of the input, or when memory is exhausted. */
char *terminal_read_line(int is_continued);

#endif
