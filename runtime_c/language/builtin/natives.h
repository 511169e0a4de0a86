/*
 * natives.h - the functions that attribute expressions can call when the command is given -weights or -inputs: those of
 * scripts that model-compiler writes with -granularity=neuron -inpla-weights=region.
 *
 *   weight(i)     float number i of the bundle's constantWeight, the file of -weights
 *   input(i)      float number i of its mutableWeight, the file of -inputs
 *   output(i, v)  stores float number i of mutableWeight; returns 0
 *   exp(x), ...   the mathematical ones, which compute what bundles compute, bit for bit
 *
 * symbol.native of their names is 1 + their number. Workers may call them at the same time.
 */
#ifndef INPLA_NATIVES_H
#define INPLA_NATIVES_H

#include "run/language.h"

/* The function of a number. Its `call` is given `run->natives` as user, and arguments of `parameters`' kinds. */
const inpla_native_entry *natives_get(uint32_t number);

/* Why a call of it has failed, as the end of a sentence. */
const char *natives_failure(const inpla_native_entry *native);

/* Reads the files, either of which may be NULL, and makes the functions known. 0: a message has been printed. */
int natives_open(language *run, const char *weights, const char *inputs);
void natives_close(language *run);

/* Prints what output(i, v) has stored: `output(16) = 0.25`, a line each, in the order of i. */
void natives_print_outputs(language *run);

#endif
