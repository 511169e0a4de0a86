/*
 * disassembler.h - the code of rules as text, for -c.
 */
#ifndef INPLA_DISASSEMBLER_H
#define INPLA_DISASSEMBLER_H

#include "rules/rule.h"
#include "run/language.h"

/* Prints the rule's heads and its code, an instruction a line. */
void disassemble_rule(language *run, const rule *printed);

#endif
