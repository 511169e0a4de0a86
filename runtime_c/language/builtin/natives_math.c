/*
 * natives_math.c - the functions of the kernels, so that a script computes what its bundle computes. They stand in the
 * order in which they call each other; to be compiled with -ffp-contract=off, as in bundles.
 */
#include "builtin/natives_math.h"

#include <stdint.h>

#include "../../../templates/kernels/functions/math_bits.c"
#include "../../../templates/kernels/functions/math_of_bits.c"
#include "../../../templates/kernels/functions/math_power_of_2.c"
#include "../../../templates/kernels/functions/math_short.c"
#include "../../../templates/kernels/functions/math_split.c"
#include "../../../templates/kernels/functions/math_is_odd.c"
#include "../../../templates/kernels/functions/math_exp_sum.c"
#include "../../../templates/kernels/functions/math_log_sum.c"
#include "../../../templates/kernels/functions/math_exp.c"
#include "../../../templates/kernels/functions/math_pow_positive.c"
#include "../../../templates/kernels/functions/math_elu.c"
#include "../../../templates/kernels/functions/math_erf.c"
#include "../../../templates/kernels/functions/math_gelu.c"
#include "../../../templates/kernels/functions/math_log.c"
#include "../../../templates/kernels/functions/math_pow.c"
#include "../../../templates/kernels/functions/math_sigmoid.c"
#include "../../../templates/kernels/functions/math_sqrt.c"
#include "../../../templates/kernels/functions/math_tanh.c"
#include "../../../templates/kernels/functions/math_gelu_tanh.c"

double natives_exp(double x)
{
    return math_exp(x);
}

double natives_log(double x)
{
    return math_log(x);
}

double natives_sqrt(double x)
{
    return math_sqrt(x);
}

double natives_erf(double x)
{
    return math_erf(x);
}

double natives_tanh(double x)
{
    return math_tanh(x);
}

double natives_sigmoid(double x)
{
    return math_sigmoid(x);
}

double natives_pow(double x, double y)
{
    return math_pow(x, y);
}

double natives_elu(double x, double alpha)
{
    return math_elu(x, alpha);
}

double natives_gelu(double x)
{
    return math_gelu(x);
}

double natives_gelu_tanh(double x)
{
    return math_gelu_tanh(x);
}
