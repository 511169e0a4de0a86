/*
 * code.c - operations by name, and where their operands are.
 */
#include "rules/code.h"

#include <string.h>

typedef struct {
    const char *name;
    const char *operands;
} operation;

#define ENTRY(name, operands) {#name, operands},
static const operation operations[CODE_OPERATION_COUNT] = {CODE_OPERATIONS(ENTRY)};
#undef ENTRY

const char *code_operands(code_operation which)
{
    return operations[which].operands;
}

const char *code_name(code_operation which)
{
    return operations[which].name;
}

code_shape code_shape_of(code_operation which)
{
    const char *operands = code_operands(which);
    const uint32_t halves = (uint32_t)strspn(operands, "drn");
    const uint32_t full = 1 + (halves + 1) / 2;
    const uint32_t list = full + (uint32_t)strcspn(operands + halves, "*");
    return (code_shape){halves, full, list};
}
