/*
 * inpla_reduce.c - the reduction loop.
 *
 * Pending pairs are a stack: the newest pair first, which keeps the stack and the heap small. By confluence neither the
 * order nor the number of workers changes the result or the number of interactions.
 */
#include "inpla_internal.h"

#if !INPLA_VALUES

static inpla_status fail_at_pair(inpla_worker *worker, inpla_status status, unsigned left, unsigned right)
{
    const inpla_failure failure = {status, INPLA_AT_PAIR, (uint16_t)left, (uint16_t)right, 0, NULL};
    return inplaM_lose(worker->net, failure);
}

/* The program's rule for a pair in this order, or NULL. */
static inline inpla_rule find_rule(const inpla_program *program, unsigned left, unsigned right)
{
    const unsigned end = program->first_rule[left + 1];
    for (unsigned i = program->first_rule[left]; i != end; i++)
        if (inpla_likely(program->rules[i].right == right))
            return program->rules[i].call;
    return NULL;
}

/* The program's rules first, in both orders; then the built-in ones. */
static inline inpla_status interact(const inpla_program *program, inpla_worker *worker, inpla_cell *left,
                                    inpla_cell *right)
{
    const unsigned l = inpla_agent_of(left), r = inpla_agent_of(right);
    inpla_status status;
    inpla_rule rule;
    inpla_assert(l < program->agent_count && r < program->agent_count);
    if (inpla_likely((rule = find_rule(program, l, r)) != NULL))
        status = rule(worker, left, right);
    else if (inpla_likely((rule = find_rule(program, r, l)) != NULL))
        status = rule(worker, right, left);
    else
        status = inplaB_interact(worker, left, right);
    if (inpla_unlikely(status != INPLA_OK))
        return fail_at_pair(worker, status, l, r);
    worker->interactions++;
    return INPLA_OK;
}

INPLA_FUNC void inplaR_reduce(inpla_worker *worker)
{
    const inpla_program *program = worker->net->program;
    inpla_pair pair;
    while (inpla_next(worker, &pair))
        if (inpla_unlikely(interact(program, worker, pair.left, pair.right) != INPLA_OK))
            return;
}

#endif

INPLA_FUNC inpla_status inplaR_normalise(inpla_net *net)
{
    inpla_worker *worker = inplaN_worker(net, 0);
#if INPLA_THREADS
    if (worker->sharing) {
        inplaS_reduce(worker);
        return (inpla_status)__atomic_load_n(&net->lost, __ATOMIC_ACQUIRE);
    }
#endif
    inplaR_reduce(worker);
    return (inpla_status)net->lost;
}

#if !INPLA_THREADS
INPLA_API inpla_status inplaR_overflow(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
#if INPLA_VALUES
    if (inplaG_grow_pairs(worker))
        return inpla_push(worker, left, right);
#else
    (void)worker, (void)left, (void)right;
#endif
    return INPLA_ERROR_STACK;
}
#endif
