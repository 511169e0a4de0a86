/*
 * code.h - the machine's code: one word names the operation, the words behind it are its operands.
 *
 * Operands that are registers or counts take half a word each and come first; then those that take a word, then the
 * registers of a list, half a word each. A register holds a value (inpla_value.h): 0 the left cell of the pair, 1 the
 * right one or the number, from 2 on the ports of the left and of the right cell, then what the branch computes.
 *
 *   d  register that is written     v  value or number      R  rule, for messages
 *   r  register that is read        h  header of a cell     L  rule with a C function
 *   n  count                        t  code to go on with   i  plain number
 *   *  as many registers as the last n says
 */
#ifndef INPLA_CODE_H
#define INPLA_CODE_H

#include <stdint.h>

#include "inpla_value.h"

struct rule; /* rule.h */

typedef union code_word {
    const void *label; /* in a machine with computed jumps */
    uintptr_t operation;
    uint32_t half[2];
    inpla_cell *value;
    intptr_t number;
    uintptr_t head;
    const union code_word *target;
    const struct rule *rule;
} code_word;

/* Name and operands of every operation. ORDER CODE (machine.c) */
#define CODE_OPERATIONS(OP)                                                                                           \
    /* a rule starts: ports to registers; numbers among them are checked */                                           \
    OP(SWAP, "")                                                                                                      \
    OP(ENTER, "nn")                                                                                                   \
    OP(ENTER_00, "") OP(ENTER_01, "") OP(ENTER_02, "") OP(ENTER_10, "") OP(ENTER_11, "") OP(ENTER_12, "")             \
    OP(ENTER_20, "") OP(ENTER_21, "") OP(ENTER_22, "") OP(ENTER_30, "") OP(ENTER_31, "") OP(ENTER_32, "")             \
    OP(INT, "rR") OP(INT2, "rrR") OP(REAL, "rR")                                                                      \
    /* or it is a C function; built-in arithmetic has an operation that leaves it what is not so simple */            \
    OP(CALL, "L") OP(NO_RULE, "")                                                                                     \
    OP(BUILTIN_ADD, "L") OP(BUILTIN_SUB, "L") OP(BUILTIN_MUL, "L")                                                    \
    OP(BUILTIN_ADD_TO, "L") OP(BUILTIN_SUB_FROM, "L") OP(BUILTIN_MUL_BY, "L")                                         \
    /* numbers */                                                                                                     \
    OP(MOVE, "dr") OP(SET, "dv")                                                                                      \
    OP(ADD, "drr") OP(SUB, "drr") OP(MUL, "drr") OP(DIV, "drrR") OP(MOD, "drrR")                                      \
    OP(ADD_BY, "dri") OP(MUL_BY, "dri") OP(DIV_BY, "dri") OP(MOD_BY, "dri") OP(NEGATE, "dr")                          \
    OP(REAL_ADD, "drr") OP(REAL_SUB, "drr") OP(REAL_MUL, "drr") OP(REAL_DIV, "drr") OP(REAL_MOD, "drr")               \
    OP(REAL_NEGATE, "dr") OP(TO_REAL, "dr") OP(RANDOM, "drR")                                                         \
    OP(NATIVE, "dnnnR*") OP(UNKNOWN_NATIVE, "nR")                                                                     \
    /* jumps: of two integers, of an integer and a constant, of two floats */                                         \
    OP(JUMP, "t")                                                                                                     \
    OP(IF_EQ, "rrt") OP(IF_NE, "rrt") OP(IF_LT, "rrt") OP(IF_LE, "rrt")                                               \
    OP(IF_EQ_TO, "rvt") OP(IF_NE_TO, "rvt") OP(IF_LT_TO, "rvt") OP(IF_LE_TO, "rvt") OP(IF_GT_TO, "rvt")               \
    OP(IF_GE_TO, "rvt")                                                                                               \
    OP(REAL_IF_EQ, "rrt") OP(REAL_IF_NE, "rrt") OP(REAL_IF_LT, "rrt") OP(REAL_IF_NOT_LT, "rrt")                       \
    OP(REAL_IF_LE, "rrt") OP(REAL_IF_NOT_LE, "rrt")                                                                   \
    /* cells: given back, taken, or the pair's own made another */                                                    \
    OP(FREE, "rn") OP(WIRE, "d") OP(WIRE_IN, "r")                                                                     \
    OP(NEW_0, "dh") OP(NEW_1, "drh") OP(NEW_2, "drrh") OP(NEW_3, "drrrh") OP(NEW, "dnh*")                             \
    OP(HEAD, "rh") OP(PORT, "rnr")                                                                                    \
    /* connections: of an agent and a number or an agent; of anything with an agent, a number, a constant, a new      \
     * agent; of anything with anything */                                                                            \
    OP(PUSH, "rr") OP(PUSH_PLUS, "rri") OP(MEET, "rr") OP(MEET_NUMBER, "rr") OP(MEET_WITH, "rv") OP(JOIN, "rr")       \
    OP(MEET_NEW_0, "rh") OP(MEET_NEW_1, "rrh") OP(MEET_NEW_2, "rrrh")                                                 \
    /* the same with a new agent whose last port is a new wire, which then is what the register holds; the wire is    \
     * made in a cell of the pair, register 1, or taken */                                                            \
    OP(EXTEND_1, "rh") OP(EXTEND_2, "rrh") OP(EXTEND_1_IN, "rrh") OP(EXTEND_2_IN, "rrrh")                             \
    /* the same as the last thing that a rule does; ANSWER gives the left cell back; LOOP: the same rule again, its   \
     * left cell as it was, with a number or with what a register leads to */                                         \
    OP(END, "") OP(REDUCE, "rr") OP(ANSWER, "rr") OP(ANSWER_WITH, "rv")                                               \
    OP(MEET_LAST, "rr") OP(MEET_NUMBER_LAST, "rr") OP(MEET_WITH_LAST, "rv") OP(JOIN_LAST, "rr")                       \
    OP(MEET_NEW_0_LAST, "rh") OP(MEET_NEW_1_LAST, "rrh") OP(MEET_NEW_2_LAST, "rrrh")                                  \
    OP(LOOP, "nt") OP(LOOP_WITH, "rnnht")

#define CODE_ENUM(name, operands) CODE_##name,
typedef enum { CODE_OPERATIONS(CODE_ENUM) CODE_OPERATION_COUNT } code_operation;
#undef CODE_ENUM

enum { CODE_LEFT, CODE_RIGHT, CODE_FIRST_PORT };

/* Operands of an operation, as letters; its name. (code.c) */
const char *code_operands(code_operation which);
const char *code_name(code_operation which);

/* Where the words of an instruction are. */
typedef struct {
    uint32_t halves; /* of these, from word 1 on */
    uint32_t full;   /* index of the first operand that takes a word */
    uint32_t list;   /* index of the first word of the list */
} code_shape;

code_shape code_shape_of(code_operation which);

/* The word that stands for an operation in the machine. (machine.c) */
code_word machine_word(code_operation which);

#endif
