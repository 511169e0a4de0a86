/*
 * program_wide.h - agents of many sizes without any rule of their own, for the heap and the built-in rules.
 */
#ifndef PROGRAM_WIDE_H
#define PROGRAM_WIDE_H

#include "inpla_rule.h"

enum wide_agent { NUMBER = INPLA_BUILTIN_COUNT, COUNT, NIL, PAIR, TWO_NUMBERS, MIXED, NINE, TWENTY, WIDE_AGENTS };

static const inpla_agent wide_agents[WIDE_AGENTS] = {
    {"Eraser", ""}, {"Dup", "ww"},  {"Number", "f"},      {"Count", "i"},
    {"Nil", ""},    {"Pair", "ww"}, {"TwoNumbers", "if"}, {"Mixed", "wfwi"},
    {"Nine", "wwwwwwwww"},
    {"Twenty", "iwwwwwwwwwwwwwwwwwwf"},
};

static const uint16_t wide_first_rule[WIDE_AGENTS + 1] = {0};

static const inpla_program wide_program = {"wide", wide_agents, NULL, wide_first_rule, NULL, WIDE_AGENTS, 0, 0};

#endif
