/* Cutting a text into pieces without a branch for each: an automaton that runs on while the ends of pieces are yet uncertain.
 *
 * A scanner looks ahead: behind the end of a match it may read on, and come back. Here, the scanner of the next piece starts at
 * that end at once, and runs beside it. A *configuration* is the states of all that run, each started at the tentative end of the
 * one before, and how many ends lie between. One step for each character gives the next configuration and, at most, one end, which takes
 * the place of `pop` tentative ones. There are few configurations: 39 at most in the shipped models; an automaton with more takes the plain
 * scanner.
 *
 * Within words nothing happens: where a configuration stays as it is over a range of ASCII letters, and every way leads to such a
 * one in a few letters (both are proved at open), only the characters at the edges of words are stepped over. */
#ifndef WWHO_STREAM_H
#define WWHO_STREAM_H

#include "automaton.h"

/* An entry is `net << 24 | pop << 16 | row`: how many more ends there are then, and the row of the next configuration. */
#define STREAM_ROW(entry) ((entry) & 0xFFFF)
#define STREAM_POP(entry) ((entry) >> 16 & 15)
#define STREAM_NET(entry) ((uint32_t)((int32_t)(entry) >> 24))
#define MOST_CONFIGURATIONS 64u

struct wwho_stream {
    uint32_t n;      /* configurations; 0: too many */
    uint32_t stride; /* of the classes, the end of the text, and the number of ends that are tentative */
    uint32_t *table;
    const uint32_t *ascii[128]; /* of a character, its column: a step waits for the row alone */
    bool skips;
    uint8_t first, last; /* the letters */
    uint8_t triggers[2]; /* characters that are followed by up to EDGE letters that are stepped over; all others by one */
};

/* The most ends that are found at once: of 64 characters, and of the text. */
#define STREAM_STEP 65u
#define STREAM_EDGE 4u

WWHO_LOCAL void put_stream(const wwho_classes *classes, const wwho_automaton *a, wwho_stream *s);

/* A text that is being cut: what is before `at` has been read. */
typedef struct {
    wwho_cursor c;
    uint32_t row, carry;
} wwho_cutter;

/* Cut on: put ends to ends[n], as long as there is room for STREAM_STEP more, and give their number. At the end of the text, all
 * are final; before, the last `open` of them are not. */
WWHO_LOCAL uint32_t cut_pieces(const wwho_classes *classes, const wwho_stream *s, wwho_cutter *cutter, uint32_t *ends, uint32_t n,
                               uint32_t room, uint32_t *open);

#endif
