/* The trainer's hot loops: counting words and learning merges. Natively only; unlike the core, this allocates. Of the core it
 * knows wwho.h and core.h.
 *
 * A *word* is what merges may join: a run of neighbouring SYLLABLE units within one segment of an SGPE route, the first of which
 * may begin with the segment's space. Every ORPHAN or PASSTHROUGH unit is a word of its own.
 * A word is written as a *record*: the number of its units, the length of each in bytes (all as LEB128, shortest form), then
 * its text. Equal words have equal records, and records need nothing around them to be read.
 *
 * Every function that can fail returns a status of wwho.h, or WWHO_MEMORY. After WWHO_MEMORY an object is only good for freeing.
 * An object is used by one thread at a time; different objects are independent.
 */
#ifndef WWHO_TRAIN_H
#define WWHO_TRAIN_H

#include "wwho.h"

/* cffi: begin */

enum { WWHO_MEMORY = 64 /* no memory left */ };

enum { WWHO_TAIL = 255 /* a shape: what continues a character */ };

/* Distinct words and how often each was seen. At most 2^32 - 2 of them. */
typedef struct wwho_words wwho_words;

typedef struct {
    uint64_t n_words;      /* distinct */
    uint64_t record_bytes; /* of all distinct words */
    uint64_t n_units;      /* of all distinct words */
    uint64_t total;        /* the sum of the counts */
    uint64_t stray_bytes;  /* of the text counted so far: bytes that are no part of a well-formed UTF-8 sequence */
} wwho_words_info;

/* Return an empty table, or null if there is no memory. The caller frees it with wwho_words_free(). */
wwho_words *wwho_words_new(void);

/* Free a table; null is allowed. */
void wwho_words_free(wwho_words *words);

/* Count the words of a text that ends where no word goes on. Each line, with its line feed, is scanned as a text of its own: words
 * do not depend on where a corpus is cut into texts. So is what stands between added tokens found in every text: these are no words.
 * The table remembers what the model cut: it must stay open until another one is given. */
int wwho_words_count(wwho_words *words, const wwho_model *model, const uint8_t *text, size_t len);

/* Add n records, `len` bytes in all, with their counts: the export of a table, of another process perhaps. WWHO_ARGUMENT where the bytes
 * are not exactly n records; the words before the fault are then counted. */
int wwho_words_add(wwho_words *words, const uint8_t *records, size_t len, const uint64_t *counts, size_t n);

/* Add the words of another table, with their counts and its stray bytes, to a table. Returns WWHO_OK, WWHO_MEMORY, or WWHO_ARGUMENT, also
 * for a table and itself. */
int wwho_words_merge(wwho_words *words, const wwho_words *other);

/* Add each unit of each word of `words` to another table, `units`, as a word of one unit, with the count of its word; a unit that a word
 * has twice counts twice. Returns a status. Overwrites units->record. */
int wwho_words_units(const wwho_words *words, wwho_words *units);

/* Add each word of `words` to another table, `spelled`, with its count, as a word whose units are its bytes. Words of one text become one
 * word. Returns a status; WWHO_ARGUMENT also if both tables are the same. */
int wwho_words_bytes(const wwho_words *words, wwho_words *spelled);

/* Add each word of `words` to `spelled`, with its count, as a word whose units are symbols of two bytes. `symbols` has an item for each
 * of the 0x110000 code points: the bytes of its one or two symbols, the first byte lowest, or 0, where the symbols of its bytes are
 * taken. Items for the 256 bytes follow. */
int wwho_words_pairs(const wwho_words *words, const uint32_t *symbols, wwho_words *spelled);

/* Add each word of `words` to another table, `spelled`, with its count, as a word whose units are its characters. The n_space <= 4 bytes at
 * `space` take the place of each U+0020. Returns a status. */
int wwho_words_characters(const wwho_words *words, const uint8_t *space, size_t n_space, wwho_words *spelled);

/* Write the size of a table to *info. */
void wwho_words_describe(const wwho_words *words, wwho_words_info *info);

/* Write record_bytes bytes of records and n_words counts, in the order in which the words were first seen. */
void wwho_words_export(const wwho_words *words, uint8_t *records, uint64_t *counts);

/* The sums over the words of one route. */
typedef struct {
    uint64_t n_words;   /* distinct */
    uint64_t total;     /* the sum of the counts */
    uint64_t syllables; /* SYLLABLE units, times the counts */
    uint64_t bytes;     /* of text, times the counts */
} wwho_route_info;

/* Add up the words of the table by the route that each takes where it stands alone, into `routes`, of n_routes items, which are cleared
 * first. The table stays as it is. Returns WWHO_OK, or WWHO_ARGUMENT, also if a word takes a route that `routes` lacks. */
int wwho_words_routes(wwho_words *words, const wwho_model *model, wwho_route_info *routes, size_t n_routes);

/* Learning merges: the state between steps. */
typedef struct wwho_merger wwho_merger;

/* Prepare to merge. `atoms` are words of one unit each, at most 255 bytes; the id of an atom is its place in that table.
 * A unit that is an atom becomes its id. A unit that is none, but a space and an atom, becomes that atom, with a cut before it
 * (the encoder writes the lone space there, which takes no part in merging). Any other unit is a cut. Neighbouring ids with no
 * cut between them are pairs. At most max_merges merges will be made, none of a pair seen less than min_freq times, and none
 * whose token would be longer than max_units atoms or 1024 bytes. Both tables may be freed afterwards. WWHO_ARGUMENT for a min_freq
 * or max_units of 0, more than 2^21 atoms or merges, or more than 2^31 - 2 units in the distinct words. On failure *merger is null.
 *
 * `shapes`, of each atom, keep characters whole: 0, it is one, or several; up to 4, it begins one, and lacks so many tails;
 * WWHO_TAIL. A beginning merges with a tail after it alone, what is whole with what is whole, and a tail with nothing after it. Null:
 * all may merge. */
int wwho_merger_new(const wwho_words *words, const wwho_words *atoms, const uint8_t *shapes, size_t max_merges, uint64_t min_freq,
                    uint32_t max_units, wwho_merger **merger);

/* Phrases: the tokens of neighbouring words of one route, each word but the first beginning with the U+0020 after the word
 * before. Superwords are learnt from them. A word with a unit that is no atom, or with more than 255 units, is in none. */
typedef struct wwho_phrases wwho_phrases;

/* Return an object without phrases, or null where there is no memory. The model has n_tokens SGPE tokens, with ids from first_id on, and no
 * superwords; it stays open as long as the phrases. */
wwho_phrases *wwho_phrases_new(const wwho_model *model, uint32_t first_id, uint32_t n_tokens);

/* Free phrases; null is allowed. */
void wwho_phrases_free(wwho_phrases *phrases);

/* Collect the phrases of a text that ends after a line, or where no phrase goes on, each as if it came `count` times; only of some
 * `share` in 2^32 of its lines. Which ones depends on the text of each alone. `sources` has a bit set for the source that it is of. */
int wwho_phrases_collect(wwho_phrases *phrases, const uint8_t *text, size_t len, uint64_t share, uint64_t count, uint64_t sources);

/* Prepare to merge the tokens of phrases, counted from first_id, across words: the right one of a pair begins with U+0020, and no
 * merge touches more than max_words (2..127) words, and its pair stands in min_sources or more; otherwise as wwho_merger_new. The last
 * n_pairs tokens are merged ones, of the tokens pairs[2 * k] and pairs[2 * k + 1], which come before. The phrases are used up. */
int wwho_merger_of_phrases(wwho_phrases *phrases, const uint32_t *pairs, size_t n_pairs, size_t max_merges, uint64_t min_freq,
                           uint32_t max_units, uint32_t max_words, uint32_t min_sources, wwho_merger **merger);

/* Free a merger; null is allowed. */
void wwho_merger_free(wwho_merger *merger);

/* Make up to `steps` more merges; *n is the number of all merges made so far; fewer than asked for means that it is done.
 * Each time the pair with the highest count is merged, among equals the one with the smallest left id, then right id; a
 * count is the number of places where the two stand side by side, times the counts of the words. Merge number k makes the id
 * n_atoms + k of every such place, from left to right. */
int wwho_merger_step(wwho_merger *merger, size_t steps, size_t *n);

/* Return the left and right ids of the merges made so far, in turn, in memory of the merger. Valid until the next step. */
const uint32_t *wwho_merger_pairs(const wwho_merger *merger);

/* Return the count of the pair of each merge made so far, at that moment: so many tokens does it save, or fewer where the pair overlaps
 * itself. It never rises from one merge to the next. In memory of the merger; valid until the next step. */
const uint64_t *wwho_merger_gains(const wwho_merger *merger);

/* Learning a Unigram vocabulary: the state between steps. */
typedef struct wwho_learner wwho_learner;

/* Prepare to learn a Unigram vocabulary. Words, atoms and cuts are as for wwho_merger_new, but that the atom after a space that is cut
 * off stands alone. Candidates are all atoms, and the parts of words, of 2 to max_units atoms and at most 1024 bytes, that are seen
 * min_freq times or more: of each set of parts that always stand together the longest one, and of these the max_candidates that cover
 * the most atoms of the text. Both tables may be freed afterwards. Limits are those of wwho_merger_new. On failure *learner is null.
 * Nothing depends on the order of the words. */
int wwho_learner_new(const wwho_words *words, const wwho_words *atoms, size_t max_candidates, uint64_t min_freq, uint32_t max_units,
                     wwho_learner **learner);

/* Free a learner of a Unigram vocabulary; null is allowed. */
void wwho_learner_free(wwho_learner *learner);

/* Estimate the probabilities of the tokens twice, and then drop those that the text misses least, but for atoms: down to `goal` tokens,
 * or to three of four if that is more. *n becomes the number of tokens. Tokens of no use are dropped before, as long as `goal` tokens are
 * left. Returns a status. */
int wwho_learner_step(wwho_learner *learner, size_t goal, size_t *n);

/* Write for each token the number of its atoms and its score, the natural logarithm of its probability, and the atoms of all tokens, one
 * after another. The first tokens are the atoms. Returns the number of all these atoms; with null for all three it only counts them. */
size_t wwho_learner_export(const wwho_learner *learner, uint32_t *lengths, double *scores, uint32_t *atoms);

/* cffi: end */

#endif
