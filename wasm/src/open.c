/* Opening an artifact: every MUST of FORMAT.md, in its order, before anything is read through it. */
#include "encode.h"

enum { KIND_META = 1, KIND_CLASSES, KIND_AUTOMATA, KIND_ROUTES, KIND_BASE, KIND_ATOMS, KIND_MERGES, KIND_SPECIALS,
       KIND_PROVENANCE, KIND_IDS, N_KINDS };
enum { FEATURE_SGPE = 1, FEATURE_SUPERWORDS = 2, FEATURE_IDS = 4 };

/* An artifact that is being opened. */
typedef struct {
    wwho_section section[N_KINDS]; /* by kind; `at` is null where absent */
    uint32_t features;
    wwho_info info;
    uint32_t base_text_bytes, sgpe_text_bytes;
    wwho_classes classes;
} wwho_file;


enum { HEADER_SIZE = 24, ENTRY_SIZE = 12, META_SIZE = 40, MAX_SECTIONS = 16, MAX_PAGES = 2048, N_PAGES = 0x110000 >> 7 };

/* CRC-32 as in zlib, over any number of parts: start with 0. Four bytes at a time, by a table for each of them. */
static uint32_t crc32(uint32_t crc, const uint8_t *p, size_t n) {
    uint32_t table[4][256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
        table[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int t = 1; t < 4; t++) table[t][i] = table[t - 1][i] >> 8 ^ table[0][table[t - 1][i] & 255];
    for (crc = ~crc; n >= 4; n -= 4, p += 4) {
        crc ^= read32(p);
        crc = table[3][crc & 255] ^ table[2][crc >> 8 & 255] ^ table[1][crc >> 16 & 255] ^ table[0][crc >> 24];
    }
    while (n--) crc = table[0][(crc ^ *p++) & 255] ^ crc >> 8;
    return ~crc;
}

/* FORMAT.md, section 1, down to the checksum. */
static int check_header(const uint8_t *blob, size_t len, wwho_file *file) {
    static const uint8_t magic[8] = {0x89, 'W', 'W', 'H', 'O', 0x0D, 0x0A, 0x1A};
    for (size_t i = 0; i < 8 && i < len; i++)
        if (blob[i] != magic[i]) return WWHO_MAGIC;
    if (len < HEADER_SIZE) return WWHO_TRUNCATED;
    if (read16(blob + 8) != 1) return WWHO_VERSION;
    uint32_t n = read16(blob + 10), size = read32(blob + 16);
    if (n < 1 || n > MAX_SECTIONS) return WWHO_SECTION_TABLE;
    file->features = read32(blob + 12);
    if (file->features & ~(uint32_t)(FEATURE_SGPE | FEATURE_SUPERWORDS | FEATURE_IDS)) return WWHO_FEATURES;
    bool alone = (file->features & (FEATURE_SGPE | FEATURE_SUPERWORDS)) == FEATURE_SGPE;
    if (file->features & FEATURE_IDS && !alone) return WWHO_FEATURES;
    if (len < size || size % 4) return WWHO_TRUNCATED;
    if (len > size || len > WWHO_MAX_LENGTH) return WWHO_TRAILING;
    return len < HEADER_SIZE + (size_t)n * ENTRY_SIZE ? WWHO_TRUNCATED : WWHO_OK;
}

static int check_sum(const uint8_t *blob, size_t len) {
    uint32_t crc = crc32(crc32(0, blob, 20), blob + HEADER_SIZE, len - HEADER_SIZE);
    return crc == read32(blob + 20) ? WWHO_OK : WWHO_CHECKSUM;
}

static int check_sections(const uint8_t *blob, size_t len, wwho_file *file) {
    uint32_t n = read16(blob + 10), last_kind = 0;
    uint64_t at = HEADER_SIZE + (uint64_t)n * ENTRY_SIZE;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *entry = blob + HEADER_SIZE + i * ENTRY_SIZE;
        uint32_t kind = read32(entry), offset = read32(entry + 4), length = read32(entry + 8);
        if (kind <= last_kind) return WWHO_SECTION_ORDER;
        if (kind >= N_KINDS) return WWHO_SECTION_KIND;
        uint64_t end = at + length, next = (end + 3) & ~(uint64_t)3;
        if (offset != at || next > len || (i + 1 == n && next != len)) return WWHO_SECTION_BOUNDS;
        for (uint64_t p = end; p < next; p++)
            if (blob[p]) return WWHO_PADDING;
        file->section[kind] = (wwho_section){blob + offset, length};
        last_kind = kind;
        at = next;
    }
    for (uint32_t kind = 1; kind < N_KINDS; kind++) {
        if (kind == KIND_PROVENANCE) continue;
        uint32_t feature = kind == KIND_ATOMS || kind == KIND_MERGES ? FEATURE_SGPE : kind == KIND_IDS ? FEATURE_IDS : 0;
        bool there = file->section[kind].at, needed = !feature || (file->features & feature);
        if (there != needed) return WWHO_SECTION_MISSING;
    }
    return WWHO_OK;
}

/* Which ids are the SGPE tokens' and the lone space's: all from first_atom on, in their order, or as IDS states them. */
static bool check_id_space(const wwho_info *m, bool stated) {
    bool space = m->space_id != WWHO_NONE;
    uint64_t n_sgpe = (uint64_t)m->n_atoms + m->n_merges, end = m->first_atom + n_sgpe;
    if (!stated) return (!space || m->space_id == end) && end + space == m->n_vocab;
    bool inside = !space || (m->space_id >= m->first_atom && m->space_id < m->n_vocab);
    return inside && end + space >= m->n_vocab && n_sgpe < 1u << WWHO_ID_BITS && m->unk_id != WWHO_NONE;
}

static int check_meta(wwho_file *file) {
    const uint8_t *p = file->section[KIND_META].at;
    bool superwords = file->features & FEATURE_SUPERWORDS;
    if (file->section[KIND_META].length != META_SIZE + (superwords ? 4 : 0)) return WWHO_META;
    wwho_info *m = &file->info;
    *m = (wwho_info){.n_vocab = read32(p), .n_base = read32(p + 4), .n_base_tokens = read32(p + 8),
                     .first_atom = read32(p + 12), .n_atoms = read32(p + 16), .n_merges = read32(p + 20),
                     .space_id = read32(p + 24), .unk_id = read32(p + 28)};
    file->base_text_bytes = read32(p + 32);
    file->sgpe_text_bytes = read32(p + 36);
    if (superwords) m->n_superwords = read32(p + 40);
    if (superwords && (!m->n_superwords || m->n_superwords > m->n_merges)) return WWHO_META;
    bool ordered = m->n_base_tokens >= 256 && m->n_base_tokens <= m->n_base && m->n_base <= m->first_atom &&
                   m->first_atom <= m->n_vocab && m->n_vocab < 1u << WWHO_ID_BITS;
    if (!ordered) return WWHO_META;
    uint64_t n_sgpe = (uint64_t)m->n_atoms + m->n_merges;
    if (!check_id_space(m, file->features & FEATURE_IDS)) return WWHO_META;
    if (m->unk_id != WWHO_NONE && m->unk_id >= m->n_vocab) return WWHO_META;
    if (file->base_text_bytes > m->n_base_tokens * (uint64_t)WWHO_MAX_TOKEN) return WWHO_META;
    if (file->sgpe_text_bytes > n_sgpe * WWHO_MAX_TOKEN) return WWHO_META;
    bool held = m->n_base_tokens - 256 <= file->section[KIND_BASE].length && m->n_atoms <= file->section[KIND_ATOMS].length &&
                m->n_merges <= file->section[KIND_MERGES].length;
    if (!held) return WWHO_META;
    bool plain = m->n_base == m->n_vocab && !n_sgpe && m->space_id == WWHO_NONE && m->unk_id == WWHO_NONE;
    return plain || (file->features & FEATURE_SGPE) ? WWHO_OK : WWHO_META;
}

static int check_classes(wwho_file *file) {
    wwho_section s = file->section[KIND_CLASSES];
    const uint32_t head = 4 + 2 * N_PAGES;
    if (s.length < head) return WWHO_CLASSES;
    uint32_t n_classes = read16(s.at), n_pages = read16(s.at + 2), seen = 0;
    if (n_classes < 1 || n_classes > 255 || n_pages < 1 || n_pages > MAX_PAGES) return WWHO_CLASSES;
    if (s.length != head + n_pages * 128) return WWHO_CLASSES;
    for (uint32_t i = 0; i < N_PAGES; i++) {
        uint32_t page = read16(s.at + 4 + 2 * i);
        if (page > seen || page >= n_pages) return WWHO_CLASSES;
        if (page == seen) seen++;
    }
    if (seen != n_pages) return WWHO_CLASSES;
    for (uint32_t i = head; i < s.length; i++)
        if (s.at[i] >= n_classes) return WWHO_CLASSES;
    for (uint32_t i = head; i < s.length; i += 128)
        for (uint32_t k = head; k < i; k += 128)
            if (same_text(s.at + i, s.at + k, 128)) return WWHO_CLASSES;
    const uint8_t *pages = s.at + head;
    const uint16_t *page = (const uint16_t *)(const void *)(s.at + 4);
    file->classes = (wwho_classes){page, pages, pages + 128u * page[0], n_classes};
    return WWHO_OK;
}

static bool well_formed(const uint8_t *text, uint32_t n) {
    for (uint32_t at = 0, code_point, width; at < n; at += width) {
        width = utf8_next(text + at, n - at, &code_point);
        if (width == 1 && code_point == REPLACEMENT) return false;
    }
    return true;
}

static int build_routes(const wwho_file *file, wwho_model *model) {
    wwho_section s = file->section[KIND_ROUTES];
    if (s.length < 4) return WWHO_ROUTES;
    uint32_t router = read16(s.at), n = read16(s.at + 2), at = 4, group[WWHO_MAX_ROUTES];
    bool sgpe = false;
    if (n < 1 || n > WWHO_MAX_ROUTES) return WWHO_ROUTES;
    if (router == 0xFFFF ? n != 1 : router >= model->n_automata || model->automata[router].max_mark > n) return WWHO_ROUTES;
    model->router = router == 0xFFFF ? 0 : &model->automata[router];
    for (uint32_t i = 0; i < n; i++) {
        if (s.length - at < 4) return WWHO_ROUTES;
        uint32_t number = read16(s.at + at);
        wwho_route r = {.model = s.at[at + 2], .name_length = s.at[at + 3], .name = s.at + at + 4};
        if (number >= model->n_automata || r.model >= model->n_models || !r.name_length || s.length - at - 4 < r.name_length)
            return WWHO_ROUTES;
        const wwho_automaton *scanner = &model->automata[number];
        if (r.model && (!i || scanner->max_mark > 3)) return WWHO_ROUTES;
        if (!well_formed(r.name, r.name_length)) return WWHO_ROUTES;
        *(r.model ? &r.units : &r.scanner) = scanner;
        model->routes[i] = r;
        group[i] = r.model ? number : WWHO_NONE;
        sgpe |= r.model;
        at += 4u + r.name_length;
    }
    model->info.n_routes = n;
    if (at != s.length || sgpe != (model->n_models > 1)) return WWHO_ROUTES;
    return !model->router || one_group(file->section[KIND_AUTOMATA], &model->classes, router, group) ? WWHO_OK : WWHO_ROUTES;
}

static int build_base(const wwho_file *file, wwho_model *model) {
    wwho_section s = file->section[KIND_BASE];
    wwho_vocabulary *v = &model->models[0];
    if (s.length < 256) return WWHO_BASE_BYTES;
    for (uint32_t i = 0; i < 256; i++) v->bytes->token[i] = WWHO_NONE;
    for (uint32_t i = 0; i < 256; i++) {
        if (v->bytes->token[s.at[i]] != WWHO_NONE) return WWHO_BASE_BYTES;
        v->bytes->token[s.at[i]] = i;
        int status = add_symbol(v, i, s.at + i, 1, file->base_text_bytes);
        if (status) return status;
    }
    int status = add_merges(v, s.at + 256, s.at + s.length, false, file->base_text_bytes);
    if (!status) pair_bytes(v);
    return status || v->offset[v->n_tokens] == file->base_text_bytes ? status : WWHO_TOKEN_LENGTH;
}

/* Whether a comes before b, both of at most 255 bytes. */
static bool ascends(const uint8_t *a, uint32_t n, const uint8_t *b, uint32_t m) {
    for (uint32_t i = 0; i < n && i < m; i++)
        if (a[i] != b[i]) return a[i] < b[i];
    return n < m;
}

static int build_sgpe(const wwho_file *file, wwho_model *model) {
    wwho_section atoms = file->section[KIND_ATOMS], merges = file->section[KIND_MERGES];
    if (!atoms.at) return WWHO_OK;
    wwho_vocabulary *v = &model->models[1];
    if (atoms.length < v->n_symbols) return WWHO_ATOMS;
    const uint8_t *text = atoms.at + v->n_symbols, *last = 0;
    uint32_t left = atoms.length - v->n_symbols;
    for (uint32_t i = 0; i < v->n_symbols; i++) {
        uint32_t n = atoms.at[i];
        if (!n || n > left || (n == 1 && *text == ' ') || (last && !ascends(last, atoms.at[i - 1], text, n))) return WWHO_ATOMS;
        int status = add_symbol(v, i, text, n, file->sgpe_text_bytes);
        if (status) return status;
        last = text;
        text += n;
        left -= n;
    }
    if (left) return WWHO_ATOMS;
    int status = add_merges(v, merges.at, merges.at + merges.length, true, file->sgpe_text_bytes);
    return status || v->offset[v->n_tokens] == file->sgpe_text_bytes ? status : WWHO_TOKEN_LENGTH;
}

/* How many special tokens there can be: the count in the file, or what its length allows. */
static uint32_t specials_bound(const wwho_file *file) {
    wwho_section s = file->section[KIND_SPECIALS];
    uint32_t most = s.length / 7, n = s.length < 4 ? 0 : read32(s.at);
    return n < most ? n : most;
}

/* How many ids of special tokens the base's ids step over, if the section is well-formed; else anything. */
static uint32_t stepped_over(const wwho_file *file) {
    wwho_section s = file->section[KIND_SPECIALS];
    uint32_t found = 0, last = WWHO_NONE;
    for (uint64_t at = 4; at + 6 <= s.length; at += 6u + read16(s.at + at + 4)) {
        uint32_t id = read32(s.at + at);
        if (id >= file->info.n_base_tokens + found) break;
        found += id != last;
        last = id;
    }
    return found;
}

static int build_specials(const wwho_file *file, wwho_model *model) {
    wwho_section s = file->section[KIND_SPECIALS];
    wwho_vocabulary *v = &model->specials;
    const wwho_info *info = &model->info;
    uint32_t at = 4;
    bool unk = info->unk_id == WWHO_NONE;
    if (s.length < 4 || read32(s.at) != v->n_tokens) return WWHO_SPECIALS;
    for (uint32_t i = 0; i < v->n_tokens; i++) {
        if (s.length - at < 6) return WWHO_SPECIALS;
        uint32_t id = read32(s.at + at), length = read16(s.at + at + 4);
        const uint8_t *text = s.at + at + 6;
        if (!length || length > WWHO_MAX_TOKEN || s.length - at - 6 < length || !well_formed(text, length)) return WWHO_SPECIALS;
        if ((i && id < model->special_ids[i - 1]) || id >= info->first_atom) return WWHO_SPECIALS;
        if (add_symbol(v, i, text, length, s.length)) return WWHO_SPECIALS;
        model->special_ids[i] = id;
        unk |= id == info->unk_id;
        at += 6 + length;
    }
    model->info.n_specials = v->n_tokens;
    if (at != s.length || model->models[0].n_ids > info->n_base) return WWHO_SPECIALS;
    return unk ? WWHO_OK : WWHO_META;
}

/* The ids of the base's tokens, where they step over those of special tokens. */
static void number_base(wwho_model *model) {
    wwho_vocabulary *v = &model->models[0];
    if (!v->ids) return;
    for (uint32_t id = 0, token = 0, special = 0; id < v->n_ids; id++) {
        while (special < model->info.n_specials && model->special_ids[special] < id) special++;
        bool taken = special < model->info.n_specials && model->special_ids[special] == id;
        v->by_id[id] = taken ? WWHO_NONE : token;
        if (!taken) v->ids[token++] = id;
    }
}

/* The ids of the SGPE tokens. */
static int build_ids(const wwho_file *file, wwho_model *model) {
    wwho_section s = file->section[KIND_IDS];
    wwho_vocabulary *v = &model->models[1];
    if (!s.at) return WWHO_OK;
    const uint8_t *p = s.at, *end = s.at + s.length;
    uint32_t space = v->space_id - v->first_id, given = v->space_id != WWHO_NONE;
    for (uint32_t i = 0; i < v->n_ids; i++) v->by_id[i] = WWHO_NONE;
    for (uint32_t token = 0, number = 0, value; token < v->n_tokens; token++) {
        if (!(p = read_leb(p, end, &value))) return WWHO_IDS;
        number += unzigzag(value);
        v->ids[token] = number ? v->first_id + number - 1 : WWHO_NONE;
        if (!number) continue;
        if (number > v->n_ids || number - 1 == space || v->by_id[number - 1] != WWHO_NONE) return WWHO_IDS;
        v->by_id[number - 1] = token;
        given++;
    }
    return p == end && given == v->n_ids ? WWHO_OK : WWHO_IDS;
}

/* The parts of the file that say how much memory the model takes, and that memory. */
static int plan(const uint8_t *blob, size_t len, wwho_file *file, wwho_arena *arena, wwho_model **model) {
    static const wwho_kind bytes_kind = {encode_piece}, units_kind = {encode_segment};
    int status = check_header(blob, len, file);
    if (!status) status = check_sum(blob, len);
    if (!status) status = check_sections(blob, len, file);
    if (!status) status = check_meta(file);
    if (!status) status = check_classes(file);
    if (status) return status;
    const wwho_info *m = &file->info;
    wwho_model *made = take(arena, sizeof *made);
    wwho_automaton *automata;
    uint32_t n_automata;
    *model = made;
    status = build_automata(file->section[KIND_AUTOMATA], &file->classes, arena, &automata, &n_automata);
    if (status) return status;
    wwho_vocabulary base, sgpe, specials;
    take_vocabulary(arena, &base, 256, m->n_base_tokens - 256, 0, file->base_text_bytes);
    base.kind = &bytes_kind;
    base.bytes = take(arena, sizeof *base.bytes);
    take_whole(arena, &base);
    base.unk_id = base.space_id = WWHO_NONE;
    uint32_t stepped = stepped_over(file);
    if (stepped) take_ids(arena, &base, m->n_base_tokens + stepped);
    take_vocabulary(arena, &sgpe, m->n_atoms, m->n_merges, m->n_superwords, file->sgpe_text_bytes);
    sgpe.kind = &units_kind;
    sgpe.first_id = m->first_atom;
    sgpe.unk_id = m->unk_id;
    sgpe.space_id = m->space_id;
    if (file->features & FEATURE_IDS) take_ids(arena, &sgpe, m->n_vocab - m->first_atom);
    uint32_t n_specials = specials_bound(file);
    take_vocabulary(arena, &specials, n_specials, 0, 0, file->section[KIND_SPECIALS].length);
    uint32_t *special_ids = take(arena, 4 * (uint64_t)n_specials);
    if (arena->used > WWHO_MAX_LENGTH) return WWHO_META;
    if (arena->used > arena->size) return WWHO_OK;
    *made = (wwho_model){.info = *m, .classes = file->classes, .n_automata = n_automata, .automata = automata,
                         .n_models = file->features & FEATURE_SGPE ? 2 : 1, .models = {base, sgpe}, .specials = specials,
                         .special_ids = special_ids};
    if (!(file->features & FEATURE_IDS)) made->models[1].speller = &made->models[0];
    return WWHO_OK;
}

int wwho_workspace_size(const uint8_t *blob, size_t len, size_t *size) {
    if (!blob || !size || (uintptr_t)blob % 4) return WWHO_ARGUMENT;
    wwho_file file = {.features = 0};
    wwho_arena arena = {0, 0, 0};
    wwho_model *none;
    int status = plan(blob, len, &file, &arena, &none);
    if (!status) *size = (size_t)arena.used;
    return status;
}

static uint32_t longest_text(const wwho_model *model) {
    uint32_t longest = model->specials.longest;
    for (uint32_t i = 0; i < model->n_models; i++)
        if (model->models[i].longest > longest) longest = model->models[i].longest;
    return longest;
}

int wwho_open(const uint8_t *blob, size_t len, void *work, size_t work_len, const wwho_model **result) {
    if (!blob || !work || !result || (uintptr_t)blob % 4 || (uintptr_t)work % 16) return WWHO_ARGUMENT;
    wwho_file file = {.features = 0};
    wwho_arena arena = {work, work_len, 0};
    wwho_model *model;
    int status = plan(blob, len, &file, &arena, &model);
    if (status) return status;
    if (arena.used > work_len) return WWHO_BUFFER;
    status = build_routes(&file, model);
    if (!status) status = build_base(&file, model);
    if (!status) status = build_sgpe(&file, model);
    if (!status) status = build_specials(&file, model);
    if (!status) status = build_ids(&file, model);
    if (status) return status;
    number_base(model);
    put_whole(&model->models[0]);
    model->info.max_token_bytes = longest_text(model);
    *result = model;
    return WWHO_OK;
}
