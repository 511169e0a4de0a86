/*
 * dispose.h - `free`: disposes of the nets of interface names.
 */
#ifndef INPLA_DISPOSE_H
#define INPLA_DISPOSE_H

#include "inpla_value.h"
#include "run/language.h"

/*
 * Frees the cells of what each of the names leads to, in turn, with the interface names that occur only there. Unknown
 * names are ignored; one that stands inside the net of another name is refused with a message. OUTCOME_OK,
 * OUTCOME_WARNED, or OUTCOME_EXIT when memory is exhausted.
 */
outcome dispose_names(language *run, const symbol_id *ids, uint32_t count);

/* The same for the whole interface, in the order in which it is listed. */
outcome dispose_interface(language *run);

/* Frees the cells of a pair that is not to be reduced, and what they lead to. 0: memory is exhausted. */
int dispose_pair(language *run, inpla_pair pair);

#endif
