/*
 * command_line.h - the command `inpla`, and the executables that inpla-cc makes (compiled.h).
 */
#ifndef INPLA_COMMAND_LINE_H
#define INPLA_COMMAND_LINE_H

#include "executable/compiled.h"

/* Reads the options, runs the script that they or the program name, and returns the status for exit(). `program` is
 * NULL for the command. */
int command_line_run(const compiled_program *program, int count, char **arguments);

#endif
