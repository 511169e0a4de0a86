/*
 * moves.c - values to the registers where they are wanted, all at once; where possible, by computing them there.
 */
#include "rules/assembler.h"

void assembler_begin_region(assembler *to)
{
    to->region = to->start_count;
}

/* --- a register by another name ----------------------------------------------------------------------------------- */

/* Calls that go through all registers of an instruction are written once: what to do with each. */
typedef struct {
    uint32_t old;
    uint32_t new;
    uint32_t written; /* how often `old` was written */
    uint32_t met;     /* how often `new` was read or written */
} renaming;

static void visit(renaming *names, uint32_t *place, char kind)
{
    names->written += kind == 'd' && *place == names->old;
    names->met += *place == names->new;
}

static void rename_register(renaming *names, uint32_t *place, char kind)
{
    (void)kind;
    if (*place == names->old)
        *place = names->new;
}

static void for_registers(code_word *words, renaming *names, void (*act)(renaming *, uint32_t *, char))
{
    const code_operation operation = (code_operation)words[0].operation;
    const char *operands = code_operands(operation);
    const code_shape shape = code_shape_of(operation);
    for (uint32_t i = 0; i < shape.halves; i++)
        if (operands[i] != 'n')
            act(names, &words[1 + i / 2].half[i % 2], operands[i]);
    if (operands[shape.halves + shape.list - shape.full] != '*')
        return;
    const uint32_t listed = words[1 + (shape.halves - 1) / 2].half[(shape.halves - 1) % 2];
    for (uint32_t i = 0; i < listed; i++)
        act(names, &words[shape.list + i / 2].half[i % 2], 'r');
}

/* The instruction of the region that computes the register, if it is one alone and nothing behind it has to do with
 * `new`; else the end. */
static uint32_t find_origin(assembler *to, uint32_t old, uint32_t new)
{
    renaming names = {old, new, 0, 0};
    for (uint32_t i = to->start_count; i != to->region;) {
        i--;
        const uint32_t met = names.met;
        for_registers(&to->words[to->starts[i]], &names, visit);
        if (names.written != 0)
            return met == 0 ? i : to->start_count;
        if (names.met != 0)
            return to->start_count;
    }
    return to->start_count;
}

static int is_written_before(assembler *to, uint32_t end, uint32_t old)
{
    renaming names = {old, UINT32_MAX, 0, 0};
    for (uint32_t i = to->region; i != end; i++)
        for_registers(&to->words[to->starts[i]], &names, visit);
    return names.written != 0;
}

/* Computes a value in the register where it is wanted. 0: it is not to be had that way. */
static int compute_there(assembler *to, register_move move)
{
    const uint32_t origin = find_origin(to, move.from, move.to);
    if (origin == to->start_count || is_written_before(to, origin, move.from))
        return 0;
    renaming names = {move.from, move.to, 0, 0};
    for (uint32_t i = origin; i != to->start_count; i++)
        for_registers(&to->words[to->starts[i]], &names, rename_register);
    return 1;
}

/* --- moves -------------------------------------------------------------------------------------------------------- */

/* How many moves, but for number `except`, read the register. */
static uint32_t count_readers(const register_move *moves, uint32_t count, uint32_t place, uint32_t except)
{
    uint32_t readers = 0;
    for (uint32_t i = 0; i < count; i++)
        readers += i != except && moves[i].from == place;
    return readers;
}

static void drop(register_move *moves, uint32_t *count, uint32_t number)
{
    moves[number] = moves[--*count];
}

static void emit_move(assembler *to, uint32_t place, uint32_t from)
{
    assembler_emit(to, &(instruction){CODE_MOVE, {place, from}, {{0}}, NULL});
}

/* Makes those that can be made at once. Returns how many. */
static uint32_t make_free_moves(assembler *to, register_move *moves, uint32_t *count)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < *count;) {
        if (count_readers(moves, *count, moves[i].to, i) != 0) {
            i++;
            continue;
        }
        emit_move(to, moves[i].to, moves[i].from);
        drop(moves, count, i);
        made++;
    }
    return made;
}

static void drop_unneeded(assembler *to, register_move *moves, uint32_t *count)
{
    for (uint32_t i = 0; i < *count;) {
        const int is_alone = count_readers(moves, *count, moves[i].from, i) == 0 &&
                             count_readers(moves, *count, moves[i].to, i) == 0;
        if (moves[i].to == moves[i].from || (is_alone && compute_there(to, moves[i])))
            drop(moves, count, i);
        else
            i++;
    }
}

void assembler_move(assembler *to, register_move *moves, uint32_t count, uint32_t spare)
{
    if (to->is_out_of_memory)
        return;
    drop_unneeded(to, moves, &count);
    while (count != 0) {
        if (make_free_moves(to, moves, &count) != 0)
            continue;
        emit_move(to, spare, moves[0].from); /* a ring: opened at this place */
        moves[0].from = spare;
    }
}
