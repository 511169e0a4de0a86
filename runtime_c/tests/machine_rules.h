/*
 * machine_rules.h - rules written by hand as a compiler would write them, for tests and measures of the engine with
 * INPLA_VALUES. The pair that the last connection of a rule makes is reduced by a tail call.
 *
 *   fib(r) >< (int n) | n < 2 => r~n | _ => fib(a)~n-1, fib(b)~n-2, Add(r,b)~a;
 *   ack(r) >< (int m, int n) | m == 0 => r~n+1 | n == 0 => ack(r)~(m-1,1) | _ => ack(c)~(m,n-1), a2(r,m-1)~c;
 *   a2(r, int m) >< (int n) => ack(r)~(m,n);
 *   uack(r, y) >< Z => r~S(y);        uack(r, y) >< S(x) => ua2(r,x)~y;
 *   ua2(r, x) >< Z => uack(r,S(Z))~x; ua2(r, x) >< S(y) => Dup(a,b)~x, uack(r,w)~a, uack(w,y)~S(b);
 *   ins(r, int x) >< [] => r~[x];     ins(r, int x) >< (int y):ys | x<=y => r~x:y:ys | _ => r~y:c, ins(c,x)~ys;
 *   sort(r) >< [] => r~[];            sort(r) >< (int x):xs => sort(s)~xs, ins(r,x)~s;
 *   bs(r) >< [] => r~[];              bs(r) >< x:xs => pass(r,x)~xs;
 *   pass(r, int x) >< [] => r~[x];    pass(r, int x) >< (int y):ys => sw(r,x,y)~ys;
 *   sw(r, int x, int y) >< [] | x <= y => r~[x,y] | _ => r~[y,x];
 *   sw(r, int x, int y) >< (int z):zs | x <= y => r~x:c, sw(c,y,z)~zs | _ => r~y:c, sw(c,x,z)~zs;
 *
 * with bubble sort as  bsort(r, int n) >< list | n == 0 => r~list | _ => bsort(r, n-1)~s, bs(s)~list, that is, n passes;
 * the agent is bsort(r, list) >< (int n) here, and ack(r, m) >< (int n).
 */
#ifndef MACHINE_RULES_H
#define MACHINE_RULES_H

#include "inpla_value.h"

enum machine_agent {
    NIL = INPLA_BUILTIN_COUNT, /* or Z */
    CONS,
    S,
    FIRST_WITH_RULES,
    FIB = FIRST_WITH_RULES,
    ADD,
    ADD_TO,
    ACK,
    A2,
    SORT,
    INS,
    BSORT,
    BS,
    PASS,
    SW,
    UACK,
    UA2,
    MACHINE_AGENTS
};

/* The pair; worker->interactions already counts it. */
static inpla_status interact(inpla_worker *worker, inpla_cell *left, inpla_cell *right);

/* The last connection of a rule. */
static inline inpla_status last(inpla_worker *worker, inpla_cell *a, inpla_cell *b)
{
    const inpla_meeting meeting = inpla_meet(worker, &a, &b);
    if (meeting == INPLA_WAITS)
        return INPLA_OK;
    if (inpla_unlikely(meeting == INPLA_UNDECIDED))
        return inplaW_connect(worker, a, b);
    const inpla_pair pair = inpla_as_pair(a, b);
    if (inpla_unlikely(inpla_is_wanted(worker)))
        return inpla_push(worker, pair.left, pair.right);
    worker->interactions++;
    return interact(worker, pair.left, pair.right);
}

static inline inpla_cell *number(int64_t n)
{
    return inpla_of_int(n);
}

static inline inpla_cell *port(inpla_cell *cell, unsigned i)
{
    return inpla_ports(cell)[i].cell;
}

static inline int64_t int_port(inpla_cell *cell, unsigned i)
{
    return inpla_int_of(inpla_ports(cell)[i].cell);
}

static inline inpla_cell *fill2(inpla_cell *cell, inpla_cell *a, inpla_cell *b)
{
    inpla_ports(cell)[0].cell = a;
    inpla_ports(cell)[1].cell = b;
    return cell;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

/* The tail call fib(a)~n-1 is a loop in the cell of the pair. */
static inpla_status fib(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0);
    int64_t n = inpla_int_of(right);
    for (; n >= 2; n--) {
        inpla_cell *other = inpla_new(worker, FIB, 1), *add = inpla_new(worker, ADD, 2), *b = inpla_wire(worker);
        if (inpla_unlikely(other == NULL || add == NULL || b == NULL))
            return INPLA_ERROR_HEAP;
        inpla_ports(other)[0].cell = b;
        r = fill2(add, r, b);
        const inpla_status status = inpla_push(worker, other, number(n - 2));
        if (inpla_unlikely(status != INPLA_OK))
            return status;
        worker->interactions++;
    }
    inpla_free(worker, left, 1);
    return last(worker, r, number(n));
}

static inpla_status add(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *add_to = inpla_reuse(left, ADD_TO, 2);
    inpla_cell *b = port(add_to, 1);
    inpla_ports(add_to)[1].cell = right;
    return last(worker, add_to, b);
}

static inpla_status add_to(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0);
    const int64_t sum = int_port(left, 1) + inpla_int_of(right);
    inpla_free(worker, left, 2);
    return last(worker, r, number(sum));
}

static inpla_status ack(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0);
    int64_t m = int_port(left, 1), n = inpla_int_of(right);
    while (m != 0) {
        worker->interactions++;
        if (n == 0) {
            m--;
            n = 1;
            continue;
        }
        inpla_cell *a2 = inpla_new(worker, A2, 2);
        if (inpla_unlikely(a2 == NULL))
            return INPLA_ERROR_HEAP;
        r = fill2(a2, r, number(m - 1));
        n--;
    }
    inpla_free(worker, left, 2);
    return last(worker, r, number(n + 1));
}

static inpla_status a2(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    worker->interactions++;
    return ack(worker, inpla_reuse(left, ACK, 2), right);
}

static inpla_status uack_zero(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0);
    inpla_ports(left)[0].cell = port(left, 1);
    inpla_free(worker, right, 0);
    return last(worker, r, inpla_reuse(left, S, 1));
}

static inpla_status uack(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *y = port(left, 1);
    inpla_ports(left)[1].cell = port(right, 0);
    inpla_free(worker, right, 1);
    return last(worker, inpla_reuse(left, UA2, 2), y);
}

static inpla_status ua2_zero(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *x = port(left, 1), *one = inpla_new(worker, S, 1);
    if (inpla_unlikely(one == NULL))
        return INPLA_ERROR_HEAP;
    inpla_ports(one)[0].cell = right;
    inpla_ports(left)[1].cell = one;
    return last(worker, inpla_reuse(left, UACK, 2), x);
}

static inpla_status ua2(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0), *x = port(left, 1), *y = port(right, 0);
    inpla_cell *outer = inpla_reuse(left, UACK, 2), *one = right, *inner = inpla_new(worker, UACK, 2);
    inpla_cell *w = inpla_wire(worker), *b = inpla_wire(worker), *dup = inpla_new(worker, INPLA_DUP, 2);
    if (inpla_unlikely(inner == NULL || w == NULL || b == NULL || dup == NULL))
        return INPLA_ERROR_HEAP;
    fill2(outer, r, w);
    fill2(inner, w, y);
    fill2(dup, outer, b);
    inpla_ports(one)[0].cell = b;
    const inpla_status status = inpla_connect(worker, dup, x);
    return status != INPLA_OK ? status : last(worker, inner, one);
}

/* r ~ x:xs, where the cell `cons` may be used: in the wire r, if it waits, so that a worker's lists come to lie in its own
 * cells. */
static inline inpla_status emit(inpla_worker *worker, inpla_cell *r, inpla_cell *cons, inpla_cell *x, inpla_cell *xs)
{
    if (inpla_likely(inpla_may_become(worker, r))) {
        inpla_free(worker, cons, 2);
        inpla_become_2(r, inpla_head(CONS, 2), x, xs);
        return INPLA_OK;
    }
    return inpla_connect(worker, r, fill2(cons, x, xs));
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

/* r ~ [x], in the cells of the pair, of which the right one is []. */
static inline inpla_status end_list(inpla_worker *worker, inpla_cell *left, inpla_cell *right, inpla_cell *r,
                                    inpla_cell *x)
{
    inpla_cell *list = fill2(inpla_reuse(left, CONS, 2), x, right);
    return last(worker, r, list);
}

static inpla_status ends(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0);
    inpla_free(worker, left, 1);
    return last(worker, r, right);
}

static inpla_status sort(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0), *x = port(right, 0), *xs = port(right, 1);
    inpla_ports(left)[0].cell = fill2(inpla_reuse(right, INS, 2), r, x);
    return last(worker, left, xs);
}

static inpla_status ins_nil(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    return end_list(worker, left, right, port(left, 0), port(left, 1));
}

static inpla_status ins(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0);
    if (int_port(left, 1) <= int_port(right, 0))
        return last(worker, r, fill2(inpla_reuse(left, CONS, 2), port(left, 1), right));
    inpla_cell *y = port(right, 0), *ys = port(right, 1), *c = inpla_wire(worker);
    if (inpla_unlikely(c == NULL))
        return INPLA_ERROR_HEAP;
    inpla_ports(left)[0].cell = c;
    const inpla_status status = emit(worker, r, right, y, c);
    return status != INPLA_OK ? status : last(worker, left, ys);
}

static inpla_status bsort(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0), *list = port(left, 1);
    const int64_t n = inpla_int_of(right);
    if (n == 0) {
        inpla_free(worker, left, 2);
        return last(worker, r, list);
    }
    inpla_cell *s = inpla_wire(worker), *bs = inpla_new(worker, BS, 1);
    if (s == NULL || bs == NULL)
        return INPLA_ERROR_HEAP;
    inpla_ports(bs)[0].cell = inpla_ports(left)[1].cell = s;
    inpla_status status = inpla_push(worker, left, number(n - 1));
    return status != INPLA_OK ? status : last(worker, bs, list);
}

static inpla_status bs(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *x = port(right, 0), *xs = port(right, 1);
    inpla_free(worker, right, 2);
    inpla_cell *pass = inpla_reuse(left, PASS, 2);
    inpla_ports(pass)[1].cell = x;
    return last(worker, pass, xs);
}

static inpla_status pass(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0), *x = port(left, 1), *y = port(right, 0), *ys = port(right, 1);
    inpla_free(worker, left, 2);
    inpla_free(worker, right, 2);
    inpla_cell *sw = inpla_new(worker, SW, 3);
    if (inpla_unlikely(sw == NULL))
        return INPLA_ERROR_HEAP;
    fill2(sw, r, x);
    inpla_ports(sw)[2].cell = y;
    return last(worker, sw, ys);
}

static inpla_status sw_nil(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0), *x = port(left, 1), *y = port(left, 2);
    const int is_ordered = inpla_int_of(x) <= inpla_int_of(y);
    inpla_free(worker, left, 3);
    inpla_cell *first = inpla_new(worker, CONS, 2), *second = inpla_new(worker, CONS, 2);
    if (inpla_unlikely(first == NULL || second == NULL))
        return INPLA_ERROR_HEAP;
    fill2(second, is_ordered ? y : x, right);
    return last(worker, r, fill2(first, is_ordered ? x : y, second));
}

static inpla_status sw(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    inpla_cell *r = port(left, 0), *x = port(left, 1), *y = port(left, 2), *z = port(right, 0), *zs = port(right, 1);
    const int is_ordered = inpla_int_of(x) <= inpla_int_of(y);
    inpla_cell *c = inpla_wire(worker);
    if (inpla_unlikely(c == NULL))
        return INPLA_ERROR_HEAP;
    fill2(left, c, is_ordered ? y : x);
    inpla_ports(left)[2].cell = z;
    const inpla_status status = emit(worker, r, right, is_ordered ? x : y, c);
    return status != INPLA_OK ? status : last(worker, left, zs);
}

/* --- which rule ---------------------------------------------------------------------------------------------------- */

static inpla_status no_rule(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    const inpla_status status = inpla_builtin_rule(worker, left, right);
    const inpla_failed failed = {status, left, right, 0};
    return status == INPLA_OK ? status : inpla_fail(worker, failed);
}

typedef struct {
    inpla_rule with_int;
    inpla_rule with_nil;
    inpla_rule with_cons; /* or S */
} machine_row;

static const machine_row machine_rules[MACHINE_AGENTS] = {
    {no_rule, no_rule, no_rule}, {no_rule, no_rule, no_rule}, {no_rule, no_rule, no_rule}, {no_rule, no_rule, no_rule},
    {no_rule, no_rule, no_rule}, {fib, no_rule, no_rule},     {add, no_rule, no_rule},     {add_to, no_rule, no_rule},
    {ack, no_rule, no_rule},     {a2, no_rule, no_rule},      {no_rule, ends, sort},       {no_rule, ins_nil, ins},
    {bsort, no_rule, no_rule},   {no_rule, ends, bs},         {no_rule, ins_nil, pass},    {no_rule, sw_nil, sw},
    {no_rule, uack_zero, uack},  {no_rule, ua2_zero, ua2},
};

static inpla_status interact(inpla_worker *worker, inpla_cell *left, inpla_cell *right)
{
    if (inpla_is_number(right))
        return inpla_is_number(left) ? no_rule(worker, left, right)
                                     : machine_rules[inpla_agent_of(left)].with_int(worker, left, right);
    if (inpla_agent_of(left) < FIRST_WITH_RULES) {
        inpla_cell *const other = left;
        left = right;
        right = other;
    }
    const machine_row *row = &machine_rules[inpla_agent_of(left)];
    switch (inpla_agent_of(right)) {
    case CONS:
    case S:
        return row->with_cons(worker, left, right);
    case NIL:
        return row->with_nil(worker, left, right);
    default:
        return no_rule(worker, left, right);
    }
}

#endif
