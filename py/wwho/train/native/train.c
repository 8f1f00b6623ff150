/* The amalgamation of the trainer; it is compiled in one piece with the core's wwho.c. */
#include "train.h"

#include "src/cache.h"
#include "src/encode.h"
#include "src/utf8.h"

#include <stdlib.h>
#include <string.h>

#include "words.c"
#include "count.c"
#include "routes.c"
#include "pairs.c"
#include "merger.c"
#include "phrases.c"
