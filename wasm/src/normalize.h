/* Rewriting a text with a list of steps: see rewriting.h. */
#ifndef WWHO_NORMALIZE_H
#define WWHO_NORMALIZE_H

#include "model.h"

/* Start to rewrite by a list of steps. `known`: KNOWN_LISTS times KNOWN_SLOTS, which lists share by their numbers. */
WWHO_LOCAL void start_steps(wwho_normalizing *it, const wwho_rewrites *list, const wwho_classes *classes, wwho_known *known);

/* Rewrite as much as there is room for and as is certain. Returns false if that is nothing, because `work` (16-byte aligned, `work_len`
 * bytes) or `room` is too small. */
WWHO_LOCAL bool run_steps(wwho_normalizing *it, void *work, size_t work_len);

#endif
