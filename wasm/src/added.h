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

/* Read the number of added tokens, and take memory for them. WWHO_ADDED. */
WWHO_LOCAL int plan_added(const wwho_file *file, wwho_model *model, wwho_arena *arena);

/* Check and build them, after the models. WWHO_ADDED. */
WWHO_LOCAL int build_added(wwho_model *model);

/* The number of the first added token with this id, or WWHO_NONE. */
WWHO_LOCAL uint32_t find_added(const wwho_model *model, uint32_t id);

WWHO_LOCAL void want_added(wwho_wanted *wanted, const wwho_model *model, const uint8_t *allowed, uint32_t flags);

/* The first match of a kind in text[at..end), in a text that begins at `from`: leftmost, then longest. */
WWHO_LOCAL wwho_added_match find_next(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, size_t from, size_t at, size_t end);

/* The kind of an added token: 1 if it is found in normalized text, else 0. */
WWHO_LOCAL uint32_t is_late(const wwho_model *model, uint32_t number);

/* The properties of the character that begins at `text`, of `left` bytes, or that ends at text[at], in a text that begins at `from`. Its
 * width goes to *width. Only for models with properties. */
WWHO_LOCAL uint32_t property_of(const wwho_model *model, const uint8_t *text, size_t left, uint32_t *width);
WWHO_LOCAL uint32_t property_before(const wwho_model *model, const uint8_t *text, size_t from, size_t at, uint32_t *width);

/* Whether a call looks for this added token. */
WWHO_LOCAL bool is_wanted(const wwho_wanted *wanted, uint32_t number);

#endif
