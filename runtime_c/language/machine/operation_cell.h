/*
 * operation_cell.h - cells. A fragment of `execute` (machine.c).
 */
OPERATION(FREE)
{
    inpla_free(worker, R(0), HALF(1));
    GO(2);
}

OPERATION(WIRE)
{
    inpla_cell *const wire = inpla_wire(worker);
    if (inpla_unlikely(wire == NULL))
        goto failed;
    R(0) = wire;
    GO(2);
}

/* A cell of the pair becomes a wire. */
OPERATION(WIRE_IN)
{
    machine_make_wire(worker, R(0));
    GO(2);
}

#define TAKE(word, ports)                                                  \
    inpla_cell *const cell = inpla_take(worker, pc[word].head, (ports));   \
    if (inpla_unlikely(cell == NULL))                                      \
    goto failed

OPERATION(NEW_0)
{
    TAKE(2, 0);
    R(0) = cell;
    GO(3);
}

OPERATION(NEW_1)
{
    TAKE(2, 1);
    inpla_ports(cell)[0].cell = R(1);
    R(0) = cell;
    GO(3);
}

OPERATION(NEW_2)
{
    TAKE(3, 2);
    inpla_ports(cell)[0].cell = R(1);
    inpla_ports(cell)[1].cell = R(2);
    R(0) = cell;
    GO(4);
}

OPERATION(NEW_3)
{
    TAKE(3, 3);
    inpla_ports(cell)[0].cell = R(1);
    inpla_ports(cell)[1].cell = R(2);
    inpla_ports(cell)[2].cell = R(3);
    R(0) = cell;
    GO(4);
}

OPERATION(NEW)
{
    const uint32_t ports = HALF(1);
    TAKE(2, ports);
    for (uint32_t i = 0; i < ports; i++)
        inpla_ports(cell)[i].cell = r[pc[3 + i / 2].half[i % 2]];
    R(0) = cell;
    GO(3 + (ports + 1) / 2);
}
#undef TAKE

OPERATION(HEAD)
{
    R(0)->head = pc[2].head;
    GO(3);
}

OPERATION(PORT)
{
    inpla_ports(R(0))[HALF(1)].cell = R(2);
    GO(3);
}
