/*
 * testnet.h - writes net images byte by byte, and opens nets for them.
 */
#ifndef TESTNET_H
#define TESTNET_H

#include "inpla.h"
#include "inpla_image.h"

#include "check.h"

/* --- images ----------------------------------------------------------------------------------------------------- */

typedef struct {
    uint8_t *bytes;
    size_t size;
    size_t room;
} image;

static inline void put_byte(image *to, unsigned byte)
{
    if (to->size == to->room) {
        to->room = to->room * 2 + 64;
        to->bytes = (uint8_t *)realloc(to->bytes, to->room);
    }
    to->bytes[to->size++] = (uint8_t)byte;
}

static inline void put_varint(image *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(to, (unsigned)(value & 0x7F) | 0x80);
    put_byte(to, (unsigned)value);
}

static inline void put_int(image *to, int64_t value)
{
    put_varint(to, ((uint64_t)value << 1) ^ (value < 0 ? ~(uint64_t)0 : 0));
}

static inline void put_float(image *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; i++)
        put_byte(to, bits >> (8 * i) & 0xFF);
}

static inline void put_wire(image *to, unsigned slot)
{
    put_varint(to, (uint64_t)slot << 1);
}

static inline void put_agent(image *to, unsigned agent)
{
    put_varint(to, (uint64_t)agent << 1 | 1);
}

/* An agent with one float attribute, the literal `value`. */
static inline void put_float_agent(image *to, unsigned agent, float value)
{
    put_agent(to, agent);
    put_varint(to, 0);
    put_float(to, value);
}

static inline void put_int_agent(image *to, unsigned agent, int64_t value)
{
    put_agent(to, agent);
    put_varint(to, 0);
    put_int(to, value);
}

static inline void put_connection(image *to)
{
    put_byte(to, INPLA_IMAGE_CONNECT);
}

/* The image with this body, which is given back. */
static inline image finish_image(image *body, unsigned slots, unsigned agents, unsigned natives)
{
    image whole = {NULL, 0, 0};
    put_byte(body, INPLA_IMAGE_END);
    for (int i = 0; i < 4; i++)
        put_byte(&whole, (uint8_t)INPLA_IMAGE_MAGIC[i]);
    put_byte(&whole, INPLA_IMAGE_VERSION);
    put_varint(&whole, slots);
    put_varint(&whole, agents);
    put_varint(&whole, natives);
    put_varint(&whole, body->size);
    for (size_t i = 0; i < body->size; i++)
        put_byte(&whole, body->bytes[i]);
    free(body->bytes);
    body->bytes = NULL;
    body->size = body->room = 0;
    return whole;
}

static inline image finish_for(image *body, unsigned slots, const inpla_program *program)
{
    return finish_image(body, slots, program->agent_count, program->native_count);
}

static inline void drop_image(image *of)
{
    free(of->bytes);
    of->bytes = NULL;
}

/* --- nets ------------------------------------------------------------------------------------------------------- */

/* A net with memory of exactly the size that it asks for, so that a sanitizer sees every step beyond it. */
typedef struct {
    inpla_net *net;
    void *memory;
} testnet;

static inline testnet open_net(const inpla_program *program, size_t heap_words, size_t pairs, size_t slots,
                               unsigned workers, void *user)
{
    const inpla_limits limits = {heap_words * sizeof(void *), pairs, slots, workers};
    const size_t size = inpla_memory_bytes(&limits);
    testnet result = {NULL, NULL};
    if (posix_memalign(&result.memory, INPLA_ALIGN, size) != 0)
        abort();
    memset(result.memory, 0xA5, size);
    CHECK_INT(inpla_open(&result.net, program, &limits, result.memory, size, user), INPLA_OK);
    return result;
}

static inline void close_net(testnet *of)
{
    free(of->memory);
    of->memory = NULL;
    of->net = NULL;
}

static inline inpla_status put_number(inpla_net *net, uint32_t slot, unsigned agent, float value)
{
    inpla_word word;
    word.f = value;
    return inpla_put(net, slot, (uint16_t)agent, word);
}

/* The float that an agent of one attribute holds at a slot; counted as a failure if there is none. */
static inline float get_number(inpla_net *net, uint32_t slot, unsigned agent)
{
    inpla_word word;
    word.i = 0;
    CHECK_INT(inpla_get(net, slot, (uint16_t)agent, &word), INPLA_OK);
    return word.f;
}

static inline inpla_statistics statistics_of(const inpla_net *net)
{
    inpla_statistics result;
    inpla_get_statistics(net, &result);
    return result;
}

static inline void check_message(const inpla_net *net, const char *expected)
{
    char text[160];
    inpla_message(net, text, sizeof text);
    CHECK_TEXT(text, expected);
}

#endif
