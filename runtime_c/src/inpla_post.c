/*
 * inpla_post.c - messages: a worker has the first end of a wire that another worker owns.
 *
 * A message says: connect an end of this wire with this value. It is a cell of two ports, wire and value, linked to
 * others by its header word, in the mailbox of the wire's owner: a list that anyone adds to and the owner takes as a
 * whole. By confluence the order of messages means nothing.
 *
 * A mailbox with messages counts in `net->active` as a worker at work does. It counts before its first message is in
 * it, so that there is no moment at which nobody is counted although there is something to do.
 */
#include "inpla_internal.h"

#if INPLA_THREADS

static void deliver(inpla_net *net, inpla_worker *to, inpla_cell *message)
{
    inpla_cell **const mail = &to->shared.mail;
    inpla_cell *others = __atomic_load_n(mail, __ATOMIC_RELAXED);
    int is_counted = 0;
    do {
        if (others == NULL && !is_counted)
            is_counted = __atomic_add_fetch(&net->active, 1, __ATOMIC_SEQ_CST) != 0;
        message->head = (uintptr_t)others;
    } while (!__atomic_compare_exchange_n(mail, &others, message, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    if (others == NULL)
        inplaS_alert(to);
    else if (is_counted)
        __atomic_sub_fetch(&net->active, 1, __ATOMIC_SEQ_CST); /* not 0: the sender counts */
}

INPLA_FUNC void inplaP_send(inpla_worker *worker, unsigned owner, inpla_cell *wire, inpla_cell *value)
{
    inpla_cell *message = inpla_new(worker, INPLA_WIRE, 2);
    if (message == NULL) {
        inplaM_lose_worker(worker, INPLA_ERROR_HEAP);
        return;
    }
    inpla_ports(message)[0].cell = wire;
    inpla_ports(message)[1].cell = value;
    deliver(worker->net, inplaN_worker(worker->net, owner), message);
}

INPLA_FUNC int inplaP_has_mail(const inpla_worker *worker)
{
    return __atomic_load_n(&worker->shared.mail, __ATOMIC_SEQ_CST) != NULL;
}

INPLA_FUNC int inplaP_receive(inpla_worker *worker)
{
    if (!inplaP_has_mail(worker))
        return 0;
    inpla_cell *message = __atomic_exchange_n(&worker->shared.mail, NULL, __ATOMIC_SEQ_CST);
    while (message != NULL) {
        inpla_cell *const next = (inpla_cell *)message->head;
        inpla_cell *const wire = inpla_ports(message)[0].cell;
        inpla_cell *const value = inpla_ports(message)[1].cell;
        message->head = INPLA_WIRE;
        inpla_free(worker, message, 2);
        const inpla_status status = inpla_connect(worker, wire, value);
        if (status != INPLA_OK)
            inplaM_lose_worker(worker, status);
        message = next;
    }
    return 1;
}

#endif
