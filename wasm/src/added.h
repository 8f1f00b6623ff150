/* Added tokens: texts that are one token wherever they stand (FORMAT.md, ADDED). */
#ifndef WWHO_ADDED_TOKENS_H
#define WWHO_ADDED_TOKENS_H

#include "model.h"

/* The added tokens that a call looks for. There are two kinds: those that are found in the original text, and, between them, the late ones,
 * which are found in normalized text. */
typedef struct {
    const wwho_model *model;
    const uint8_t *allowed;    /* which special tokens are allowed; null: none */
    bool always;               /* whether to look for tokens that are not special */
    const wwho_firsts *firsts; /* first bytes of at least these tokens, so that a call need not visit all (Gemma 3 has 6,415) */
} wwho_wanted;

/* A match: the number of an added token, and the text that it takes; WWHO_NONE and the end of the text if there are no more. */
typedef struct {
    uint32_t number;
    size_t start, end;
} wwho_added_match;

/* Read the number of added tokens from the ADDED section, and take memory for their texts, ids and lookup. model->added gets its counts;
 * texts are only read by build_added(). Returns WWHO_OK or WWHO_ADDED. */
WWHO_LOCAL int plan_added(const wwho_file *file, wwho_model *model, wwho_arena *arena);

/* Check the ADDED section and fill in the added tokens, after the models are built: texts, flags, ids, first bytes, and the properties of
 * classes. Returns WWHO_OK or WWHO_ADDED. */
WWHO_LOCAL int build_added(wwho_model *model);

/* Return the number of the first added token with this id, or WWHO_NONE. */
WWHO_LOCAL uint32_t find_added(const wwho_model *model, uint32_t id);

/* Set *wanted to the added tokens that a call looks for: the special ones that `allowed` has (one byte for each added token; null: none),
 * and the others unless the flags of the call have WWHO_NO_ADDED or WWHO_CUT_ONLY. `wanted` keeps the pointer `allowed`. */
WWHO_LOCAL void want_added(wwho_wanted *wanted, const wwho_model *model, const uint8_t *allowed, uint32_t flags);

/* Return the first match of an added token of the kind `late` in text[at..end), in a text that begins at `from`: leftmost, then longest. It
 * includes the white space that the token takes on either side, on the left not before `at`. A match that is refused because it is part of
 * a word hides tokens that begin within it. If there is none, its number is WWHO_NONE, and its start and end are `end`. */
WWHO_LOCAL wwho_added_match find_next(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, size_t from, size_t at, size_t end);

/* Return the kind of the added token of number i: 1 if it is found in normalized text, 0 if in the original text. */
WWHO_LOCAL uint32_t is_late(const wwho_model *model, uint32_t number);

/* Return the properties (WHITE_SPACE, WORD_CHARACTER) of the character that begins at `text`, of `left` > 0 bytes; its width in bytes goes
 * to *width. Only for models with properties. */
WWHO_LOCAL uint32_t property_of(const wwho_model *model, const uint8_t *text, size_t left, uint32_t *width);

/* Return the properties (WHITE_SPACE, WORD_CHARACTER) of the character that ends at text[at], in a text that begins at `from`, before
 * `at`; its width in bytes goes to *width. Only for models with properties. */
WWHO_LOCAL uint32_t property_before(const wwho_model *model, const uint8_t *text, size_t from, size_t at, uint32_t *width);

/* Return true if a call looks for the added token of number i: it is not hidden, and, if special, allowed by the call. */
WWHO_LOCAL bool is_wanted(const wwho_wanted *wanted, uint32_t number);

#endif
