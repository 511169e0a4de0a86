/* What a bundle needs of <math.h>, for compilers that come without the target's C library. */
#ifndef INBUNDLE_MATH_H
#define INBUNDLE_MATH_H

#define INFINITY __builtin_inff()

float fmodf(float dividend, float divisor);

#endif
