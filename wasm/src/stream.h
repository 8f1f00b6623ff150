/* Cutting a text into matches without a branch for each one: an automaton that reads on while the ends of matches are still tentative.
 *
 * A scanner looks ahead: it may read past the end of a match, and come back. Here, the scanner of the next match starts at that end
 * at once and runs in parallel. A *configuration* consists of the states of all running scanners, each started at the tentative end of
 * the one before, and of how many ends lie between them. One step for each character gives the next configuration and at most one end,
 * which may replace tentative ones. There are few configurations: 39 at most in the shipped models. An automaton with more uses the
 * plain scanner. Unseen English is 1.5 times as fast, code 1.64 times.
 *
 * Within words nothing happens. If a range of ASCII letters leaves a configuration as it is, and every path leads to such a configuration
 * in a few letters (both are checked at opening), then only the characters at the edges of words need a step, each together with the
 * letter after it (unseen English 1.08, code 1.11 times as fast). Of a run of blanks, only the first two and the last need one. On text
 * that was seen before, taking both characters in one step makes English 1.06 to 1.08 times as fast, and skipping blanks makes Python
 * code 1.08 times as fast. */
#ifndef WWHO_STREAM_H
#define WWHO_STREAM_H

#include "automaton.h"

/* What a character does, alone or together with the letter that follows it: it adds an end before it, after it, or both, and these may
 * replace tentative ends. */
typedef struct {
    uint32_t row; /* of the next configuration */
    int8_t put;   /* where to write an end before the character, relative to the next free place; 0 if there is none */
    int8_t then;  /* the same for an end after it */
    int8_t net;   /* how many more ends there are then */
    uint8_t open; /* in the column of the end of the text: how many ends are still tentative before it */
} wwho_move;

#define MOST_CONFIGURATIONS 64u

struct wwho_stream {
    uint32_t n;      /* the number of configurations; 0: too many */
    uint32_t stride; /* of a row: the columns of the automaton for a character alone, then for one together with a letter */
    wwho_move *table;
    const wwho_move *ascii[256]; /* the column of a character, alone and with a letter, so that a step waits only for the row */
    const wwho_stored *stored;
    bool skips;
    uint8_t first, last; /* the letters */
    uint8_t blank;       /* a space, if runs of it can be skipped except the first two and the last (code: 1.04 times as fast); else 0xFF */
    uint8_t trigger;     /* a character after which up to STREAM_EDGE letters need a step, or 0xFF; after all others, one does */
};

/* The most ends that one round finds: those of 64 characters, of a letter after them, and of the text. */
#define STREAM_STEP 66u
#define STREAM_EDGE 4u

/* Build the streaming automaton *s of an automaton whose scanner table is built: its configurations, from that of a new scanner on, their
 * moves, and what letters and blanks can be skipped. *s has its memory already. s->n is 0 if there are too many configurations, states or
 * tentative ends. Overwrites a->found. */
WWHO_LOCAL void put_stream(const wwho_classes *classes, const wwho_automaton *a, wwho_stream *s);

/* A text that is being cut; the text before `c.at` has been read. */
typedef struct {
    wwho_cursor c;
    uint32_t row, carry;
} wwho_cutter;

/* Continue to cut a text by the streaming automaton s: write the ends of matches from ends[n] on, as long as `ends`, of `room` places, has
 * room for STREAM_STEP more. Returns how many ends there are then. The cutter moves to the text that is not read. The last *open of the
 * ends are tentative and may be replaced by the next call; at the end of the text, *open is 0. The bytes up to place `readable` may be
 * read; where they are more than the text, by 64, its end is cut as quickly as the rest. */
WWHO_LOCAL uint32_t cut_pieces(const wwho_classes *classes, const wwho_stream *s, wwho_cutter *cutter, uint32_t *ends, uint32_t n,
                               uint32_t room, size_t readable, uint32_t *open);

#endif
