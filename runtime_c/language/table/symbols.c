/*
 * symbols.c - the table of identifiers: hashing and the memory of their texts. Must not know what they stand for.
 */
#include "table/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "table/array.h"

enum { FIRST_SLOTS = 1024, TEXT_BYTES = 1 << 16, NEIGHBOURS = 16 };

/* A slot keeps where its search started as well, so that a search rarely looks at a symbol in vain. NO_SYMBOL: empty. */
struct symbol_slot {
    uint32_t home;
    symbol_id id;
};

struct symbol_text {
    struct symbol_text *next;
    size_t used;
    size_t room;
    char bytes[];
};

/* Where the search for a text starts, before it is cut to the number of slots. Texts that differ in their last letter
 * only, as w120 and w121, are neighbours: who uses one soon uses the other, and finds it in the cache. */
static uint32_t home_of(const char *text, size_t length, uint32_t hash)
{
    const unsigned char last = length == 0 ? 0 : (unsigned char)text[length - 1];
    hash -= last;
    hash ^= hash >> 15;
    hash *= 0x85EBCA6Bu;
    hash ^= hash >> 13;
    return hash * NEIGHBOURS + (last & (NEIGHBOURS - 1));
}

int symbols_open(symbols *table)
{
    memset(table, 0, sizeof *table);
    table->slots = calloc(FIRST_SLOTS, sizeof *table->slots);
    table->slot_count = FIRST_SLOTS;
    if (table->slots == NULL || !ARRAY_RESERVE(table->all, table->room, 1)) {
        symbols_close(table);
        return 0;
    }
    memset(&table->all[0], 0, sizeof table->all[0]);
    table->count = 1;
    return 1;
}

void symbols_close(symbols *table)
{
    while (table->texts != NULL) {
        struct symbol_text *text = table->texts;
        table->texts = text->next;
        free(text);
    }
    free(table->slots);
    free(table->all);
    memset(table, 0, sizeof *table);
}

/* Where a text of this hash has its slot, or would have it. */
static struct symbol_slot *find(const symbols *table, const char *text, size_t length, uint32_t home)
{
    const uint32_t mask = table->slot_count - 1;
    for (uint32_t at = home & mask;; at = (at + 1) & mask) {
        struct symbol_slot *slot = &table->slots[at];
        if (slot->id == NO_SYMBOL)
            return slot;
        if (slot->home == home) {
            const symbol *found = &table->all[slot->id];
            if (found->length == length && memcmp(found->text, text, length) == 0)
                return slot;
        }
    }
}

static struct symbol_slot *find_empty(struct symbol_slot *slots, uint32_t mask, uint32_t home)
{
    uint32_t at = home & mask;
    while (slots[at].id != NO_SYMBOL)
        at = (at + 1) & mask;
    return &slots[at];
}

static int double_slots(symbols *table)
{
    const uint32_t more = table->slot_count * 2;
    struct symbol_slot *slots = more == 0 ? NULL : calloc(more, sizeof *slots);
    if (slots == NULL)
        return 0;
    for (uint32_t at = 0; at < table->slot_count; at++)
        if (table->slots[at].id != NO_SYMBOL)
            *find_empty(slots, more - 1, table->slots[at].home) = table->slots[at];
    free(table->slots);
    table->slots = slots;
    table->slot_count = more;
    return 1;
}

/* A copy of the text that stays where it is. */
static const char *keep_text(symbols *table, const char *text, size_t length)
{
    struct symbol_text *block = table->texts;
    char *copy;
    if (block == NULL || block->room - block->used <= length) {
        const size_t room = length < TEXT_BYTES ? (size_t)TEXT_BYTES : length + 1;
        block = malloc(sizeof *block + room);
        if (block == NULL)
            return NULL;
        block->next = table->texts;
        block->used = 0;
        block->room = room;
        table->texts = block;
    }
    copy = block->bytes + block->used;
    memcpy(copy, text, length);
    copy[length] = 0;
    block->used += length + 1;
    return copy;
}

static symbol_id add(symbols *table, const char *text, size_t length, uint32_t hash)
{
    symbol made = {.length = (uint32_t)length, .hash = hash};
    if (length > UINT32_MAX || !ARRAY_RESERVE(table->all, table->room, (size_t)table->count + 1))
        return NO_SYMBOL;
    made.text = keep_text(table, text, length);
    if (made.text == NULL)
        return NO_SYMBOL;
    table->all[table->count] = made;
    return table->count++;
}

symbol_id symbols_intern_hashed(symbols *table, const char *text, size_t length, uint32_t hash)
{
    const uint32_t home = home_of(text, length, hash);
    struct symbol_slot *slot = find(table, text, length, home);
    if (slot->id != NO_SYMBOL)
        return slot->id;
    if (table->count >= table->slot_count / 4 * 3) {
        if (!double_slots(table))
            return NO_SYMBOL;
        slot = find_empty(table->slots, table->slot_count - 1, home);
    }
    const symbol_id id = add(table, text, length, hash);
    *slot = (struct symbol_slot){.home = id == NO_SYMBOL ? 0 : home, .id = id};
    return id;
}

symbol_id symbols_intern(symbols *table, const char *text, size_t length)
{
    uint32_t hash = SYMBOL_HASH_START;
    for (size_t i = 0; i < length; i++)
        hash = symbol_hash_step(hash, (unsigned char)text[i]);
    return symbols_intern_hashed(table, text, length, hash);
}
