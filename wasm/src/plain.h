/* The table of characters whose results are certain whatever else is in the text. */
#ifndef WWHO_PLAIN_H
#define WWHO_PLAIN_H

#include "rewriting.h"

/* Fill in the plain table of a list of steps, list->plain, if it has one: what each character below PLAIN becomes, whatever else is in the
 * text. Needs the tables of the automata. */
WWHO_LOCAL void put_plain(const wwho_rewrites *list, const wwho_classes *classes);

#endif
