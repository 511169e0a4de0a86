/*
 * inpla_message.c - failures as text.
 */
#include "inpla_internal.h"

/* ORDER STATUS (inpla.h) */
static const char *const status_texts[] = {
    "no failure",
    "no rule for a pair of agents",
    "heap exhausted",
    "too many pending pairs",
    "native function failed",
    "malformed net image",
    "not enough memory",
    "no such interface",
};

INPLA_STATIC_ASSERT(sizeof status_texts / sizeof status_texts[0] == INPLA_STATUS_COUNT, "a text for every status");

INPLA_API const char *inpla_status_text(inpla_status status)
{
    return (unsigned)status < INPLA_STATUS_COUNT ? status_texts[status] : "unknown status";
}

INPLA_FUNC inpla_status inplaM_lose(inpla_net *net, inpla_failure failure)
{
#if INPLA_THREADS
    int none = INPLA_OK;
    if (!__atomic_compare_exchange_n(&net->lost, &none, (int)failure.status, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return (inpla_status)none;
#else
    net->lost = failure.status;
#endif
    net->failure = failure;
#if INPLA_THREADS
    for (unsigned i = 0; i < net->present; i++)
        inplaS_alert(inplaN_worker(net, i));
#endif
    return failure.status;
}

#if INPLA_THREADS
INPLA_FUNC void inplaM_lose_worker(inpla_worker *worker, inpla_status status)
{
#if INPLA_VALUES
    const inpla_failed failed = {status, NULL, NULL, 0};
    inpla_fail(worker, failed);
#else
    const inpla_failure failure = {status, INPLA_AT_NOTHING, 0, 0, 0, NULL};
    inplaM_lose(worker->net, failure);
#endif
}
#endif

#if !INPLA_VALUES

/* --- text ------------------------------------------------------------------------------------------------------- */

typedef struct {
    char *next;
    char *last; /* the byte for the final 0 */
} writer;

static void write_text(writer *to, const char *text)
{
    while (*text != 0 && to->next != to->last)
        *to->next++ = *text++;
    *to->next = 0;
}

static void write_number(writer *to, size_t number)
{
    char digits[24];
    char *first = digits + sizeof digits - 1;
    *first = 0;
    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    write_text(to, first);
}

static void write_pair(writer *to, const inpla_net *net)
{
    write_text(to, inplaN_agent(net, net->failure.left)->name);
    write_text(to, " >< ");
    write_text(to, inplaN_agent(net, net->failure.right)->name);
}

static void write_place(writer *to, const inpla_net *net)
{
    switch (net->failure.place) {
    case INPLA_AT_NOTHING:
        return;
    case INPLA_AT_PAIR:
        write_text(to, " in ");
        write_pair(to, net);
        return;
    case INPLA_AT_IMAGE:
        write_text(to, " at byte ");
        write_number(to, net->failure.offset);
        write_text(to, " of the image");
        return;
    case INPLA_AT_AGENT:
        write_text(to, ": ");
        write_text(to, inplaN_agent(net, net->failure.left)->name);
        write_text(to, " is connected");
        /* fall through */
    case INPLA_AT_SLOT:
        write_text(to, " at slot ");
        write_number(to, net->failure.offset);
    }
}

INPLA_API void inpla_message(const inpla_net *net, char *text, size_t size)
{
    if (size == 0)
        return;
    writer to = {text, text + size - 1};
    if (net == NULL) {
        write_text(&to, "no net");
        return;
    }
    if (net->failure.status == INPLA_ERROR_NO_RULE) {
        write_text(&to, "no rule for ");
        write_pair(&to, net);
        return;
    }
    write_text(&to, inpla_status_text(net->failure.status));
    if (net->failure.detail != NULL) {
        write_text(&to, ": ");
        write_text(&to, net->failure.detail);
    }
    write_place(&to, net);
}

#endif
