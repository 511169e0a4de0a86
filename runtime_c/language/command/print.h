/*
 * print.h - terms as text, as LANGUAGE.md section 11 has it.
 *
 * No recursion: what is open is a stack in memory. A print that runs out of it stops where it is and returns 0, as all
 * functions here do; they return 1 if all was printed.
 */
#ifndef INPLA_PRINT_H
#define INPLA_PRINT_H

#include "inpla_value.h"
#include "run/language.h"

/* What is connected to this connection: a term. Interface names in it are looked through. */
int print_value(language *run, inpla_cell *value);

/* What the name `id` leads to, as `x;` prints it, or <NON-DEFINED>. */
int print_name(language *run, symbol_id id);

/* The same as `ifce;` lists it: names in it are printed by name. */
int print_listed(language *run, symbol_id id);

/* A number as the dialect prints it. */
void print_number(const language *run, const inpla_cell *number);

/* A number as text; `size` bytes are enough for each. */
enum { PRINT_NUMBER_SIZE = 64 };
void print_format_number(const language *run, const inpla_cell *number, char text[PRINT_NUMBER_SIZE]);

#endif
