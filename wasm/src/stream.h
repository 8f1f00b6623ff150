/* Cutting a text into pieces without a branch for each: an automaton that runs on while the ends of pieces are yet uncertain.
 *
 * A scanner looks ahead: behind the end of a match it may read on, and come back. Here, the scanner of the next piece starts at
 * that end at once, and runs beside it. A *configuration* is the states of all that run, each started at the tentative end of the
 * one before, and how many ends lie between. One step for each character gives the next configuration and, at most, one end, which may
 * take the place of tentative ones. There are few configurations: 39 at most in the shipped models; an automaton with more takes the plain
 * scanner.
 *
 * Within words nothing happens: where a configuration stays as it is over a range of ASCII letters, and every way leads to such a
 * one in a few letters (both are proved at open), only the characters at the edges of words are stepped over, each with the letter
 * behind it in one step; and of a run of blanks, only the first two and the last. On text that was seen before, that one step makes
 * English 1.06 to 1.08 times as fast, and skipping blanks makes Python code 1.08 times as fast. */
#ifndef WWHO_STREAM_H
#define WWHO_STREAM_H

#include "automaton.h"

/* What a character does, alone or with the letter that follows it: it puts one end, or two, net of those that they replace. */
typedef struct {
    uint32_t row; /* of the next configuration */
    int8_t put;   /* where an end before the character goes, counted from the next free place; without one: behind all that are there */
    int8_t then;  /* the same for an end behind it */
    int8_t net;   /* how many more ends there are */
    uint8_t open; /* in the column of the end of the text: how many ends are tentative before it */
} wwho_move;

#define MOST_CONFIGURATIONS 64u

struct wwho_stream {
    uint32_t n;      /* configurations; 0: too many */
    uint32_t stride; /* of the columns of the automaton, and again for a character with a letter */
    wwho_move *table;
    const wwho_move *ascii[256]; /* of a character, alone and with a letter, its column: a step waits for the row alone */
    const wwho_stored *stored;
    bool skips;
    uint8_t first, last; /* the letters */
    uint8_t blank;       /* a space, where those of a run can be skipped but for the first two and the last (code by 1.04); else 0xFF */
    uint8_t trigger;     /* a character that is followed by up to EDGE letters that are stepped over, or 0xFF; all others by one */
};

/* The most ends that are found at once: of 64 characters, a letter behind them, and the text. */
#define STREAM_STEP 66u
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
