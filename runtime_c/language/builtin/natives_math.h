/*
 * natives_math.h - the mathematical native functions, on doubles.
 */
#ifndef INPLA_NATIVES_MATH_H
#define INPLA_NATIVES_MATH_H

double natives_exp(double x);
double natives_log(double x);
double natives_sqrt(double x);
double natives_erf(double x);
double natives_tanh(double x);
double natives_sigmoid(double x);
double natives_pow(double x, double y);
double natives_elu(double x, double alpha);
double natives_gelu(double x);
double natives_gelu_tanh(double x);

#endif
