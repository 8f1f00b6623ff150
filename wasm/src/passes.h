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
} step_character;

/* The characters of a run, in three columns of the same size that take turns. */
typedef struct {
    const wwho_normalizing *it;
    step_character *now, *next, *spare;
    size_t n, room, made,
        lost;         /* characters in `now`; room in each column; characters in `next`; characters that vanished before any was written */
    bool whole, full; /* the run ends a part; there was no room for all characters */
    bool apart;       /* what follows the run does not depend on it, nor the run on what follows */
} character_run;

/* Return the character at a place before the end; *width becomes its width in bytes. A byte of broken UTF-8 becomes 0x110000 plus the
 * byte, a character that no step knows. */
static HOT uint32_t character_at(const wwho_normalizing *it, size_t at, uint32_t *width) {
    uint32_t code_point;
    *width = utf8_next(it->text + at, it->end - at, &code_point);
    return *width == 1 && code_point == REPLACEMENT ? 0x110000u + it->text[at] : code_point;
}

/* Return the class of a character between steps; a byte of broken UTF-8 has that of U+FFFD. */
static HOT uint32_t class_at(const wwho_normalizing *it, uint32_t code_point) {
    return class_of(it->classes, code_point < BROKEN ? code_point : REPLACEMENT);
}

/* Write a character of n bytes, the first in the lowest byte of `bytes`, to the output, with its source for each byte and its origin for
 * the first. There must be room for four bytes; it->n grows by n. */
static HOT void write_bytes(wwho_normalizing *it, uint32_t bytes, uint32_t n, uint32_t source, uint32_t origin) {
    const uint32_t sources[4] = {source, source, source, source}, origins[4] = {origin, WWHO_NONE, WWHO_NONE, WWHO_NONE};
    copy_bytes(it->to.out + it->n, &bytes, 4);
    if (it->to.sources) copy_bytes(it->to.sources + it->n, sources, 16);
    if (it->to.origins) copy_bytes(it->to.origins + it->n, origins, 16);
    it->n += n;
}

/* Return the code point that stands for a byte in the alphabet of ByteLevel (GPT-2's bytes_to_unicode). */
WWHO_LOCAL uint32_t stand_in(uint32_t byte);

/* Return the character that two characters compose to, by the map's pairs or, if its flags say so, as Hangul; WWHO_NONE if they do not
 * compose. */
WWHO_LOCAL uint32_t composed(const wwho_step *step, uint32_t first, uint32_t second);

/* Return true if a map has pairs to compose, or composes Hangul. */
WWHO_LOCAL bool composes(const wwho_step *step);

/* Return true if a step ENDS strips this character from the ends of a part. */
WWHO_LOCAL bool is_stripped(const wwho_step *step, uint32_t code_point);

/* Write the code points that a map turns a character into in front of `end`, or, if pairs compose it, the characters that they compose it
 * from. There must be room for 2 * MAX_TARGETS before `end`. Returns where they start. They are more than MAX_TARGETS if pairs form a
 * cycle, which is an error of the artifact. */
WWHO_LOCAL uint32_t *take_apart(const wwho_step *step, uint32_t code_point, uint32_t *end);

/* Apply all steps to a run, and write the characters that are certain to the output: all of them if the run is `complete`, else those
 * before the last one with an origin. it->at moves to `end`, the place in the text after the run, or to that origin. Returns false if
 * nothing is certain, or if there is no room (it->full). run->now and run->next take turns as input and output of the steps. */
WWHO_LOCAL bool normalize_run(wwho_normalizing *it, character_run *run, size_t end, bool complete);

#endif
