/*
 * postponed.c - the list of pairs that wait, under a lock, as any worker may add to it.
 */
#include "machine/postponed.h"

#include <pthread.h>
#include <stdlib.h>

#include "rules/rule.h"
#include "table/array.h"

typedef struct {
    inpla_pair pair;
    failure reason;
} waiting_pair;

struct postponed {
    pthread_mutex_t lock;
    waiting_pair *all;
    uint32_t count;
    uint32_t room;
    uint64_t interactions; /* when they were put back last */
};

struct postponed *postponed_open(void)
{
    struct postponed *opened = calloc(1, sizeof *opened);
    if (opened != NULL)
        pthread_mutex_init(&opened->lock, NULL);
    return opened;
}

void postponed_close(struct postponed *closed)
{
    if (closed == NULL)
        return;
    pthread_mutex_destroy(&closed->lock);
    free(closed->all);
    free(closed);
}

/* Others make connections, or compiled rules do, in an order of their own. */
static int is_order_open(const inpla_worker *worker)
{
    return worker->sharing || ((const language *)worker->user)->compiled != NULL;
}

int postponed_may_come(const inpla_worker *worker, inpla_cell *port, failure_kind kind)
{
    while (is_order_open(worker) && port != NULL && !inpla_is_number(port)) {
        inpla_cell *const first = inpla_first_of(port);
        if (!inpla_is_wire(port))
            return 0;
        port = first;
    }
    return is_order_open(worker) && (port == NULL || kind == FAILURE_FLOAT || inpla_is_int(port));
}

int postponed_add(inpla_worker *worker, inpla_pair pair, failure reason)
{
    struct postponed *to = ((language *)worker->user)->rules->postponed;
    pthread_mutex_lock(&to->lock);
    const int has_room = ARRAY_RESERVE(to->all, to->room, (size_t)to->count + 1);
    if (has_room)
        to->all[to->count++] = (waiting_pair){pair, reason};
    pthread_mutex_unlock(&to->lock);
    return has_room;
}

static int put_back(language *run, struct postponed *from)
{
    while (from->count != 0) {
        const inpla_pair pair = from->all[--from->count].pair;
        if (inpla_push(run->worker, pair.left, pair.right) != INPLA_OK)
            return 0;
    }
    return 1;
}

void postponed_forget(language *run)
{
    run->rules->postponed->count = 0;
}

int postponed_push(language *run)
{
    struct postponed *from = run->rules->postponed;
    const uint64_t interactions = inpla_interactions(run->net);
    if (from->count == 0)
        return 0;
    const waiting_pair first = from->all[0];
    if (interactions == from->interactions) {
        failure_set(run->worker, first.pair, first.reason);
        return 0;
    }
    from->interactions = interactions;
    if (put_back(run, from))
        return 1;
    failure_set(run->worker, first.pair, (failure){.kind = FAILURE_MEMORY});
    return 0;
}
