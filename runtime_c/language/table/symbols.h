/*
 * symbols.h - every identifier of a run, once; what it stands for at the moment.
 *
 * A symbol is a number that stays the same for the run. Names and agents are the same kind of symbol: `foo` and
 * `foo(x)` share one. No limit on the number or length of identifiers but memory.
 */
#ifndef INPLA_SYMBOLS_H
#define INPLA_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "inpla_rule.h"

typedef uint32_t symbol_id;

enum { NO_SYMBOL = 0 };

typedef struct {
    const char *text; /* ends with 0 */
    uint32_t length;
    uint32_t agent;      /* 1 + its number (agents.h), 0 while it is no agent */
    inpla_cell *name;    /* interface: its cell (names.h), NULL while it is not in the interface */
    inpla_cell *value;   /* `const`: a number, NULL if there is none */
    uint32_t native;     /* 1 + its number (natives.h), 0 if the host offers no such function */
    uint32_t scratch;    /* for whoever compiles a statement; 0 between statements */
    uint32_t keyword;    /* kind of token (lexer.h), 0: an identifier */
    uint32_t hash;       /* of the text */
} symbol;

struct symbol_text; /* memory of texts, freed at once */

typedef struct {
    symbol *all; /* all[0] is unused; moves when it grows: keep ids, not pointers */
    uint32_t count;
    uint32_t room;
    struct symbol_slot *slots; /* open addressing; a power of two of them */
    uint32_t slot_count;
    struct symbol_text *texts;
} symbols;

/* 0 when memory is exhausted. */
int symbols_open(symbols *table);
void symbols_close(symbols *table);

/* The symbol of a text of `length` bytes, made if it is new. NO_SYMBOL when memory is exhausted. */
symbol_id symbols_intern(symbols *table, const char *text, size_t length);

/* The same for who has the hash of the text already: SYMBOL_HASH_START, then symbol_hash_step for each byte. */
enum { SYMBOL_HASH_START = 5381 };

static inline uint32_t symbol_hash_step(uint32_t hash, unsigned char byte)
{
    return hash * 33 + byte;
}

symbol_id symbols_intern_hashed(symbols *table, const char *text, size_t length, uint32_t hash);

static inline symbol *symbols_get(const symbols *table, symbol_id id)
{
    return &table->all[id];
}

#endif
