/* The amalgamation of the trainer. */
#include "train.h"

#include "core.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE 0xFFFFFFFFu

enum {
    MAX_ATOM = 255,   /* bytes of an atom, */
    MAX_TOKEN = 1024, /* of any token, */
    MAX_IDS = 1 << 21 /* and ids, at most: FORMAT.md, Limits */
};

#include "words.c"
#include "count.c"
#include "merger.c"
#include "phrases.c"
#include "logarithm.c"
#include "suffixes.c"
#include "unigram.c"
