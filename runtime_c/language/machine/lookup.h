/*
 * lookup.h - which rule is for a pair of agents that the table of rules does not list, neither of them Eraser or Dup.
 */
#ifndef INPLA_LOOKUP_H
#define INPLA_LOOKUP_H

#include "rules/code.h"
#include "run/language.h"

/* The code for the pair, whose sides may be exchanged; NULL: there is no rule. */
const code_word *lookup_rule(const language *run, inpla_pair *pair);

#endif
