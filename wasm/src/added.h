/* Added tokens: texts that are one token wherever they stand (FORMAT.md, ADDED). */
#ifndef WWHO_ADDED_TOKENS_H
#define WWHO_ADDED_TOKENS_H

#include "model.h"

/* The added tokens that a call looks for: first those of the text as it is, then, in the parts between, those of normalized text. */
typedef struct {
    const wwho_model *model;
    const uint8_t *allowed;    /* of those that need leave; null: none */
    bool always;               /* those that need none are looked for */
    const wwho_firsts *firsts; /* of these, and of others: a call does not go through all, of which Gemma 3 has 6,415 */
} wwho_wanted;

/* One that was found: its number, and the text that it takes; WWHO_NONE where there is no more, at the end of the text. */
typedef struct {
    uint32_t number;
    size_t start, end;
} wwho_added_match;

/* Find the number of added tokens, and take memory. WWHO_ADDED. */
WWHO_LOCAL int plan_added(const wwho_file *file, wwho_model *model, wwho_arena *arena);

/* Check and build them, once there are models. WWHO_ADDED. */
WWHO_LOCAL int build_added(wwho_model *model);

/* The number of the first added token with this id, or WWHO_NONE. */
WWHO_LOCAL uint32_t find_added(const wwho_model *model, uint32_t id);

WWHO_LOCAL void want_added(wwho_wanted *wanted, const wwho_model *model, const uint8_t *allowed, uint32_t flags);

/* The first one of a kind in text[at..end), of a text that begins at `from`: leftmost, then longest. */
WWHO_LOCAL wwho_added_match find_next(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, size_t from, size_t at, size_t end);

/* Whether (1) or not (0) it is looked for in normalized text. */
WWHO_LOCAL uint32_t is_late(const wwho_model *model, uint32_t number);

/* The properties of the character that begins at text[at], with `left` bytes, or that ends there, in a text that begins at `from`; its
 * width goes to *width. Only where there is a property for each class. */
WWHO_LOCAL uint32_t property_of(const wwho_model *model, const uint8_t *text, size_t left, uint32_t *width);
WWHO_LOCAL uint32_t property_before(const wwho_model *model, const uint8_t *text, size_t from, size_t at, uint32_t *width);

/* Whether this one is looked for. */
WWHO_LOCAL bool is_wanted(const wwho_wanted *wanted, uint32_t number);

#endif
