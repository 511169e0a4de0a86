/*
 * inpla_internal.h - the state of a net, and what each file of the engine offers to the others.
 *
 * Who may call whom: api -> image, reduce, message; image -> reduce, heap; reduce -> builtin, share; share -> hands;
 * share, wire -> post; share, post, heap -> threads. With INPLA_VALUES there are no images and no texts; api, heap and
 * reduce call grow. Only inpla_threads.c knows an operating system.
 */
#ifndef INPLA_INTERNAL_H
#define INPLA_INTERNAL_H

#include "inpla_rule.h"
#if INPLA_VALUES
#include "inpla_value.h"
#endif

/* Where the last failure came from. */
typedef enum { INPLA_AT_NOTHING, INPLA_AT_PAIR, INPLA_AT_IMAGE, INPLA_AT_SLOT, INPLA_AT_AGENT } inpla_place;

typedef struct {
    inpla_status status;
    inpla_place place;
    uint16_t left; /* agents of the pair; the agent at the slot */
    uint16_t right;
    size_t offset;      /* byte of the image, or number of the slot */
    const char *detail; /* a constant text or a name of the program, or NULL */
} inpla_failure;

/*
 * A net lies at the start of the caller's memory; behind it, in this order: the workers, their arrays of pending pairs,
 * the slots, the heap. The heap is used from its start; cells given back go to free lists and never below `heap_next`.
 */
struct inpla_net {
    const inpla_program *program;
    inpla_worker *workers; /* INPLA_WORKER_BYTES apart: inplaN_worker */
    inpla_cell **slots;    /* wires with one end free, or NULL */
    size_t slot_count;
    unsigned worker_count;
    int lost; /* inpla_status: not INPLA_OK after a failure that ends the net; the first one of several workers */
    inpla_failure failure;
    uint8_t *heap_start;
    uint8_t *heap_next;
    uint8_t *heap_end;
    inpla_cell *large; /* free cells of more than INPLA_SMALL_PORTS ports: see inpla_heap.c */
    size_t cells;      /* that were ever taken from the unused part of the heap, but for those of blocks */
#if INPLA_VALUES
    inpla_grow grow;
    uintptr_t *chunks; /* memory that the heap has grown by: inpla_grow.c */
    inpla_failed failed;
#endif
#if INPLA_THREADS
    inpla_cell *chains[INPLA_CLASSES]; /* chains given by workers, linked by port 1 of their first cell */
#if INPLA_HOMES
    uint8_t homes[INPLA_HOME_ENTRIES]; /* by block: the number of the worker that it belongs to */
#endif
    int heap_lock;    /* for all of the heap */
    int active;       /* workers and mailboxes that have something to do; worker 0 outside inplaS_reduce */
    int finished;     /* helpers have to leave */
    unsigned present; /* workers that have a thread; wires of the others belong to worker 0 */
#endif
};

INPLA_STATIC_ASSERT(sizeof(inpla_net) <= INPLA_NET_BYTES, "a net does not fit into INPLA_NET_BYTES");
INPLA_STATIC_ASSERT(sizeof(inpla_worker) <= INPLA_WORKER_BYTES, "a worker does not fit into INPLA_WORKER_BYTES");
INPLA_STATIC_ASSERT(sizeof(inpla_word) == sizeof(void *) && sizeof(inpla_cell) == sizeof(void *), "words are pointers");
INPLA_STATIC_ASSERT(INPLA_MAX_HELPERS < UINT8_MAX, "workers with a thread have numbers of 8 bits");
INPLA_STATIC_ASSERT(sizeof(float) == 4, "floats are IEEE singles");
INPLA_STATIC_ASSERT(INPLA_NET_BYTES % INPLA_ALIGN == 0 && INPLA_WORKER_BYTES % INPLA_ALIGN == 0, "alignment");

static inline inpla_worker *inplaN_worker(const inpla_net *net, unsigned number)
{
    return (inpla_worker *)(void *)((uint8_t *)(void *)net->workers + (size_t)number * INPLA_WORKER_BYTES);
}

static inline const inpla_agent *inplaN_agent(const inpla_net *net, unsigned agent)
{
    return &net->program->agents[agent];
}

#if INPLA_THREADS
static inline int inplaN_is_common(uintptr_t head)
{
    return head >> INPLA_PORTS_SHIFT == INPLA_COMMON;
}

/* The number of the worker that a wire with this header belongs to. */
static inline unsigned inplaN_owner(const inpla_net *net, uintptr_t head)
{
    const uintptr_t number = head >> INPLA_PORTS_SHIFT;
    return number < net->present ? (unsigned)number : 0;
}
#endif

/* Bytes of a cell. */
static inline size_t inplaH_cell_bytes(unsigned ports)
{
    return (size_t)(ports < 2 ? 3 : ports + 1) * sizeof(inpla_word);
}

/* inpla_heap.c: a cell from the unused part of the heap, or NULL, the caller holds the lock; how many cells are in use. */
INPLA_FUNC void *inplaH_fresh(inpla_net *net, size_t bytes);
INPLA_FUNC size_t inplaH_live_cells(const inpla_net *net);

/* inpla_builtin.c: a pair with an Eraser or a Dup that the program has no rule for. */
INPLA_FUNC inpla_status inplaB_interact(inpla_worker *worker, inpla_cell *left, inpla_cell *right);

/* inpla_reduce.c: reduces all pairs of a net, with the workers that are there; those of one worker. */
INPLA_FUNC inpla_status inplaR_normalise(inpla_net *net);
#if !INPLA_VALUES
INPLA_FUNC void inplaR_reduce(inpla_worker *worker);
#endif

#if INPLA_VALUES
/* inpla_grow.c: more memory for the heap (0: there is none), the caller holds its lock; for a worker's pairs. */
INPLA_FUNC int inplaG_grow_heap(inpla_net *net, size_t bytes);
INPLA_FUNC int inplaG_grow_pairs(inpla_worker *worker);
#endif

/* inpla_message.c: records a failure that the net does not survive, and returns its status. Of several workers'
 * failures the first one counts. */
INPLA_FUNC inpla_status inplaM_lose(inpla_net *net, inpla_failure failure);
#if INPLA_THREADS
INPLA_FUNC void inplaM_lose_worker(inpla_worker *worker, inpla_status status);
#endif

#if !INPLA_VALUES
/* inpla_image.c: loads and reduces an image. */
INPLA_FUNC inpla_status inplaI_run(inpla_net *net, const uint8_t *image, size_t size);
#endif

#if INPLA_THREADS
/* inpla_share.c: the part of one worker in reducing a net that several work at: the caller of inpla_run, a helper. */
INPLA_FUNC void inplaS_reduce(inpla_worker *caller);
INPLA_FUNC void inplaS_help(inpla_worker *helper);
INPLA_FUNC int inplaS_may_sleep(const inpla_worker *worker);

/* What a worker is alerted for; called by inpla_next, and by who goes on for long without it. */
INPLA_FUNC void inplaS_attend(inpla_worker *worker);

/* The worker, the others, shall look in the next inpla_next. */
INPLA_FUNC void inplaS_alert(inpla_worker *worker);
#if INPLA_VALUES
INPLA_FUNC void inplaS_alert_others(const inpla_worker *worker);
#endif

#if INPLA_HANDS
/* inpla_hands.c: the worker waits for a pair; takes the one in its hand (0: there is none); waits no longer, and takes
 * it, too. */
INPLA_FUNC void inplaD_open(inpla_worker *worker);
INPLA_FUNC int inplaD_take(inpla_worker *worker);
INPLA_FUNC int inplaD_close(inpla_worker *worker);

/* Gives pairs, the oldest first, to those that wait. */
INPLA_FUNC void inplaD_hand_out(inpla_worker *worker);
#elif INPLA_THREADS
/* Nobody has hands: who waits is given nothing. */
static inline INPLA_MAYBE_UNUSED void inplaD_open(inpla_worker *worker)
{
    (void)worker;
}

static inline INPLA_MAYBE_UNUSED int inplaD_take(inpla_worker *worker)
{
    (void)worker;
    return 0;
}

static inline INPLA_MAYBE_UNUSED int inplaD_close(inpla_worker *worker)
{
    (void)worker;
    return 0;
}

static inline INPLA_MAYBE_UNUSED void inplaD_hand_out(inpla_worker *worker)
{
    (void)worker;
}
#endif

/* inpla_post.c: a connection that the wire's owner has to make; makes those that others have sent, if there are any. */
INPLA_FUNC void inplaP_send(inpla_worker *worker, unsigned owner, inpla_cell *wire, inpla_cell *value);
INPLA_FUNC int inplaP_receive(inpla_worker *worker);
INPLA_FUNC int inplaP_has_mail(const inpla_worker *worker);

/* inpla_chains.c: the net's chains of free cells, linked by port 0; the caller holds the heap's lock. */
INPLA_FUNC void inplaC_put_chain(inpla_net *net, unsigned size_class, inpla_cell *chain);
INPLA_FUNC inpla_cell *inplaC_take_chain(inpla_net *net, unsigned size_class);

/* inpla_chains.c or, where memory grows, inpla_homes.c: a cell of a size that the worker has none of. */
INPLA_FUNC inpla_cell *inplaC_refill(inpla_worker *worker, unsigned ports);

#if INPLA_HOMES
/* inpla_homes.c: sends home the free cells that belong to others; the same, or gives away its own, if another worker has
 * asked for it. */
INPLA_FUNC void inplaC_send_home(inpla_worker *worker);
INPLA_FUNC void inplaC_answer(inpla_worker *worker);
/* Does a worker that memory is exhausted for wait for this one's answer? */
INPLA_FUNC int inplaC_is_asked(const inpla_worker *worker);
#endif

/* inpla_threads.c: helper threads come and go; a worker without work waits until there may be some. */
INPLA_FUNC int inplaT_begin(inpla_net *net);
INPLA_FUNC void inplaT_end(inpla_net *net);
INPLA_FUNC void inplaT_pause(unsigned round);
INPLA_FUNC void inplaT_sleep(const inpla_worker *worker);
INPLA_FUNC void inplaT_wake(void);

/* A lock that is held for some instructions only. */
static inline void inplaN_lock(int *lock)
{
    for (unsigned round = 1; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0; round++)
        inplaT_pause(round);
}

static inline void inplaN_unlock(int *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}
#endif

#endif
