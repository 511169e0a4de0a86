/*
 * operation_number.h - arithmetic. A fragment of `execute` (machine.c).
 */
OPERATION(MOVE)
{
    R(0) = R(1);
    GO(2);
}

OPERATION(SET)
{
    R(0) = pc[2].value;
    GO(3);
}

OPERATION(ADD)
{
    R(0) = number_add(R(1), R(2));
    GO(3);
}

OPERATION(SUB)
{
    R(0) = number_subtract(R(1), R(2));
    GO(3);
}

OPERATION(MUL)
{
    R(0) = number_multiply(R(1), R(2));
    GO(3);
}

#define DIVISION(name, operate)                              \
    OPERATION(name)                                          \
    {                                                        \
        if (inpla_unlikely(inpla_int_of(R(2)) == 0)) {       \
            reason = (failure){.kind = FAILURE_DIVISION, .rule = pc[3].rule}; \
            goto failed;                                     \
        }                                                    \
        R(0) = operate(R(1), R(2));                          \
        GO(4);                                               \
    }
DIVISION(DIV, number_divide)
DIVISION(MOD, number_remainder)
#undef DIVISION

/* The constant is twice the number: what it adds to the word of an integer. */
OPERATION(ADD_BY)
{
    R(0) = (inpla_cell *)((uintptr_t)R(1) + (uintptr_t)pc[2].number);
    GO(3);
}

OPERATION(MUL_BY)
{
    R(0) = (inpla_cell *)(((uintptr_t)R(1) - 1) * (uintptr_t)pc[2].number + 1);
    GO(3);
}

OPERATION(DIV_BY)
{
    R(0) = inpla_of_int(inpla_int_of(R(1)) / pc[2].number);
    GO(3);
}

OPERATION(MOD_BY)
{
    R(0) = inpla_of_int(inpla_int_of(R(1)) % pc[2].number);
    GO(3);
}

OPERATION(NEGATE)
{
    R(0) = number_negate(R(1));
    GO(2);
}

#define REAL_OPERATION(name, operation)                           \
    OPERATION(name)                                               \
    {                                                             \
        const float x = inpla_float_of(R(1)), y = inpla_float_of(R(2)); \
        R(0) = inpla_of_float(operation);                         \
        GO(3);                                                    \
    }
REAL_OPERATION(REAL_ADD, x + y)
REAL_OPERATION(REAL_SUB, x - y)
REAL_OPERATION(REAL_MUL, x *y)
REAL_OPERATION(REAL_DIV, x / y)
REAL_OPERATION(REAL_MOD, fmodf(x, y))
#undef REAL_OPERATION

OPERATION(REAL_NEGATE)
{
    R(0) = inpla_of_float(-inpla_float_of(R(1)));
    GO(2);
}

OPERATION(TO_REAL)
{
    R(0) = inpla_of_float((float)inpla_int_of(R(1)));
    GO(2);
}

OPERATION(RANDOM)
{
    inpla_cell *const number = number_random_below(R(1));
    if (number == NULL) {
        reason = (failure){.kind = FAILURE_DIVISION, .rule = pc[2].rule};
        goto failed;
    }
    R(0) = number;
    GO(3);
}

OPERATION(NATIVE)
{
    inpla_cell *const result = machine_call_native(worker, HALF(1), r, pc + 4, HALF(3));
    if (result == NULL) {
        reason = (failure){.kind = FAILURE_NATIVE, .what = HALF(2), .rule = pc[3].rule};
        goto failed;
    }
    R(0) = result;
    GO(4 + (HALF(3) + 1) / 2);
}

OPERATION(UNKNOWN_NATIVE)
{
    reason = (failure){.kind = FAILURE_NATIVE, .what = HALF(0), .rule = pc[2].rule};
    goto failed;
}
