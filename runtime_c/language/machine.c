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
#include "machine.h"

#include "agents.h"
#include "builtin.h"
#include "code.h"
#include "failure.h"
#include "lookup.h"
#include "machine_parts.h"
#include "natives.h"
#include "number.h"
#include "rule.h"

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
    failure reason = {FAILURE_MEMORY, 0, NULL};
    goto interact;

reduce: /* the pair that has just come up */
    if (inpla_unlikely(inpla_is_wanted(worker))) {
        if (inpla_push(worker, left, right) != INPLA_OK)
            goto failed;
        goto next;
    }
    goto interact;

next: /* a pair of the list */
    if (inpla_unlikely(worker->top == worker->low || inpla_is_wanted(worker))) {
        if (is_single)
            goto end;
        pair = inplaS_next(worker);
        if (pair.left == NULL)
            goto end;
        left = pair.left;
        right = pair.right;
    } else {
        worker->top--;
        left = worker->top->left;
        right = worker->top->right;
    }

interact:
    count++;
    if (inpla_is_number(right)) {
        if (inpla_unlikely(inpla_is_number(left))) {
            reason.kind = FAILURE_NUMBERS;
            goto failed_at_pair;
        }
        const agent_row *row = &rows[inpla_agent_of(left)];
        pc = inpla_is_int(right) ? row->with_int : row->with_float;
    } else {
        const agent_row *row = &rows[inpla_agent_of(left)];
        const uint32_t key = inpla_agent_of(right);
        const agent_rule *entry = &row->rules[key & row->mask];
        pc = entry->code;
        if (inpla_unlikely(entry->right != key)) {
            pair = (inpla_pair){left, right};
            pc = lookup_rule(run, &pair);
            left = pair.left;
            right = pair.right;
            if (pc == NULL) {
                reason.kind = FAILURE_NO_RULE;
                goto failed_at_pair;
            }
        }
    }
    EXECUTE;

#if !HAS_COMPUTED_JUMPS
execute:
    switch ((code_operation)pc->operation) {
    case CODE_OPERATION_COUNT:
        break;
#endif
#include "operation_start.h"

#include "operation_number.h"

#include "operation_jump.h"

#include "operation_cell.h"

#include "operation_connect.h"
#if !HAS_COMPUTED_JUMPS
    }
#endif

failed_at_pair:
    count--;
    goto report;
failed: /* in the middle of a rule: of the pair only its agents are still known */
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

inpla_status machine_reduce_pair(inpla_worker *worker, inpla_pair pair)
{
    /* Attention makes the loop look closer before the next pair, and there it ends. */
    __atomic_store_n(&worker->shared.attention, 1, __ATOMIC_RELAXED);
    execute(worker, pair, 1);
    __atomic_store_n(&worker->shared.attention, 0, __ATOMIC_RELAXED);
    const language *run = worker->user;
    return inpla_get_failed(run->net).status;
}
