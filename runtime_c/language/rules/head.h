/*
 * head.h - the two heads of a rule.
 */
#ifndef INPLA_HEAD_H
#define INPLA_HEAD_H

#include "rules/compiler.h"

/* Reads both heads into `rule` and `scope`, an agent to the left. 0: a message was printed, see compiler.outcome. */
int head_read_both(compiler *to);

/* Prints the heads as messages name them: `f >< Tuple2`. */
void head_print(const language *run, const rule *printed);

/* Name of a head in messages: `f`, `Int`, `Float`, `Wildcard`, without the size of a tuple. */
const char *head_name(const language *run, uint32_t head);

/* A name that is not as often in the branch as it has to be. Returns 0. */
int head_refuse_name(compiler *to, const variable *refused);

#endif
