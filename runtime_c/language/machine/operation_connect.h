/*
 * operation_connect.h - connections, and how a rule ends. A fragment of `execute` (machine.c).
 */
OPERATION(PUSH)
{
    if (inpla_unlikely(inpla_push(worker, R(0), R(1)) != INPLA_OK))
        goto failed;
    GO(2);
}

#define CONNECTION(name, join, words)                                                      \
    OPERATION(name)                                                                        \
    {                                                                                      \
        inpla_pair met;                                                                    \
        if (join && inpla_unlikely(inpla_push(worker, met.left, met.right) != INPLA_OK))   \
            goto failed;                                                                   \
        GO(words);                                                                         \
    }
CONNECTION(MEET, machine_meet(worker, R(0), R(1), &met), 2)
CONNECTION(JOIN, inpla_join(worker, R(0), R(1), &met), 2)
#undef CONNECTION

#define NUMBER_CONNECTION(name, known, words)                                                              \
    OPERATION(name)                                                                                        \
    {                                                                                                      \
        inpla_cell *const number = known, *const partner = machine_meet_number(worker, R(0), number);      \
        if (partner != NULL && inpla_unlikely(inpla_push(worker, partner, number) != INPLA_OK))            \
            goto failed;                                                                                   \
        GO(words);                                                                                         \
    }
NUMBER_CONNECTION(MEET_NUMBER, R(1), 2)
NUMBER_CONNECTION(MEET_WITH, pc[2].value, 3)
#undef NUMBER_CONNECTION

OPERATION(PUSH_PLUS)
{
    inpla_cell *const number = (inpla_cell *)((uintptr_t)R(1) + (uintptr_t)pc[2].number);
    if (inpla_unlikely(inpla_push(worker, R(0), number) != INPLA_OK))
        goto failed;
    GO(3);
}

/* A new agent: where a wire's first end is connected, the agent is built in the wire's cell. */
#define MEET_NEW(name, ports, head_word, become, fill, on_wire, on_pair)            \
    OPERATION(name)                                                                 \
    {                                                                               \
        const uintptr_t head = pc[head_word].head;                                  \
        inpla_cell *cell = R(0);                                                    \
        inpla_pair met;                                                             \
        if (inpla_likely(inpla_may_become(worker, cell))) {                         \
            become;                                                                 \
            on_wire;                                                                \
        }                                                                           \
        cell = inpla_take(worker, head, ports);                                     \
        if (inpla_unlikely(cell == NULL))                                           \
            goto failed;                                                            \
        fill;                                                                       \
        if (!machine_meet(worker, R(0), cell, &met))                                \
            on_wire;                                                                \
        on_pair;                                                                    \
    }
#define BECOME_0 inpla_become_0(cell, head)
#define BECOME_1 inpla_become_1(cell, head, R(1))
#define BECOME_2 inpla_become_2(cell, head, R(1), R(2))
#define FILL_0
#define FILL_1 inpla_ports(cell)[0].cell = R(1)
#define FILL_2 FILL_1; inpla_ports(cell)[1].cell = R(2)
#define PUSH_AND_GO(words)                                                          \
    if (inpla_unlikely(inpla_push(worker, met.left, met.right) != INPLA_OK))        \
        goto failed;                                                                \
    GO(words)
#define REDUCE_PAIR REDUCE(met.left, met.right)
MEET_NEW(MEET_NEW_0, 0, 2, BECOME_0, FILL_0, GO(3), PUSH_AND_GO(3))
MEET_NEW(MEET_NEW_1, 1, 2, BECOME_1, FILL_1, GO(3), PUSH_AND_GO(3))
MEET_NEW(MEET_NEW_2, 2, 3, BECOME_2, FILL_2, GO(4), PUSH_AND_GO(4))
MEET_NEW(MEET_NEW_0_LAST, 0, 2, BECOME_0, FILL_0, NEXT, REDUCE_PAIR)
MEET_NEW(MEET_NEW_1_LAST, 1, 2, BECOME_1, FILL_1, NEXT, REDUCE_PAIR)
MEET_NEW(MEET_NEW_2_LAST, 2, 3, BECOME_2, FILL_2, NEXT, REDUCE_PAIR)
#undef REDUCE_PAIR

/* `wire` and what else is in the ports: before anything is written, as they may be in the same registers. */
#define EXTEND(name, ports, head_word, become, fill, get_wire, words)               \
    OPERATION(name)                                                                 \
    {                                                                               \
        const uintptr_t head = pc[head_word].head;                                  \
        inpla_cell *const wire = get_wire;                                          \
        inpla_cell *const any = R(0), *cell = any;                                  \
        inpla_pair met;                                                             \
        if (inpla_unlikely(wire == NULL))                                           \
            goto failed;                                                            \
        R(0) = wire;                                                                \
        if (inpla_likely(inpla_may_become(worker, cell))) {                         \
            become;                                                                 \
            GO(words);                                                              \
        }                                                                           \
        cell = inpla_take(worker, head, ports);                                     \
        if (inpla_unlikely(cell == NULL))                                           \
            goto failed;                                                            \
        fill;                                                                       \
        if (!machine_meet(worker, any, cell, &met))                                 \
            GO(words);                                                              \
        PUSH_AND_GO(words);                                                         \
    }
#define PORT_1 inpla_ports(cell)[0].cell = wire
#define PORTS_2(first) inpla_ports(cell)[0].cell = first; inpla_ports(cell)[1].cell = wire
EXTEND(EXTEND_1, 1, 2, inpla_become_1(cell, head, wire), PORT_1, inpla_wire(worker), 3)
EXTEND(EXTEND_2, 2, 2, inpla_become_2(cell, head, R(1), wire), PORTS_2(R(1)), inpla_wire(worker), 3)
EXTEND(EXTEND_1_IN, 1, 2, inpla_become_1(cell, head, wire), PORT_1, machine_make_wire(worker, R(1)), 3)
EXTEND(EXTEND_2_IN, 2, 3, inpla_become_2(cell, head, R(2), wire), PORTS_2(R(2)), machine_make_wire(worker, R(1)), 4)
#undef PORTS_2
#undef PORT_1
#undef EXTEND
#undef PUSH_AND_GO
#undef FILL_2
#undef FILL_1
#undef FILL_0
#undef BECOME_2
#undef BECOME_1
#undef BECOME_0
#undef MEET_NEW

#define LAST_CONNECTION(name, join)     \
    OPERATION(name)                     \
    {                                   \
        inpla_pair met;                 \
        if (!join)                      \
            NEXT;                       \
        REDUCE(met.left, met.right);    \
    }
LAST_CONNECTION(MEET_LAST, machine_meet(worker, R(0), R(1), &met))
LAST_CONNECTION(JOIN_LAST, inpla_join(worker, R(0), R(1), &met))
#undef LAST_CONNECTION

/* The same with a number; ANSWER gives back the left cell, a small one. */
#define LAST_NUMBER(name, known, before) \
    OPERATION(name)                      \
    {                                    \
        inpla_cell *const number = known; \
        before;                          \
        MEET_NUMBER(R(0), number);       \
    }
LAST_NUMBER(MEET_NUMBER_LAST, R(1), (void)0)
LAST_NUMBER(MEET_WITH_LAST, pc[2].value, (void)0)
LAST_NUMBER(ANSWER, R(1), inpla_free(worker, r[CODE_LEFT], 0))
LAST_NUMBER(ANSWER_WITH, pc[2].value, inpla_free(worker, r[CODE_LEFT], 0))
#undef LAST_NUMBER

OPERATION(REDUCE)
{
    REDUCE(R(0), R(1));
}

OPERATION(END)
{
    NEXT;
}

OPERATION(LOOP)
{
    if (inpla_unlikely(inpla_is_wanted(worker))) {
        for (uint32_t i = 0; i < HALF(0); i++)
            inpla_ports(r[CODE_LEFT])[i].cell = r[CODE_FIRST_PORT + i];
        left = r[CODE_LEFT];
        right = r[CODE_RIGHT];
        goto reduce;
    }
    count++;
    pc = pc[2].target;
    EXECUTE;
}

/* Register 0 leads to the next partner; counts 1 and 2: ports of the left and of the right cell. */
OPERATION(LOOP_WITH)
{
    inpla_cell *const partner = inpla_reach(worker, R(0));
    if (inpla_unlikely(inpla_is_number(partner) || inpla_head_of(partner) != pc[3].head || inpla_is_wanted(worker))) {
        inpla_pair met;
        for (uint32_t i = 0; i < HALF(1); i++)
            inpla_ports(r[CODE_LEFT])[i].cell = r[CODE_FIRST_PORT + i];
        if (!machine_meet(worker, partner, r[CODE_LEFT], &met))
            NEXT;
        REDUCE(met.left, met.right);
    }
    count++;
    r[CODE_RIGHT] = partner;
    inpla_cell **to = r + CODE_FIRST_PORT + HALF(1);
    inpla_cell *next = NULL;
    for (uint32_t i = 0; i < HALF(2); i++)
        to[i] = next = inpla_ports(partner)[i].cell;
    __builtin_prefetch(next); /* the rest of a list, where the rule will go on */
    pc = pc[4].target;
    EXECUTE;
}
