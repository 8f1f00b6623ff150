/* Opening an artifact: every MUST of FORMAT.md, in its order, before anything is read through it. */
#include "internal.h"
#include "utf8.h"

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
    file->n_classes = n_classes;
    return WWHO_OK;
}

static bool well_formed(const uint8_t *text, uint32_t n) {
    for (uint32_t at = 0, code_point, width; at < n; at += width) {
        width = utf8_next(text + at, n - at, &code_point);
        if (width == 1 && code_point == REPLACEMENT) return false;
    }
    return true;
}

/* Whether the routes of model 1 that the router may give one and the same text, by what follows it, have one scanner. */
static bool one_scanner(const wwho_file *file, const wwho_model *model) {
    wwho_stored router;
    uint32_t at = 4;
    for (uint32_t i = 0; i <= model->router; i++) next_automaton(file, &at, &router);
    for (uint32_t state = WWHO_START; state < router.n_states; state++) {
        uint32_t scanner = WWHO_NONE;
        for (uint32_t column = 0; column < router.n_columns; column++) {
            uint32_t mark = entry_at(&router, state, column) >> 10;
            if (!mark || !model->routes[mark - 1].sgpe) continue;
            if (scanner != WWHO_NONE && scanner != model->routes[mark - 1].scanner) return false;
            scanner = model->routes[mark - 1].scanner;
        }
    }
    return true;
}

static int build_routes(const wwho_file *file, wwho_model *model) {
    wwho_section s = file->section[KIND_ROUTES];
    if (s.length < 4) return WWHO_ROUTES;
    uint32_t router = read16(s.at), n = read16(s.at + 2), at = 4, sgpe = 0;
    if (n < 1 || n > WWHO_MAX_ROUTES) return WWHO_ROUTES;
    model->router = router == 0xFFFF ? WWHO_NONE : router;
    if (router == 0xFFFF ? n != 1 : router >= model->n_automata || model->automata[router].max_mark > n) return WWHO_ROUTES;
    for (uint32_t i = 0; i < n; i++) {
        if (s.length - at < 4) return WWHO_ROUTES;
        wwho_route r = {.scanner = (uint16_t)read16(s.at + at), .sgpe = s.at[at + 2], .name_length = s.at[at + 3],
                        .name = s.at + at + 4};
        if (r.scanner >= model->n_automata || r.sgpe > 1 || !r.name_length || s.length - at - 4 < r.name_length)
            return WWHO_ROUTES;
        if (r.sgpe && (!i || !(file->features & FEATURE_SGPE) || model->automata[r.scanner].max_mark > 3)) return WWHO_ROUTES;
        if (!well_formed(r.name, r.name_length)) return WWHO_ROUTES;
        model->routes[i] = r;
        sgpe |= r.sgpe;
        at += 4u + r.name_length;
    }
    model->info.n_routes = n;
    if (at != s.length || sgpe != !!(file->features & FEATURE_SGPE)) return WWHO_ROUTES;
    return model->router == WWHO_NONE || one_scanner(file, model) ? WWHO_OK : WWHO_ROUTES;
}

static uint32_t table_bits(uint64_t n) {
    uint32_t bits = 4;
    while ((UINT64_C(1) << bits) / 2 < n) bits++;
    return bits;
}

static void *take_zeroed(wwho_arena *arena, uint64_t size) {
    void *at = take(arena, size);
    if (at) __builtin_memset(at, 0, size);
    return at;
}

static wwho_filter take_filter(wwho_arena *arena, uint32_t log2) {
    return (wwho_filter){take_zeroed(arena, UINT64_C(1) << log2 >> 3), log2};
}

static wwho_pairs take_pairs(wwho_arena *arena, uint32_t n) {
    uint32_t log2 = table_bits(n);
    uint64_t *slots = take_zeroed(arena, UINT64_C(8) << log2);
    return (wwho_pairs){slots, log2, take_filter(arena, log2 + 2)};
}

/* Memory for a vocabulary of `n_symbols` and `n_merges` tokens, the last of them superwords, whose texts are text_bytes long in all. */
static void take_vocabulary(wwho_arena *arena, wwho_vocabulary *v, uint32_t n_symbols, uint32_t n_merges, uint32_t n_superwords,
                            uint32_t text_bytes) {
    uint32_t n = n_symbols + n_merges;
    *v = (wwho_vocabulary){.n_symbols = n_symbols, .n_tokens = n, .n_plain = n - n_superwords, .n_ids = n,
                            .strings_bits = table_bits(n)};
    v->offset = take(arena, 4 * ((uint64_t)n + 1));
    v->left = take(arena, 4 * (uint64_t)n);
    v->right = take(arena, 4 * (uint64_t)n);
    v->texts = take(arena, text_bytes);
    v->pairs = take_pairs(arena, n_merges - n_superwords);
    if (n_superwords) v->superwords = take_pairs(arena, n_superwords);
    v->strings = take_zeroed(arena, UINT64_C(8) << v->strings_bits);
    v->text_filter = take_filter(arena, v->strings_bits + 2);
    v->prefix_filter = take_filter(arena, v->strings_bits + 1);
    if (v->offset) v->offset[0] = 0;
}

/* Memory for ids of the tokens' own, of n that there may be. */
static void take_ids(wwho_arena *arena, wwho_vocabulary *v, uint32_t n) {
    v->n_ids = n;
    v->ids = take(arena, 4 * (uint64_t)v->n_tokens);
    v->by_id = take(arena, 4 * (uint64_t)v->n_ids);
}

/* Fill in the pairs of bytes. A pair is eager where each merge of its first byte with a longer token to the left, and of its
 * second byte with one to the right, comes later. */
static void pair_bytes(wwho_vocabulary *v) {
    wwho_bytes *b = v->bytes;
    uint32_t from_left[256], from_right[256]; /* the first merge of a byte's token with a longer one on that side */
    __builtin_memset(from_left, 255, sizeof from_left);
    __builtin_memset(from_right, 255, sizeof from_right);
    for (uint32_t token = v->n_tokens; token-- > v->n_symbols;) {
        uint32_t left = v->left[token], right = v->right[token];
        if (left < 256 && right >= 256) from_right[v->texts[v->offset[left]]] = token;
        if (right < 256 && left >= 256) from_left[v->texts[v->offset[right]]] = token;
    }
    __builtin_memset(b->eager, 0, sizeof b->eager);
    for (uint32_t i = 0; i < 1 << 16; i++) {
        uint32_t merged = b->pair[i] = pair_token(&v->pairs, b->token[i >> 8], b->token[i & 255]);
        if (merged < from_left[i >> 8] && merged < from_right[i & 255]) b->eager[i >> 3] |= (uint8_t)(1u << (i & 7));
    }
}

static int build_base(const wwho_file *file, wwho_model *model) {
    wwho_section s = file->section[KIND_BASE];
    wwho_vocabulary *v = &model->base;
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
    wwho_vocabulary *v = &model->sgpe;
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
    if (at != s.length || model->base.n_ids > info->n_base) return WWHO_SPECIALS;
    return unk ? WWHO_OK : WWHO_META;
}

/* The ids of the base's tokens, where they step over those of special tokens. */
static void number_base(wwho_model *model) {
    wwho_vocabulary *v = &model->base;
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
    wwho_vocabulary *v = &model->sgpe;
    if (!s.at) return WWHO_OK;
    const uint8_t *p = s.at, *end = s.at + s.length;
    uint32_t space = model->info.space_id - v->first_id, given = model->info.space_id != WWHO_NONE;
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
    v->no_id = model->info.unk_id;
    return p == end && given == v->n_ids ? WWHO_OK : WWHO_IDS;
}

static void use_classes(const wwho_file *file, wwho_model *model) {
    const uint8_t *classes = file->section[KIND_CLASSES].at;
    model->page = (const uint16_t *)(const void *)(classes + 4);
    model->pages = classes + 4 + 2 * N_PAGES;
    model->ascii = model->pages + 128u * model->page[0];
}

/* The parts of the file that say how much memory the model takes, and that memory. */
static int plan(const uint8_t *blob, size_t len, wwho_file *file, wwho_arena *arena, wwho_model **model) {
    int status = check_header(blob, len, file);
    if (!status) status = check_sum(blob, len);
    if (!status) status = check_sections(blob, len, file);
    if (!status) status = check_meta(file);
    if (!status) status = check_classes(file);
    if (status) return status;
    const wwho_info *m = &file->info;
    wwho_model *made = take(arena, sizeof *made), unused;
    *model = made;
    if (made) *made = (wwho_model){.info = *m, .n_classes = file->n_classes};
    if (made) use_classes(file, made);
    status = build_automata(file, arena, made);
    if (status) return status;
    take_vocabulary(arena, made ? &made->base : &unused.base, 256, m->n_base_tokens - 256, 0, file->base_text_bytes);
    wwho_bytes *bytes = take(arena, sizeof *bytes);
    if (made) made->base.bytes = bytes;
    uint32_t stepped = stepped_over(file);
    if (stepped) take_ids(arena, made ? &made->base : &unused.base, m->n_base_tokens + stepped);
    take_vocabulary(arena, made ? &made->sgpe : &unused.sgpe, m->n_atoms, m->n_merges, m->n_superwords,
                    file->sgpe_text_bytes);
    if (file->features & FEATURE_IDS) take_ids(arena, made ? &made->sgpe : &unused.sgpe, m->n_vocab - m->first_atom);
    uint32_t n_specials = specials_bound(file);
    take_vocabulary(arena, made ? &made->specials : &unused.specials, n_specials, 0, 0, file->section[KIND_SPECIALS].length);
    uint32_t *ids = take(arena, 4 * (uint64_t)n_specials);
    if (made) made->special_ids = ids;
    return WWHO_OK;
}

int wwho_workspace_size(const uint8_t *blob, size_t len, size_t *size) {
    if (!blob || !size || (uintptr_t)blob % 4) return WWHO_ARGUMENT;
    wwho_file file = {.features = 0};
    wwho_arena arena = {0, 0, 0};
    wwho_model *none;
    int status = plan(blob, len, &file, &arena, &none);
    if (status) return status;
    if (arena.used > WWHO_MAX_LENGTH) return WWHO_META;
    *size = (size_t)arena.used;
    return WWHO_OK;
}

static uint32_t longest_text(const wwho_model *model) {
    uint32_t longest = model->base.longest > model->sgpe.longest ? model->base.longest : model->sgpe.longest;
    return longest > model->specials.longest ? longest : model->specials.longest;
}

int wwho_open(const uint8_t *blob, size_t len, void *work, size_t work_len, const wwho_model **result) {
    if (!blob || !work || !result || (uintptr_t)blob % 4 || (uintptr_t)work % 16) return WWHO_ARGUMENT;
    wwho_file file = {.features = 0};
    wwho_arena arena = {work, work_len, 0};
    wwho_model *model;
    int status = plan(blob, len, &file, &arena, &model);
    if (status) return status;
    if (arena.used > WWHO_MAX_LENGTH) return WWHO_META;
    if (arena.used > work_len) return WWHO_BUFFER;
    model->sgpe.first_id = model->info.first_atom;
    status = build_routes(&file, model);
    if (!status) status = build_base(&file, model);
    if (!status) status = build_sgpe(&file, model);
    if (!status) status = build_specials(&file, model);
    if (!status) status = build_ids(&file, model);
    if (status) return status;
    number_base(model);
    model->info.max_token_bytes = longest_text(model);
    *result = model;
    return WWHO_OK;
}
