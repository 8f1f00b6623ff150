/* Phrases: what superwords are learnt from. */

/* A stretch of phrases that follow each other, count equally often, and are of the same sources. */
typedef struct {
    size_t end; /* the token after them */
    uint64_t count, sources;
} stretch;

struct wwho_phrases {
    const wwho_model *model;
    uint32_t first_id, n_tokens;
    uint32_t *token; /* a NONE before, between and after the phrases */
    size_t n, room;
    stretch *stretches;
    size_t n_stretches, stretches_room;
    /* scratch: of one line, its units, and its tokens with their ends */
    wwho_span *spans;
    uint32_t *ids, *ends;
    void *work; /* of the encoder, all zero at first */
    size_t spans_room, ids_room, ends_room;
};

/* Free phrases and all of their arrays; null is allowed. */
void wwho_phrases_free(wwho_phrases *phrases) {
    if (!phrases) return;
    void *parts[] = {phrases->token, phrases->stretches, phrases->spans, phrases->ids, phrases->ends, phrases->work};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    free(phrases);
}

/* Return an object without phrases for a model, which must stay open, or null if there is no memory. */
wwho_phrases *wwho_phrases_new(const wwho_model *model, uint32_t first_id, uint32_t n_tokens) {
    wwho_phrases *phrases = calloc(1, sizeof *phrases);
    if (!phrases || reserve(&phrases->token, &phrases->room, 1, sizeof *phrases->token)) {
        wwho_phrases_free(phrases);
        return NULL;
    }
    phrases->model = model;
    phrases->first_id = first_id;
    phrases->n_tokens = n_tokens;
    phrases->token[phrases->n++] = NONE;
    return phrases;
}

/* End the phrase that was being collected, if there is one, with a NONE. A phrase of a single token holds no pair: it is dropped. */
static void end_phrase(wwho_phrases *phrases) {
    if (phrases->token[phrases->n - 1] == NONE) return;
    if (phrases->token[phrases->n - 2] == NONE)
        phrases->n--;
    else
        phrases->token[phrases->n++] = NONE;
}

/* Encode a line of len bytes with the model: phrases->spans become its units, phrases->ids and phrases->ends its tokens, with the places
 * where they end in the line, and *job their counts. Returns a status. */
static int encode_line(wwho_phrases *phrases, const uint8_t *text, size_t len, wwho_job *job) {
    int status = reserve(&phrases->ids, &phrases->ids_room, len, sizeof *phrases->ids);
    if (!status) status = reserve(&phrases->ends, &phrases->ends_room, len, sizeof *phrases->ends);
    if (!status) status = reserve(&phrases->spans, &phrases->spans_room, len, sizeof *phrases->spans);
    if (status) return status;
    size_t size = wwho_scratch_size(phrases->model);
    if (!phrases->work) phrases->work = calloc(1, size);
    if (!phrases->work) return WWHO_MEMORY;
    *job = (wwho_job){.scratch = phrases->work,
                      .scratch_len = size,
                      .ids = phrases->ids,
                      .ends = phrases->ends,
                      .cap = len,
                      .spans = phrases->spans,
                      .spans_cap = len};
    return wwho_encode(phrases->model, text, len, NULL, job);
}

enum { MAX_WORD_UNITS = 255 };

/* Append the phrases of one line, or of a part of it beside added tokens, to phrases->token. A word with a token beyond n_tokens, or with
 * more than MAX_WORD_UNITS units, ends a phrase and is in none. Returns a status. */
static int collect_line(wwho_phrases *phrases, const uint8_t *text, size_t len) {
    size_t id = 0;
    wwho_job job;
    int status = encode_line(phrases, text, len, &job);
    /* a phrase ends after its last token, so each token takes at most two places */
    if (!status) status = reserve(&phrases->token, &phrases->room, phrases->n + 2 * job.n + 2, sizeof *phrases->token);
    if (status) return status;
    const wwho_span *end = phrases->spans + job.n_spans;
    uint32_t route = 0;
    for (const wwho_span *unit = phrases->spans, *first; unit < end;) {
        first = unit++;
        if (first->rule == WWHO_SYLLABLE)
            while (unit < end && !unit->first && unit->rule == WWHO_SYLLABLE) unit++;
        if (first->rule != WWHO_SYLLABLE || first->route != route || text[first->start] != ' ') end_phrase(phrases);
        route = first->route;
        if (first->rule != WWHO_SYLLABLE) continue;
        size_t before = phrases->n;
        bool whole = unit - first <= MAX_WORD_UNITS;
        while (id < job.n && phrases->ends[id] <= first->start) id++;
        for (; id < job.n && phrases->ends[id] <= unit[-1].end; id++) {
            uint32_t token = phrases->ids[id] - phrases->first_id;
            whole = whole && token < phrases->n_tokens;
            phrases->token[phrases->n++] = token;
        }
        if (!whole) {
            phrases->n = before;
            end_phrase(phrases);
        }
    }
    end_phrase(phrases);
    return WWHO_OK;
}

/* Put the tokens that were collected after the last stretch into a stretch with this count and these sources, or into the last one if it
 * has the same. Returns a status. */
static int count_stretch(wwho_phrases *phrases, uint64_t count, uint64_t sources) {
    size_t n = phrases->n_stretches;
    if (!n || phrases->stretches[n - 1].count != count || phrases->stretches[n - 1].sources != sources) {
        int status = reserve(&phrases->stretches, &phrases->stretches_room, n + 1, sizeof *phrases->stretches);
        if (status) return status;
        phrases->stretches[phrases->n_stretches++] = (stretch){0, count, sources};
    }
    phrases->stretches[phrases->n_stretches - 1].end = phrases->n;
    return WWHO_OK;
}

/* Collect the phrases of a share of the lines of a text of len bytes, with their count and sources. The hash of a line alone decides
 * whether it is taken. */
int wwho_phrases_collect(wwho_phrases *phrases, const uint8_t *text, size_t len, uint64_t share, uint64_t count, uint64_t sources) {
    if (!phrases || (!text && len)) return WWHO_ARGUMENT;
    int status = WWHO_OK;
    for (size_t at = 0, end; !status && at < len; at = end) {
        end = line_end(text, at, len);
        bool taken = mixed(hash_of(text + at, end - at)) >> 32 < share;
        while (taken && !status && at < end) {
            wwho_span token = {(uint32_t)end, (uint32_t)end, 0, 0, 0};
            size_t from = at;
            added_tokens(phrases->model, text, &at, end, &token, 1);
            if (token.start > from) status = collect_line(phrases, text + from, token.start - from);
        }
    }
    return status ? status : count_stretch(phrases, count, sources);
}

/* Take over from phrases how often each position counts, and its sources: each stretch becomes a run of the merger. Nothing is taken where
 * all count once, and m->run then stays null. Returns a status. */
static int take_counts(wwho_merger *m, const wwho_phrases *phrases) {
    size_t at = 0, n = phrases->n_stretches;
    if (n == 0 || (n == 1 && phrases->stretches[0].count == 1)) return WWHO_OK;
    m->run = malloc(phrases->n * sizeof *m->run);
    m->run_count = malloc(n * sizeof *m->run_count);
    m->run_sources = malloc(n * sizeof *m->run_sources);
    if (!m->run || !m->run_count || !m->run_sources) return WWHO_MEMORY;
    for (uint32_t run = 0; run < n; run++) {
        m->run_count[run] = phrases->stretches[run].count;
        m->run_sources[run] = phrases->stretches[run].sources;
        while (at < phrases->stretches[run].end) m->run[at++] = run;
    }
    return WWHO_OK;
}

/* Take over the tokens of the phrases, which are used up, and measure each token. Tokens count from the model's first one; each is of
 * one word. `pairs` has the parts of those that are merged, the last n_pairs ones; WWHO_ARGUMENT where a part comes after its merge. */
static int take_phrases(wwho_merger *m, wwho_phrases *phrases, const uint32_t *pairs, size_t n_pairs) {
    size_t most = m->n_atoms + m->max_merges, n_plain = m->n_atoms - n_pairs;
    m->words = malloc(most + 1);
    if (!m->words) return WWHO_MEMORY;
    for (uint32_t token = 0; token < m->n_atoms; token++) {
        const uint8_t *text;
        size_t len;
        int status = wwho_token_bytes(phrases->model, phrases->first_id + token, &text, &len);
        if (status) return status;
        const uint32_t *parts = token < n_plain ? NULL : pairs + 2 * (token - n_plain);
        if (parts && (parts[0] >= token || parts[1] >= token)) return WWHO_ARGUMENT;
        m->bytes[token] = (uint16_t)len;
        m->units[token] = parts ? (uint16_t)(m->units[parts[0]] + m->units[parts[1]]) : 1;
        m->words[token] = 1 | (text[0] == ' ' ? BEGINS_WORD : 0);
    }
    int status = take_counts(m, phrases);
    if (status) return status;
    m->n = phrases->n;
    m->token = phrases->token;
    phrases->token = NULL;
    phrases->n = phrases->room = 0;
    return add_positions(m);
}

/* Make a merger over the tokens of phrases, which are used up, for merges that join words, and count their first pairs. On failure,
 * *merger is null. train.h has the limits. */
int wwho_merger_of_phrases(wwho_phrases *phrases, const uint32_t *pairs, size_t n_pairs, size_t max_merges, uint64_t min_freq,
                           uint32_t max_units, uint32_t max_words, uint32_t min_sources, wwho_merger **merger) {
    if (!merger) return WWHO_ARGUMENT;
    *merger = NULL;
    if (!phrases || !phrases->room || n_pairs > phrases->n_tokens || (!pairs && n_pairs)) return WWHO_ARGUMENT;
    if (max_words < 2 || max_words > 127 || phrases->n > MAX_POSITIONS) return WWHO_ARGUMENT;
    int status = new_merger(phrases->n_tokens, max_merges, min_freq, max_units, merger);
    if (status) return status;
    (*merger)->max_words = max_words;
    (*merger)->min_sources = min_sources;
    status = take_phrases(*merger, phrases, pairs, n_pairs);
    if (!status) status = first_pairs(*merger);
    if (!status) return WWHO_OK;
    wwho_merger_free(*merger);
    *merger = NULL;
    return status;
}
