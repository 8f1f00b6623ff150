/* What each step of a normalizer does with a run of characters. */
#ifndef WWHO_PASSES_H
#define WWHO_PASSES_H

#include "rewriting.h"

enum { MAX_TARGETS = 32 };

/* A character between two steps. */
typedef struct {
    uint32_t code_point; /* or 0x110000 + a byte of broken UTF-8 */
    uint32_t source;     /* where the character that it came from starts in the text */
    uint32_t origin;     /* where the steps may restart in the text to produce this character and what follows; WWHO_NONE: nowhere */
    int32_t change;      /* the number of characters before the step that it stands for, less one, negated; 1: an additional character */
    uint32_t order;
} passing;

/* The characters of a run, in three columns of the same size that take turns. */
typedef struct {
    const wwho_normalizing *it;
    passing *now, *next, *spare;
    size_t n, room, made,
        lost;         /* characters in `now`; room in each column; characters in `next`; characters that vanished before any was written */
    bool whole, full; /* the run ends a part; there was no room for all characters */
    bool apart;       /* what follows the run does not depend on it, nor the run on what follows */
} character_run;

/* The character at a place before the end. A byte of broken UTF-8 becomes a character that no step knows. */
static HOT uint32_t character_at(const wwho_normalizing *it, size_t at, uint32_t *width) {
    uint32_t code_point;
    *width = utf8_next(it->text + at, it->end - at, &code_point);
    return *width == 1 && code_point == REPLACEMENT ? 0x110000u + it->text[at] : code_point;
}

static HOT uint32_t class_at(const wwho_normalizing *it, uint32_t code_point) {
    return class_of(it->classes, code_point < BROKEN ? code_point : REPLACEMENT);
}

/* Write the n bytes of a character that came from `source`. There must be room for four. */
static HOT void write_bytes(wwho_normalizing *it, uint32_t bytes, uint32_t n, uint32_t source, uint32_t origin) {
    const uint32_t sources[4] = {source, source, source, source}, origins[4] = {origin, WWHO_NONE, WWHO_NONE, WWHO_NONE};
    copy_bytes(it->to.out + it->n, &bytes, 4);
    if (it->to.sources) copy_bytes(it->to.sources + it->n, sources, 16);
    if (it->to.origins) copy_bytes(it->to.origins + it->n, origins, 16);
    it->n += n;
}

/* The character that stands for a byte in ByteLevel's alphabet. */
WWHO_LOCAL uint32_t stand_in(uint32_t byte);

/* Whether a map composes any characters. */
WWHO_LOCAL bool composes(const wwho_step *step);

/* Whether ENDS strips this character. */
WWHO_LOCAL bool is_stripped(const wwho_step *step, uint32_t code_point);

/* Write what a character is mapped to, or the characters that pairs compose it from. The output ends at `end`, with room for 2 *
 * MAX_TARGETS before it. Returns its start. It is longer than MAX_TARGETS if pairs form a cycle. */
WWHO_LOCAL uint32_t *take_apart(const wwho_step *step, uint32_t code_point, uint32_t *end);

/* Pass the run through the steps, and write the part that is certain: all of it if the run is `complete`, else the text up to the last
 * origin. Returns false if nothing is certain. */
WWHO_LOCAL bool normalize_run(wwho_normalizing *it, character_run *run, size_t end, bool complete);

#endif
