/*
 * disassembler.c - prints code: position, operation, operands. Registers are r0, r1 ...; r0 and r1 are the pair.
 */
#include "rules/disassembler.h"

#include "command/print.h"
#include "rules/head.h"
#include "table/agents.h"

/* Everything that printing an instruction takes. */
typedef struct {
    language *run;
    const rule *of;
    const code_word *at;
    uint32_t listed; /* the last count */
} listing;

static code_operation operation_of(const code_word *at)
{
    for (uint32_t i = 0; i < CODE_OPERATION_COUNT; i++)
        if (machine_word((code_operation)i).operation == at->operation)
            return (code_operation)i;
    return CODE_NO_RULE;
}

static void print_value_word(const listing *of, const inpla_cell *value)
{
    char text[PRINT_NUMBER_SIZE];
    print_format_number(of->run, value, text);
    fprintf(of->run->out, " %s", text);
}

static void print_head_word(const listing *of, uintptr_t head)
{
    fprintf(of->run->out, " %s/%u", agents_name(of->run, (uint32_t)(head & INPLA_AGENT_MASK)),
            (unsigned)(head >> INPLA_PORTS_SHIFT));
}

static void print_half(listing *of, char kind, uint32_t half)
{
    fprintf(of->run->out, kind == 'n' ? " %u" : " r%u", (unsigned)half);
    of->listed = half;
}

static void print_full(const listing *of, char kind, const code_word *word)
{
    if (kind == 'h')
        print_head_word(of, word->head);
    else if (kind == 't')
        fprintf(of->run->out, " -> %u", (unsigned)(word->target - of->of->code));
    else if (kind == 'v')
        print_value_word(of, word->value);
    else if (kind == 'i')
        fprintf(of->run->out, " %lld", (long long)word->number);
}

/* Returns how many words the instruction has. */
static uint32_t print_instruction(listing *of)
{
    const code_operation operation = operation_of(of->at);
    const char *operands = code_operands(operation);
    const code_shape shape = code_shape_of(operation);
    fprintf(of->run->out, "%5u  %s", (unsigned)(of->at - of->of->code), code_name(operation));
    for (uint32_t i = 0; i < shape.halves; i++)
        print_half(of, operands[i], of->at[1 + i / 2].half[i % 2]);
    for (uint32_t i = shape.full; i < shape.list; i++)
        print_full(of, operands[shape.halves + i - shape.full], &of->at[i]);
    const uint32_t listed = operands[shape.halves + shape.list - shape.full] == '*' ? of->listed : 0;
    for (uint32_t i = 0; i < listed; i++)
        print_half(of, 'r', of->at[shape.list + i / 2].half[i % 2]);
    fputc('\n', of->run->out);
    return shape.list + (listed + 1) / 2;
}

void disassemble_rule(language *run, const rule *printed)
{
    listing of = {.run = run, .of = printed};
    fputs("Rule: ", run->out);
    head_print(run, printed);
    fputc('\n', run->out);
    for (uint32_t i = 0; i < printed->word_count; i += print_instruction(&of))
        of.at = printed->code + i;
}
