/* The container: header, checksum and section table (FORMAT.md, Header). */
#ifndef WWHO_FILE_H
#define WWHO_FILE_H

#include "common.h"

#define WWHO_MAX_MODELS 4u /* the cache has two bits for a model's number */
#define WWHO_N_SECTIONS (WWHO_SECTION_PROVENANCE + 1)

/* The sections of a file, by kind; `at` is null where there is none. MODEL, which may come several times, has its own list. */
typedef struct {
    wwho_section section[WWHO_N_SECTIONS];
    wwho_section models[WWHO_MAX_MODELS];
    uint32_t n_models;
} wwho_file;

/* Find the sections: everything of section 1, but the checksum only where something else is wrong. */
WWHO_LOCAL int read_file(const uint8_t *blob, size_t len, wwho_file *file);

/* WWHO_CHECKSUM where the bytes, whose header was read, are not those that were written; else `status`. */
WWHO_LOCAL int check_sum(const uint8_t *blob, size_t len, int status);

#endif
