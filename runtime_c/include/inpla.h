/*
 * inpla.h - the INPLA engine: the host's interface.
 *
 * The engine reduces an interaction net whose agents and rules are compiled to C (`inpla_program`) and whose initial
 * net is a byte image (inpla_image.h). It allocates nothing: all memory comes from the caller of inpla_open.
 *
 * Ownership: memory, program, image and `user` are the caller's and outlive the net; the net keeps pointers to them and
 * writes to nothing but the memory and what functions are given to write to. One net per memory block. Sizes are bytes.
 *
 * Threads: a net is used by one host thread at a time; different nets may be used at the same time. With several workers
 * rules and native functions are called in helper threads as well, several at a time, while the caller of inpla_run
 * waits; no function of this file may be called for that net from there. Helper threads are made when they are first
 * needed, are the same for all nets, and end with the process.
 *
 * Errors are return codes; none of the functions writes to errno, ends the process or calls back for an error.
 */
#ifndef INPLA_H
#define INPLA_H

#include <stddef.h>
#include <stdint.h>

#include "inpla_conf.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { INPLA_ALIGN = 64 };

/* Return codes. ORDER STATUS (inpla_status_text). */
typedef enum {
    INPLA_OK = 0,
    INPLA_ERROR_NO_RULE,   /* a pair of agents without a rule */
    INPLA_ERROR_HEAP,      /* no free cell left */
    INPLA_ERROR_STACK,     /* more pending pairs than the memory holds */
    INPLA_ERROR_NATIVE,    /* a native function reported failure */
    INPLA_ERROR_IMAGE,     /* the image is cut off or not for this program */
    INPLA_ERROR_MEMORY,    /* the caller's memory is too small or misaligned */
    INPLA_ERROR_INTERFACE, /* no such interface name, or nothing of that kind is connected to it */
    INPLA_STATUS_COUNT
} inpla_status;

typedef intptr_t inpla_int;

/* The number of an agent. */
#if INPLA_VALUES
typedef uint32_t inpla_agent_id;
#else
typedef uint16_t inpla_agent_id;
#endif

typedef struct inpla_cell inpla_cell;
typedef struct inpla_worker inpla_worker;
typedef struct inpla_net inpla_net;

/* A port: a connection, or an attribute, by the agent's signature. */
typedef union inpla_word {
    inpla_cell *cell;
    inpla_int i;
    float f;
} inpla_word;

typedef enum { INPLA_PORT_WIRE = 'w', INPLA_PORT_INT = 'i', INPLA_PORT_FLOAT = 'f' } inpla_port_kind;

/* An agent: its name and one inpla_port_kind character per auxiliary port, "ww" for Dup, "f" for Concrete. */
typedef struct {
    const char *name;
    const char *ports;
} inpla_agent;

/* A rule compiled to C. `left` and `right` are the pair in the order of its inpla_rule_entry; the rule owns both cells. */
typedef inpla_status (*inpla_rule)(inpla_worker *worker, inpla_cell *left, inpla_cell *right);

/* A native function as the image calls it. `user` is what the host gave to inpla_open. Returns 0 or a failure. */
typedef int (*inpla_native)(void *user, const inpla_word *arguments, inpla_word *result);

typedef struct {
    const char *name;
    const char *parameters; /* a character per parameter: 'i' or 'f' */
    char result;            /* 'i' or 'f' */
    inpla_native call;
} inpla_native_entry;

/* The rule for a pair; `call` gets the cell of agent `left` first. */
typedef struct {
    uint16_t left;
    uint16_t right;
    inpla_rule call;
} inpla_rule_entry;

/*
 * What is compiled. Agents 0 to INPLA_BUILTIN_COUNT-1 are built in (inpla_rule.h); the program's own follow.
 * `rules` is ordered by left agent: those of agent a are numbers first_rule[a] to first_rule[a + 1] - 1. A pair has one
 * rule at most, in one order; the engine looks at both. An agent with many rules had better be the right one of them.
 */
typedef struct {
    const char *name;
    const inpla_agent *agents;
    const inpla_rule_entry *rules;
    const uint16_t *first_rule; /* agent_count + 1 numbers */
    const inpla_native_entry *natives;
    uint16_t agent_count;
    uint16_t rule_count;
    uint16_t native_count;
} inpla_program;

#if INPLA_VALUES
/*
 * Memory that a net grows by, as realloc gives it: `block` of `old_bytes` (NULL, 0: none yet) becomes one of `bytes`,
 * which is returned, aligned to words, or NULL; `bytes` 0 gives it back. `user` is what the host gave to inpla_open.
 * Several workers may call it at the same time.
 */
typedef void *(*inpla_grow)(void *user, void *block, size_t old_bytes, size_t bytes);
#endif

/* How much a net may use; where it can grow, how much it has at the start. Counts are of the worst moment. */
typedef struct {
    size_t heap_bytes; /* cells: one of n ports takes (n < 2 ? 3 : n + 1) words, a wire counts as one port. Cells of 0
                          to 2 ports are one size; cells of other port counts do not take each other's place, so the
                          worst moments of all port counts are added up. With several workers every wire may need two
                          more cells of 3 words: messages from worker to worker */
    size_t pairs;      /* pending pairs, per worker */
    size_t slots;      /* wires open between two places of the image; the image says how many */
    unsigned workers;  /* 1 or more; more than 1 needs INPLA_THREADS, without it one does the work */
#if INPLA_VALUES
    inpla_grow grow; /* for heap and pairs; NULL: the memory is all there is */
#endif
} inpla_limits;

/*
 * Bytes that inpla_open needs, as a constant expression; the same value as inpla_memory_bytes. W is the size of a word,
 * 4 or 8:
 *
 *   384 + workers * (384 + 2 * W * pairs) + W * slots + heap, rounded up to whole words
 *       + (workers > 1 ? workers * 2688 * W : 0)
 *
 * The last term is for the free cells that workers keep for themselves, so that `heap` need not know of them.
 */
#if INPLA_HOMES
#define INPLA_NET_BYTES (384 + INPLA_HOME_ENTRIES)
#else
#define INPLA_NET_BYTES 384
#endif
#define INPLA_WORKER_BYTES 384
#define INPLA_SLACK_WORDS 2688
#define INPLA_MEMORY_BYTES(heap, pairs, slots, workers)                                                          \
    ((size_t)INPLA_NET_BYTES + (size_t)(workers) * (INPLA_WORKER_BYTES + (size_t)(pairs) * 2 * sizeof(void *)) + \
     (size_t)(slots) * sizeof(void *) +                                                                          \
     ((size_t)(heap) + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *) +                                   \
     ((workers) > 1 ? (size_t)(workers) * INPLA_SLACK_WORDS * sizeof(void *) : 0))

/* Bytes that inpla_open needs for `limits`: INPLA_MEMORY_BYTES. Any thread may call it. */
INPLA_API size_t inpla_memory_bytes(const inpla_limits *limits) INPLA_MAYBE_UNUSED;

/*
 * Makes an empty net in `memory`, `size` bytes aligned to INPLA_ALIGN; *net is its start. `user` is handed to native
 * functions. `limits` is copied. There is nothing to close (but see inpla_close for memory that grows): when the caller
 * is done with a net, or a function has failed, the memory may be given to inpla_open again.
 *
 * Returns INPLA_OK; or INPLA_ERROR_MEMORY, and *net is NULL, if the memory is NULL, not aligned or too small, or the
 * limits are absurd. Takes time in proportion to workers and slots, not to the heap.
 */
INPLA_API inpla_status inpla_open(inpla_net **net, const inpla_program *program, const inpla_limits *limits,
                                  void *memory, size_t size, void *user) INPLA_MAYBE_UNUSED;

#if !INPLA_VALUES
/*
 * Loads an image of `size` bytes section by section and reduces each to normal form; then the wires of the interface are
 * in their slots. May be called again, with the same or another image for the same program.
 *
 * Returns INPLA_OK; or the first failure: INPLA_ERROR_NO_RULE, INPLA_ERROR_HEAP, INPLA_ERROR_STACK, INPLA_ERROR_NATIVE,
 * INPLA_ERROR_IMAGE, INPLA_ERROR_MEMORY (more slots than the limits have). After a failure the net is lost: every
 * further call returns the same code, but for inpla_get_statistics and inpla_message.
 */
INPLA_API inpla_status inpla_run(inpla_net *net, const uint8_t *image, size_t size) INPLA_MAYBE_UNUSED;

/*
 * Interface slots: a wire of the image that one end of is left to the host. inpla_put connects an agent with one
 * attribute port (such as Concrete) to the slot, before or after the image is run; inpla_get reduces what that has made
 * possible, reads the attribute of such an agent that is connected to the slot, disposes of it and leaves the slot
 * empty. *value is written only if the result is INPLA_OK; its member is that of the port's kind.
 *
 * Return INPLA_OK; INPLA_ERROR_INTERFACE (no such slot, another agent or none connected, no agent of that form), which
 * changes nothing, and the net stays usable; or a failure that loses it, as inpla_run does. Neither uses helper threads.
 */
INPLA_API inpla_status inpla_put(inpla_net *net, uint32_t slot, inpla_agent_id agent, inpla_word value)
    INPLA_MAYBE_UNUSED;
INPLA_API inpla_status inpla_get(inpla_net *net, uint32_t slot, inpla_agent_id agent, inpla_word *value)
    INPLA_MAYBE_UNUSED;
#endif

/* Facts of the net so far. */
typedef struct {
    uint64_t interactions; /* pairs reduced; the same for every order and number of workers */
    size_t heap_bytes;     /* high-water mark of the heap; with several workers, with the free cells that they keep */
    size_t live_cells;     /* cells not yet given back: 0 after a net whose results were all read */
} inpla_statistics;

/* Fills *statistics; for lost nets as well. Takes time in proportion to the free cells. */
INPLA_API void inpla_get_statistics(const inpla_net *net, inpla_statistics *statistics) INPLA_MAYBE_UNUSED;

#if !INPLA_VALUES
/* The last failure as text, "no rule for Add >< Ready"; "no failure" if there was none; `net` may be NULL, after
 * inpla_open has failed. Writes at most `size` bytes to `text` with the final 0, nothing if `size` is 0. */
INPLA_API void inpla_message(const inpla_net *net, char *text, size_t size) INPLA_MAYBE_UNUSED;
#endif

/* Text of a return code: a constant, never NULL. Any thread may call it. */
INPLA_API const char *inpla_status_text(inpla_status status) INPLA_MAYBE_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
