/* BPE merging: symbols -> tokens (FORMAT.md, Encoding), in linear time and constant memory.
 *
 * BPE is defined as "merge the pair of lowest rank first". Short pretokens are merged exactly so. For long ones, the core uses what
 * rust-gems' bpe observed: a sequence of tokens is the BPE encoding if and only if every adjacent pair is the BPE encoding of its own text
 * (a valid pair). So the results of short windows can be joined wherever the two tokens at the seam are a valid pair. Where they are not, a
 * walk from left to right finds the sequence and steps back over tokens that do not fit. The last token of every prefix is unique, so the
 * walk gives up each place at most once.
 *
 * Tokens far enough back are final. The text after a place changes the merges before it by at most one token for each rank, in ascending
 * order of ranks: for the shipped vocabularies by 2,603 bytes at most (tests/py/test_reach.py). */
#ifndef WWHO_MERGE_H
#define WWHO_MERGE_H

#include "automaton.h"
#include "matches.h"
#include "row.h"

#define WINDOW 64u       /* symbols that are merged at once */
#define REACH (1u << 14) /* bytes: tokens that far back are final */

/* What to merge: the bytes of text from start to end, or the symbols that `units` finds there. The run stops before text that is no symbol
 * or no syllable: `end` moves there when it is met. */
typedef struct {
    const wwho_vocabulary *v;
    const uint8_t *text;
    size_t len; /* the length of all text that may be read */
    size_t start, end;
    const wwho_classes *classes;
    const wwho_automaton *units; /* null: bytes */
    size_t segment_end;          /* where the text ends for `units` */
    size_t first_end;            /* the end of the first symbol, whatever its rule; 0: where `units` puts it */
    wwho_draws *draws;           /* say which merges are skipped; null: none */
    const uint32_t *written;     /* the text was written as symbols (affixes.h): an entry for each byte, with SYMBOL_BEGINS; else null */
} wwho_run;

#define SYMBOL_BEGINS (1u << 31) /* a symbol begins with this byte */

/* A pretoken over bytes that was merged before, but is too long for the cache, such as a line of dashes. Python's standard library is 1.1
 * times as fast with these. */
enum { RECENT_BITS = 6, RECENT_BYTES = 256, RECENT_TOKENS = 16 };

typedef struct {
    const wwho_vocabulary *v; /* null: none was merged */
    uint32_t n, n_tokens;
    uint8_t text[RECENT_BYTES];
    uint32_t tokens[RECENT_TOKENS];
} wwho_recent;

/* A character that was looked up, and the token with its text, or WWHO_NONE. Native builds only: unseen Hindi is 1.15 times as fast as
 * Llama 2 and Yi, 1.1 times as Gemma 3. */
enum { CHARACTERS = 1 << 10 };

typedef struct {
    uint32_t of; /* the code point and the number of the model, plus 1 */
    uint32_t token;
} wwho_character;

/* A merge in progress. Its size is constant, and it is stored in the scratch area. */
typedef struct {
    size_t at;      /* the text before this place is merged */
    uint32_t count; /* the number of tokens in `tokens`; earlier ones may have been removed */
    uint32_t window;
    size_t walk_to,
        furthest;  /* windows fail before walk_to, so the walk continues up to there; the furthest place that a token has reached */
    size_t loaded; /* the place and width (or 0) of the text whose merged window is in `row` */
    uint32_t loaded_width;
    bool dirty; /* `dead` is not all zero */
    /* the symbols found from `from` on: where they end, and the tokens of the first `known` */
    size_t from;
    uint32_t n, known;
    uint32_t ends[WWHO_MAX_TOKEN + 1], symbols[WWHO_MAX_TOKEN + 1];
    uint32_t parts[WWHO_MAX_TOKEN + 1];
    wwho_row row;
    wwho_recent recent[1 << RECENT_BITS];  /* by their hash */
    wwho_character characters[CHARACTERS]; /* by their code points */
    uint32_t tokens[2 * REACH];
    uint32_t
        dead[REACH]; /* places where no token can end, counted from 1 at the start of the run; each is stored at its number modulo REACH */
} wwho_merging;

/* Return true if each token is what its own symbols merge to: two tokens that merge are not kept apart by an earlier merge at the seam,
 * which stay_apart() explains. False also where ranks are not the numbers of tokens, without a look at them. */
WWHO_LOCAL bool all_replay(const wwho_vocabulary *v);

/* Return true if an automaton for units cuts the text of each token into the symbols that merge to it, or not into syllables alone,
 * wherever a word has that text; false also for an automaton whose matches depend on what follows them, without a look at the tokens. Then
 * a word of several units that has the text of a token is what the token is made of. Overwrites what *m knows of a run. */
WWHO_LOCAL bool cuts_as_merged(wwho_merging *m, const wwho_vocabulary *v, const wwho_classes *classes, const wwho_automaton *units);

/* Return the end of the symbol that begins at `at`, in a text that was written as symbols (run->written). */
WWHO_LOCAL size_t written_end(const wwho_run *run, size_t at);

/* Start to merge a run: clear what *m knows of the run before, and stand at its start without tokens. Remembered characters and recent
 * pretokens stay. */
WWHO_LOCAL void start_merge(wwho_merging *m, const wwho_run *run);

/* Find the ends of the symbols of a run from `at` on, into m->ends: at least as many as `units` says, and all that begin in the next
 * `bytes`, as far as the run and the room have them. Symbols found before are kept from `at` on if one begins there; else none is.
 * run->end moves back to the first match of run->units that is no syllable. */
WWHO_LOCAL void look_at_units(wwho_merging *m, wwho_run *run, size_t at, uint32_t units, size_t bytes);

/* Continue to merge a run; tokens are appended to m->tokens. Returns true at the end of the run, or if merging gives up at m->at before
 * it: the symbols from there on are then taken unmerged, because the vocabulary's tokens do not merge back to themselves. Returns false
 * when the first REACH of 2 * REACH tokens are final: the caller writes them, calls take_final(), and merges on. */
WWHO_LOCAL bool merge(wwho_merging *m, wwho_run *run);

/* Remove the first REACH tokens of m->tokens, which are final and were written. */
WWHO_LOCAL void take_final(wwho_merging *m);

/* Return the symbol of a run at `at`, for a run that merging gave up; its length in bytes goes to *n. There is one, because the run ends
 * before text that is none. */
WWHO_LOCAL uint32_t symbol_at(wwho_merging *m, wwho_run *run, size_t at, uint32_t *n);

#endif
