/*
 * disassembler.h - the code of rules as text, for -c.
 */
#ifndef INPLA_DISASSEMBLER_H
#define INPLA_DISASSEMBLER_H

#include "language.h"
#include "rule.h"

/* Prints the rule's heads and its code, an instruction a line. */
void disassemble_rule(language *run, const rule *printed);

#endif
