/*
 * operation_start.h - how a rule starts. A fragment of `execute` (machine.c).
 */
OPERATION(SWAP)
{
    inpla_cell *const other = left;
    left = right;
    right = other;
    GO(1);
}

OPERATION(ENTER)
{
    inpla_cell **to = r + CODE_FIRST_PORT;
    r[CODE_LEFT] = left;
    r[CODE_RIGHT] = right;
    for (uint32_t i = 0; i < HALF(0); i++)
        *to++ = inpla_ports(left)[i].cell;
    for (uint32_t i = 0; i < HALF(1); i++)
        *to++ = inpla_ports(right)[i].cell;
    GO(2);
}

#define LOAD(from, ports, i, place) \
    if ((i) < (ports))              \
    r[(place)] = inpla_ports(from)[i].cell
#define ENTER(name, left_ports, right_ports)                \
    OPERATION(name)                                         \
    {                                                       \
        r[CODE_LEFT] = left;                                \
        r[CODE_RIGHT] = right;                              \
        LOAD(left, left_ports, 0, 2);                       \
        LOAD(left, left_ports, 1, 3);                       \
        LOAD(left, left_ports, 2, 4);                       \
        LOAD(right, right_ports, 0, 2 + (left_ports));      \
        LOAD(right, right_ports, 1, 3 + (left_ports));      \
        GO(1);                                              \
    }
ENTER(ENTER_00, 0, 0)
ENTER(ENTER_01, 0, 1)
ENTER(ENTER_02, 0, 2)
ENTER(ENTER_10, 1, 0)
ENTER(ENTER_11, 1, 1)
ENTER(ENTER_12, 1, 2)
ENTER(ENTER_20, 2, 0)
ENTER(ENTER_21, 2, 1)
ENTER(ENTER_22, 2, 2)
ENTER(ENTER_30, 3, 0)
ENTER(ENTER_31, 3, 1)
ENTER(ENTER_32, 3, 2)
#undef ENTER
#undef LOAD

OPERATION(INT)
{
    if (inpla_unlikely(!inpla_is_int(R(0))) && !machine_take_int(worker, r, HALF(0), &reason)) {
        reason.rule = pc[2].rule;
        goto lacking;
    }
    GO(3);
}

OPERATION(INT2)
{
    if (inpla_unlikely(!inpla_is_int(R(0)) || !inpla_is_int(R(1))))
        for (uint32_t i = 0; i < 2; i++)
            if (!machine_take_int(worker, r, HALF(i), &reason)) {
                reason.rule = pc[2].rule;
                goto lacking;
            }
    GO(3);
}

OPERATION(REAL)
{
    if (inpla_unlikely(!inpla_is_float(R(0))) && !machine_take_real(worker, r, HALF(0), &reason)) {
        reason.rule = pc[2].rule;
        goto lacking;
    }
    GO(3);
}

/* A built-in rule, or one compiled to C. */
OPERATION(CALL)
{
    goto call;
}

/* Add(r,b) ~ m, and _Add(r,m) ~ n at once where b is an integer already. */
#define AGENT_START(name, operate, waiting)                                                 \
    OPERATION(name)                                                                         \
    {                                                                                       \
        inpla_word *const ports = inpla_ports(left);                                        \
        inpla_cell *const n = inpla_reach(worker, ports[1].cell), *const any = ports[0].cell; \
        if (inpla_likely(inpla_is_int(n))) {                                                \
            inpla_cell *const answer = operate(n, right);                                   \
            count++;                                                                        \
            inpla_free(worker, left, 2);                                                    \
            MEET_NUMBER(any, answer);                                                       \
        }                                                                                   \
        ports[1].cell = n;                                                                  \
        if (inpla_is_number(n) || !inpla_is_own_wire(worker, n))                             \
            goto call;                                                                      \
        ports[1].cell = right;                                                              \
        left->head = inpla_head(waiting, 2);                                                \
        inpla_set_first(n, left);                                                           \
        NEXT;                                                                               \
    }
AGENT_START(BUILTIN_ADD, number_add, AGENT_ADD_TO)
AGENT_START(BUILTIN_SUB, number_subtract, AGENT_SUB_FROM)
AGENT_START(BUILTIN_MUL, number_multiply, AGENT_MUL_BY)
#undef AGENT_START

/* _Add(r,m) ~ n */
#define AGENT_END(name, operate)                                                            \
    OPERATION(name)                                                                         \
    {                                                                                       \
        inpla_cell *const m = inpla_ports(left)[1].cell, *const any = inpla_ports(left)[0].cell; \
        if (inpla_unlikely(!inpla_is_int(m)))                                               \
            goto call;                                                                      \
        inpla_cell *const answer = operate(right, m);                                       \
        inpla_free(worker, left, 2);                                                        \
        MEET_NUMBER(any, answer);                                                           \
    }
AGENT_END(BUILTIN_ADD_TO, number_add)
AGENT_END(BUILTIN_SUB_FROM, number_subtract)
AGENT_END(BUILTIN_MUL_BY, number_multiply)
#undef AGENT_END

OPERATION(NO_RULE)
{
    reason.kind = FAILURE_NO_RULE;
    goto failed_at_pair;
}
