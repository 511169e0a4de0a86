/*
 * machine.c - the loop that reduces pairs: direct-threaded code where the compiler has computed jumps, else a switch.
 *
 * The operations are in operation_*.h, fragments of the function `execute`. What they work with:
 *
 *   worker, run, rows    the worker, the run, the table of agents
 *   left, right          the pair at hand, until ENTER has put it into registers
 *   r, pc                the registers; the instruction at hand
 *   count                interactions that the worker has not been told of yet
 *
 * and where they go on: GO after the instruction at hand, `reduce` with the pair left and right, which has come of the
 * last thing a rule did, `next` with a pair of the list, `failed` with `reason`.
 */
#if defined(__GNUC__) && !defined(__clang__)
/* Pairs in vector registers would keep operations from having, each, a jump of its own to the next one. */
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "machine/machine.h"

#include "builtin/builtin.h"
#include "builtin/natives.h"
#include "machine/failure.h"
#include "machine/lookup.h"
#include "machine/machine_core.h"
#include "machine/machine_parts.h"
#include "machine/postponed.h"
#include "number/number.h"
#include "rules/code.h"
#include "rules/rule.h"
#include "table/agents.h"

#if defined(__GNUC__) && !defined(INPLA_SWITCH)
#define HAS_COMPUTED_JUMPS 1
#pragma GCC diagnostic ignored "-Wpedantic"
#define OPERATION(name) label_##name:
#define EXECUTE goto *pc->label
#else
#define HAS_COMPUTED_JUMPS 0
#define OPERATION(name) case CODE_##name:
#define EXECUTE goto execute
#endif

/* On to the instruction `words` behind this one. */
#define GO(words)        \
    do {                 \
        pc += (words);   \
        EXECUTE;         \
    } while (0)

/* Operands: half number i, the register that it names, the word at index i. */
#define HALF(i) (pc[1 + (i) / 2].half[(i) % 2])
#define R(i) (r[HALF(i)])

/* Executes the rule for left and right. */
#define INTERACT                                                             \
    do {                                                                     \
        count++;                                                             \
        if (inpla_is_number(right)) {                                        \
            if (inpla_unlikely(inpla_is_number(left)))                       \
                goto numbers;                                                \
            const agent_row *const row = &rows[inpla_agent_of(left)];        \
            pc = inpla_is_int(right) ? row->with_int : row->with_float;      \
        } else {                                                             \
            const agent_row *const row = &rows[inpla_agent_of(left)];        \
            const uint32_t key = inpla_agent_of(right);                      \
            const agent_rule *const entry = &row->rules[key & row->mask];    \
            if (inpla_unlikely(entry->right != key))                         \
                goto find;                                                   \
            pc = entry->code;                                                \
        }                                                                    \
        EXECUTE;                                                             \
    } while (0)

/* Goes on with a pair of the list. */
#define NEXT                                                                        \
    do {                                                                            \
        if (inpla_unlikely(worker->top == worker->low || inpla_is_wanted(worker)))  \
            goto next;                                                              \
        worker->top--;                                                              \
        left = worker->top->left;                                                   \
        right = worker->top->right;                                                 \
        INTERACT;                                                                   \
    } while (0)

/* Goes on with a pair that has just come up. */
#define REDUCE(one, other)                              \
    do {                                                \
        left = (one);                                   \
        right = (other);                                \
        if (inpla_unlikely(inpla_is_wanted(worker)))    \
            goto reduce;                                \
        INTERACT;                                       \
    } while (0)

/* Goes on with the connection of anything with a number. */
#define MEET_NUMBER(any, number)                                                    \
    do {                                                                            \
        inpla_cell *const partner = machine_meet_number(worker, (any), (number));   \
        if (partner == NULL)                                                        \
            NEXT;                                                                   \
        REDUCE(partner, (number));                                                  \
    } while (0)

/* Reduces `pair` and what comes of it until the worker has nothing left to do; if `is_single`, `pair` alone. Without a
 * worker: returns the words for operations, by number. */
static const void *const *execute(inpla_worker *worker, inpla_pair pair, int is_single)
{
#if HAS_COMPUTED_JUMPS
#define LABEL(name, operands) &&label_##name,
    static const void *const labels[] = {CODE_OPERATIONS(LABEL)};
#undef LABEL
    if (worker == NULL)
        return labels;
#endif
    language *const run = worker->user;
    const agent_row *const rows = run->agents->all;
    inpla_cell **const r = run->rules->registers[worker->number];
    inpla_cell *left = pair.left, *right = pair.right;
    const code_word *pc;
    uint64_t count = 0;
    inpla_status status;
    failure reason = {.kind = FAILURE_MEMORY};
    goto interact;

reduce: /* the pair that has just come up */
    if (inpla_unlikely(inpla_is_wanted(worker))) {
        if (inpla_push(worker, left, right) != INPLA_OK)
            goto failed;
        goto next;
    }
    INTERACT;

next: /* a pair of the list, or the end */
    if (is_single || !inpla_next(worker, &pair))
        goto end;
    left = pair.left;
    right = pair.right;

interact:
    INTERACT;

find: /* the table's first entry is of another pair */
    pc = machine_find(rows, left, right);
    if (pc != NULL)
        EXECUTE;
    pair = (inpla_pair){left, right};
    if (inpla_agent_of(left) < INPLA_BUILTIN_COUNT || inpla_agent_of(right) < INPLA_BUILTIN_COUNT) {
        reason.agents[0] = inpla_agent_of(left);
        reason.agents[1] = inpla_agent_of(right);
        const core_outcome result = machine_reduce_core(worker, &pair);
        if (result == CORE_DONE)
            NEXT;
        if (result == CORE_GOES_ON)
            REDUCE(pair.left, pair.right);
        goto failed;
    }
    pc = lookup_rule(run, &pair);
    left = pair.left;
    right = pair.right;
    if (pc != NULL)
        EXECUTE;
    reason.kind = FAILURE_NO_RULE;
    goto failed_at_pair;

call: /* a rule that is a C function */
    status = pc[1].rule->compiled(worker, left, right);
    if (inpla_likely(status == INPLA_OK))
        NEXT;
    /* What it fails with it has reported, unless it is out of memory. */
    if (status == INPLA_ERROR_HEAP || status == INPLA_ERROR_STACK)
        goto failed;
    goto end;

numbers:
    reason.kind = FAILURE_NUMBERS;
    goto failed_at_pair;

#if !HAS_COMPUTED_JUMPS
execute:
    switch ((code_operation)pc->operation) {
    case CODE_OPERATION_COUNT:
        break;
#endif
#include "machine/operation_start.h"

#include "machine/operation_number.h"

#include "machine/operation_jump.h"

#include "machine/operation_cell.h"

#include "machine/operation_connect.h"
#if !HAS_COMPUTED_JUMPS
    }
#endif

lacking: /* a number in a port, of which nothing has been changed yet */
    if (machine_postpone(worker, r, reason)) {
        count--;
        goto next;
    }
    goto failed;
failed_at_pair:
    count--;
    goto report;
failed: /* in the middle of a rule: the pair may no longer be what it was */
    if (reason.kind == FAILURE_MEMORY)
        reason.rule = rules_find_code(run, pc);
report:
    failure_set(worker, (inpla_pair){left, right}, reason);
end:
    worker->interactions += count;
    return NULL;
}

code_word machine_word(code_operation which)
{
#if HAS_COMPUTED_JUMPS
    return (code_word){.label = execute(NULL, (inpla_pair){NULL, NULL}, 0)[which]};
#else
    return (code_word){.operation = which};
#endif
}

void inplaR_reduce(inpla_worker *worker)
{
    inpla_pair pair;
    if (inpla_next(worker, &pair))
        execute(worker, pair, 0);
}

inpla_status machine_reduce(language *run)
{
    inpla_status status;
    do
        status = inpla_reduce(run->net);
    while (status == INPLA_OK && postponed_push(run));
    postponed_forget(run); /* there are none, unless something has failed */
    return inpla_get_failed(run->net).status != INPLA_OK ? inpla_get_failed(run->net).status : status;
}

inpla_status machine_reduce_pair(inpla_worker *worker, inpla_pair pair)
{
    /* Attention makes the loop look closer before the next pair, and there it ends. */
    __atomic_store_n(&worker->shared.attention, 1, __ATOMIC_RELAXED);
    execute(worker, pair, 1);
    __atomic_store_n(&worker->shared.attention, 0, __ATOMIC_RELAXED);
    const language *run = worker->user;
    return inpla_get_failed(run->net).status;
}
