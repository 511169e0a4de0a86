/*
 * operation_connect.h - connections, and how a rule ends. A fragment of `execute` (machine.c).
 */
OPERATION(PUSH)
{
    if (inpla_unlikely(inpla_push(worker, R(0), R(1)) != INPLA_OK))
        goto failed;
    GO(2);
}

#define CONNECTION(name, join, words)                                                   \
    OPERATION(name)                                                                     \
    {                                                                                   \
        if (join && inpla_unlikely(inpla_push(worker, pair.left, pair.right) != INPLA_OK)) \
            goto failed;                                                                \
        GO(words);                                                                      \
    }
CONNECTION(MEET, machine_meet(worker, R(0), R(1), &pair), 2)
CONNECTION(MEET_WITH, machine_meet(worker, R(0), pc[2].value, &pair), 3)
CONNECTION(JOIN, inpla_join(worker, R(0), R(1), &pair), 2)
#undef CONNECTION

#define LAST_CONNECTION(name, join)    \
    OPERATION(name)                    \
    {                                  \
        if (!join)                     \
            goto next;                 \
        left = pair.left;              \
        right = pair.right;            \
        goto reduce;                   \
    }
LAST_CONNECTION(MEET_LAST, machine_meet(worker, R(0), R(1), &pair))
LAST_CONNECTION(MEET_WITH_LAST, machine_meet(worker, R(0), pc[2].value, &pair))
LAST_CONNECTION(JOIN_LAST, inpla_join(worker, R(0), R(1), &pair))
#undef LAST_CONNECTION

OPERATION(REDUCE)
{
    left = R(0);
    right = R(1);
    goto reduce;
}

OPERATION(END)
{
    goto next;
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
