/* The table of characters whose results are certain whatever else is in the text. */
#ifndef WWHO_PLAIN_H
#define WWHO_PLAIN_H

#include "rewriting.h"

/* Fill in `plain` of a list, after the automata are built. */
WWHO_LOCAL void put_plain(const wwho_rewrites *list, const wwho_classes *classes);

#endif
