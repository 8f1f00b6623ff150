/* The container: header, checksum and section table (FORMAT.md, Header). */
#ifndef WWHO_FILE_H
#define WWHO_FILE_H

#include "common.h"

#define WWHO_MAX_MODELS 4u /* the cache has two bits for a model's number */
#define WWHO_N_SECTIONS (WWHO_SECTION_PROVENANCE + 1)

/* The sections of a file, by kind; `at` is null if there is none. MODEL sections, of which there may be several, have their own list. */
typedef struct {
    wwho_section section[WWHO_N_SECTIONS];
    wwho_section models[WWHO_MAX_MODELS];
    uint32_t n_models;
} wwho_file;

/* Find the sections of an artifact of len bytes, into *file, and check everything in FORMAT.md, Header. The checksum is computed only if
 * something else is wrong, to report damage as such. Returns WWHO_OK or the status. */
WWHO_LOCAL int read_file(const uint8_t *blob, size_t len, wwho_file *file);

/* Return WWHO_CHECKSUM if the checksum of a file of len bytes is wrong, else `status`. The header was read: len is the size of the file
 * that it states. */
WWHO_LOCAL int check_sum(const uint8_t *blob, size_t len, int status);

#endif
