/*
 * inpla_all.c - the whole engine as one translation unit; what a bundle includes.
 *
 * All that is not in inpla.h and inpla_rule.h is static; with INPLA_API defined as `static` everything is.
 */
#define INPLA_FUNC static

#include "inpla_api.c"
#include "inpla_builtin.c"
#include "inpla_chains.c"
#include "inpla_grow.c"
#include "inpla_hands.c"
#include "inpla_heap.c"
#include "inpla_homes.c"
#include "inpla_image.c"
#include "inpla_message.c"
#include "inpla_post.c"
#include "inpla_reduce.c"
#include "inpla_share.c"
#include "inpla_threads.c"
#include "inpla_wire.c"
