/*
 * build.h - a net's nodes become cells, and its connections active pairs.
 */
#ifndef INPLA_BUILD_H
#define INPLA_BUILD_H

#include "run/language.h"

/*
 * Builds what expression_evaluate has left of the net's connections and puts the active pairs on worker 0's list. What
 * a name may not do has been checked: nothing but memory can be wrong. 0: it is exhausted.
 */
int build_net(language *run, const statement *net);

#endif
