/* Phrases: what superwords are learnt from. */

/* Phrases that follow each other and count equally often. */
typedef struct {
    size_t end; /* the token behind them */
    uint64_t count;
} stretch;

struct wwho_phrases {
    uint32_t *token; /* a WWHO_NONE before, between and behind the phrases */
    size_t n, room;
    stretch *stretches;
    size_t n_stretches, stretches_room;
    wwho_span *spans;
    size_t spans_room;
};

wwho_phrases *wwho_phrases_new(void) {
    wwho_phrases *phrases = calloc(1, sizeof *phrases);
    if (!phrases || reserve(&phrases->token, &phrases->room, 1, sizeof *phrases->token)) return phrases;
    phrases->token[phrases->n++] = WWHO_NONE;
    return phrases;
}

void wwho_phrases_free(wwho_phrases *phrases) {
    if (!phrases) return;
    free(phrases->token);
    free(phrases->stretches);
    free(phrases->spans);
    free(phrases);
}

enum { MAX_WORD_UNITS = 255 };

/* A phrase ends. One of a single token holds no pair: it is dropped. */
static void end_phrase(wwho_phrases *phrases) {
    if (phrases->token[phrases->n - 1] == WWHO_NONE) return;
    if (phrases->token[phrases->n - 2] == WWHO_NONE)
        phrases->n--;
    else
        phrases->token[phrases->n++] = WWHO_NONE;
}

/* Append the tokens of a word of these units. Nothing is appended where a unit is none of the model's, or there are too many. */
static void put_tokens(wwho_phrases *phrases, const wwho_model *model, const uint8_t *text, size_t len, const wwho_span *first,
                       const wwho_span *last) {
    uint32_t bounds[MAX_WORD_UNITS], n = 0;
    uint8_t dead[MAX_WORD_UNITS / 8 + 1] = {0};
    if (last - first > MAX_WORD_UNITS) return;
    for (const wwho_span *unit = first; unit < last; unit++) bounds[n++] = unit->end - first->start;
    wwho_piece word = {&model->models[1], text + first->start, bounds, n, len - first->start};
    phrases->n += merge(&word, phrases->token + phrases->n, dead);
}

/* Collect the phrases of one line. */
static int collect_line(wwho_phrases *phrases, const wwho_model *model, const uint8_t *text, size_t len) {
    size_t n = 0;
    int status = wwho_spans(model, text, len, phrases->spans, phrases->spans_room, &n);
    if (status == WWHO_BUFFER) {
        status = reserve(&phrases->spans, &phrases->spans_room, n, sizeof *phrases->spans);
        if (!status) status = wwho_spans(model, text, len, phrases->spans, phrases->spans_room, &n);
    }
    /* each unit takes at most one place, and one more where a phrase ends */
    if (!status) status = reserve(&phrases->token, &phrases->room, phrases->n + 2 * n + 2, sizeof *phrases->token);
    if (status) return status;
    const wwho_span *end = phrases->spans + n;
    uint32_t route = 0;
    for (const wwho_span *unit = phrases->spans; unit < end;) {
        const wwho_span *first = unit++;
        if (first->rule == WWHO_SYLLABLE)
            while (unit < end && !unit->first && unit->rule == WWHO_SYLLABLE) unit++;
        if (first->rule != WWHO_SYLLABLE || first->route != route || text[first->start] != ' ') end_phrase(phrases);
        route = first->route;
        if (first->rule != WWHO_SYLLABLE) continue;
        size_t before = phrases->n;
        put_tokens(phrases, model, text, len, first, unit);
        if (phrases->n == before) end_phrase(phrases);
    }
    end_phrase(phrases);
    return WWHO_OK;
}

/* Let the tokens behind the last stretch count so often. */
static int count_stretch(wwho_phrases *phrases, uint64_t count) {
    size_t n = phrases->n_stretches;
    if (!n || phrases->stretches[n - 1].count != count) {
        int status = reserve(&phrases->stretches, &phrases->stretches_room, n + 1, sizeof *phrases->stretches);
        if (status) return status;
        phrases->stretches[phrases->n_stretches++].count = count;
    }
    phrases->stretches[phrases->n_stretches - 1].end = phrases->n;
    return WWHO_OK;
}

int wwho_phrases_collect(wwho_phrases *phrases, const wwho_model *model, const uint8_t *text, size_t len, uint64_t share,
                         uint64_t count) {
    if (!phrases || !model || (!text && len)) return WWHO_ARGUMENT;
    int status = phrases->room ? WWHO_OK : WWHO_MEMORY;
    for (size_t at = 0, end; !status && at < len; at = end) {
        const uint8_t *newline = memchr(text + at, '\n', len - at);
        end = newline ? (size_t)(newline - text) + 1 : len;
        bool taken = mixed(hash_of(text + at, end - at)) >> 32 < share;
        if (taken) status = collect_line(phrases, model, text + at, end - at);
    }
    return status ? status : count_stretch(phrases, count);
}

/* How often each position counts; nothing to say where all count once. */
static int take_counts(wwho_merger *m, const wwho_phrases *phrases) {
    size_t at = 0, n = phrases->n_stretches;
    if (n == 0 || (n == 1 && phrases->stretches[0].count == 1)) return WWHO_OK;
    m->run = malloc(phrases->n * sizeof *m->run);
    m->run_count = malloc(n * sizeof *m->run_count);
    if (!m->run || !m->run_count) return WWHO_MEMORY;
    for (uint32_t run = 0; run < n; run++) {
        m->run_count[run] = phrases->stretches[run].count;
        while (at < phrases->stretches[run].end) m->run[at++] = run;
    }
    return WWHO_OK;
}

/* Tokens have their ids of the model; each is of one word. */
static int take_phrases(wwho_merger *m, wwho_phrases *phrases, const wwho_vocabulary *v) {
    size_t most = m->n_atoms + m->max_merges;
    m->words = malloc(most + 1);
    if (!m->words) return WWHO_MEMORY;
    for (uint32_t token = 0; token < m->n_atoms; token++) {
        m->bytes[token] = (uint16_t)token_length(v, token);
        m->units[token] = token < v->n_symbols ? 1 : (uint16_t)(m->units[v->left[token]] + m->units[v->right[token]]);
        m->words[token] = 1 | (v->texts[v->offset[token]] == ' ' ? BEGINS_WORD : 0);
    }
    int status = take_counts(m, phrases);
    if (status) return status;
    m->n = phrases->n;
    m->token = phrases->token;
    phrases->token = NULL;
    phrases->n = phrases->room = 0;
    return add_places(m);
}

int wwho_merger_of_phrases(wwho_phrases *phrases, const wwho_model *model, size_t max_merges, uint64_t min_freq, uint32_t max_units,
                           uint32_t max_words, wwho_merger **merger) {
    if (!merger) return WWHO_ARGUMENT;
    *merger = NULL;
    if (!phrases || !phrases->room || !model || max_words < 2 || max_words > 127) return WWHO_ARGUMENT;
    if (phrases->n > MAX_POSITIONS) return WWHO_ARGUMENT;
    int status = new_merger(model->models[1].n_tokens, max_merges, min_freq, max_units, merger);
    if (status) return status;
    (*merger)->max_words = max_words;
    status = take_phrases(*merger, phrases, &model->models[1]);
    if (!status) status = first_pairs(*merger);
    if (!status) return WWHO_OK;
    wwho_merger_free(*merger);
    *merger = NULL;
    return status;
}
