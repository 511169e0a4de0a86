/*
 * main.c - the command `inpla`. Everything else is in libinpla.a.
 */
#include <stddef.h>

#include "run/command_line.h"

int main(int argc, char **argv)
{
    return command_line_run(NULL, argc, argv);
}
