/*
 * operation_jump.h - comparisons that jump. Words of integers are in the order of the integers. A fragment of `execute`
 * (machine.c).
 */
OPERATION(JUMP)
{
    pc = pc[1].target;
    EXECUTE;
}

#define IF(name, condition)        \
    OPERATION(name)                \
    {                              \
        if (condition) {           \
            pc = pc[2].target;     \
            EXECUTE;               \
        }                          \
        GO(3);                     \
    }
#define IF_TO(name, compare)                                   \
    OPERATION(name)                                            \
    {                                                          \
        if ((intptr_t)R(0) compare(intptr_t) pc[2].value) {    \
            pc = pc[3].target;                                 \
            EXECUTE;                                           \
        }                                                      \
        GO(4);                                                 \
    }
IF(IF_EQ, R(0) == R(1))
IF(IF_NE, R(0) != R(1))
IF(IF_LT, (intptr_t)R(0) < (intptr_t)R(1))
IF(IF_LE, (intptr_t)R(0) <= (intptr_t)R(1))
IF_TO(IF_EQ_TO, ==)
IF_TO(IF_NE_TO, !=)
IF_TO(IF_LT_TO, <)
IF_TO(IF_LE_TO, <=)
IF_TO(IF_GT_TO, >)
IF_TO(IF_GE_TO, >=)
IF(REAL_IF_EQ, inpla_float_of(R(0)) == inpla_float_of(R(1)))
IF(REAL_IF_NE, inpla_float_of(R(0)) != inpla_float_of(R(1)))
IF(REAL_IF_LT, inpla_float_of(R(0)) < inpla_float_of(R(1)))
IF(REAL_IF_NOT_LT, !(inpla_float_of(R(0)) < inpla_float_of(R(1))))
IF(REAL_IF_LE, inpla_float_of(R(0)) <= inpla_float_of(R(1)))
IF(REAL_IF_NOT_LE, !(inpla_float_of(R(0)) <= inpla_float_of(R(1))))
#undef IF_TO
#undef IF
