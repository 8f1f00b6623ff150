/* See merge.h. */
#include "merge.h"

#include "early.h"

/* Return when a token is made, in its own text and in any other: the highest rank of all merges that make it. */
static uint32_t level_of(const wwho_vocabulary *v, uint32_t token) { return v->level ? v->level[token] : token; }

/* Return true if two tokens are a valid pair: BPE over their joined text ends with just these two. The loop goes back in time along the
 * seam. x is the last part of the left token, and y is the first part of the right one. `limit` is the highest rank of a merge from the
 * time when both exist until either becomes part of a larger token. If the pair (x, y) had a lower rank, it would have merged first. Of
 * equal ranks, the left one merges first. On the right side of the seam, the left one is the merge at the seam itself, hence the + 1. The
 * larger token may need a merge of higher rank than its own, inside x or y. Then it was made as soon as its parts were, so its own rank is
 * the limit. */
static bool stay_apart(const wwho_vocabulary *v, uint32_t x, uint32_t y) {
    for (uint32_t limit = WWHO_NONE;;) {
        uint32_t a = level_of(v, x), b = level_of(v, y);
        if (pair_rank(&v->pairs, x, y) < limit) return false;
        if (a > b) {
            if (x < v->n_symbols) return true;
            limit = level_of(v, v->right[x]) == a ? v->rank[x] : a;
            x = v->right[x];
        } else {
            if (y < v->n_symbols) return true;
            limit = 1 + (level_of(v, v->left[y]) == b && level_of(v, v->right[y]) != b ? v->rank[y] : b);
            y = v->left[y];
        }
    }
}

/* Return true if each token is what its own symbols merge to: two tokens that merge are not kept apart by an earlier merge at the seam,
 * which stay_apart() explains. False also where ranks are not the numbers of tokens, without a look at them. */
WWHO_LOCAL bool all_replay(const wwho_vocabulary *v) {
    if (v->level) return false;
    for (uint32_t token = v->n_symbols; token < v->n_plain; token++) {
        uint32_t x = v->left[token], y = v->right[token];
        while (x > y ? x >= v->n_symbols : y >= v->n_symbols) {
            uint32_t limit = x > y ? x : y + 1;
            if (x > y)
                x = v->right[x];
            else
                y = v->left[y];
            if (pair_rank(&v->pairs, x, y) < limit) return false;
        }
    }
    return true;
}

/* Return the symbol whose text is run->text[at..end), or WWHO_NONE. */
static uint32_t find_symbol(const wwho_run *run, size_t at, size_t end) {
    uint32_t token = find_text(run->v, run->text + at, end - at, run->len - at, hash_text(run->text + at, end - at, run->len - at));
    return token < run->v->n_symbols ? token : WWHO_NONE;
}

/* Return the end of the symbol that begins at `at`, in a text that was written as symbols (run->written). */
WWHO_LOCAL size_t written_end(const wwho_run *run, size_t at) {
    do at++;
    while (at < run->segment_end && !(run->written[at] & SYMBOL_BEGINS));
    return at;
}

/* Find the ends of the symbols of a run from `at` on, into m->ends: at least as many as `units` says, and all that begin in the next
 * `bytes`, as far as the run and the room have them. Symbols found before are kept from `at` on if one begins there; else none is.
 * run->end moves back to the first match of run->units that is no syllable. */
WWHO_LOCAL void look_at_units(wwho_merging *m, wwho_run *run, size_t at, uint32_t units, size_t bytes) {
    uint32_t skip = 0;
    while (skip < m->n && m->ends[skip] <= at) skip++;
    if (at != m->from && !(skip && m->ends[skip - 1] == at)) skip = m->n;
    m->n -= skip;
    m->known = m->known > skip ? m->known - skip : 0;
    for (uint32_t i = 0; skip && i < m->n; i++) {
        m->ends[i] = m->ends[i + skip];
        m->symbols[i] = m->symbols[i + skip];
    }
    m->from = at;
    WWHO_ASSERT(at <= run->end && m->known <= m->n && m->n <= WWHO_MAX_TOKEN + 1);
    size_t end = m->n ? m->ends[m->n - 1] : at;
    if (end >= run->end || (m->n >= units && end - at >= bytes)) return;
    for (; run->written && end < run->end; m->ends[m->n++] = (uint32_t)end) {
        if (m->n > WWHO_MAX_TOKEN || (m->n >= units && end - at >= bytes)) return;
        end = written_end(run, end);
    }
    if (run->written) return;
    if (end == run->start && run->first_end) m->ends[m->n++] = (uint32_t)(end = run->first_end);
    for (wwho_cursor c = start_at(run->classes, run->text, end, run->segment_end); c.at < run->end; end = c.at) {
        uint32_t rule;
        if (m->n > WWHO_MAX_TOKEN || (m->n >= units && c.at - at >= bytes)) return;
        scan_piece(run->classes, run->units, &c, &rule);
        if (rule != WWHO_SYLLABLE)
            run->end = end;
        else
            m->ends[m->n++] = (uint32_t)c.at;
    }
}

/* Look up the tokens of the first n symbols in m->ends, into m->symbols. run->end and m->n move back to the first whose text is no
 * symbol. */
static void know_symbols(wwho_merging *m, wwho_run *run, uint32_t n) {
    for (; m->known < n && m->known < m->n; m->known++) {
        size_t start = m->known ? m->ends[m->known - 1] : m->from;
        m->symbols[m->known] = find_symbol(run, start, m->ends[m->known]);
        if (m->symbols[m->known] != WWHO_NONE) continue;
        run->end = start;
        m->n = m->known;
    }
}

/* Merge the window of symbols that starts at m->at, into m->row. Returns the place up to which its tokens are valid. This excludes the last
 * symbols, whose tokens might extend past the window. run->end may move back to text that is no symbol. Over bytes, a window with the text
 * of the one before is not merged again. */
static size_t load_window(wwho_merging *m, wwho_run *run) {
    uint32_t window = m->window, kept = window == WINDOW ? WINDOW * 7 / 8 : WIDE_WINDOW * 3 / 4;
    wwho_row *row = &m->row;
    size_t at = m->at, left = run->end - at;
    if (run->units) {
        /* Look at few symbols first: one that is unknown ends the run, and those behind it would be looked at again. */
        for (uint32_t n = 1, all = window + 1; n <= all; n = n < all && 4 * n > all ? all : 4 * n) {
            look_at_units(m, run, at, n, 0);
            know_symbols(m, run, n);
            if (m->n < n) break;
        }
        start_row(row, &run->v->pairs, run->draws);
        for (uint32_t i = 0; i < m->n && i < window; i++) push_symbol(row, m->symbols[i]);
        replay(row, 1);
        return m->n > window ? m->ends[kept - 1] : run->end;
    }
    /* a window with the same text as the one before has the same tokens */
    bool same = !run->draws && m->loaded_width == window && left >= window && same_text(run->text + at, run->text + m->loaded, window);
    if (!same) {
        start_row(row, &run->v->pairs, run->draws);
        const uint32_t n = left < window ? (uint32_t)left : window;
        if (run->draws)
            push_each_byte(row, run->v, run->text + at, n);
        else
            push_bytes(row, run->v, run->text + at, n);
        replay(row, 1);
    }
    m->loaded = at;
    m->loaded_width = left < window ? 0 : window;
    return left > window ? at + kept : run->end;
}

/* Merge the window at m->at, and append its valid tokens to m->tokens. Returns false if they do not fit after the last token, or if none
 * is valid; true, without tokens, if the run ends here. */
static bool take_window(wwho_merging *m, wwho_run *run) {
    size_t limit = load_window(m, run), start = m->at;
    const wwho_row *row = &m->row;
    if (m->at >= run->end) return true;
    if (m->count && !run->draws && !stay_apart(run->v, m->tokens[m->count - 1], row->tokens[0])) return false;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t length = token_length(run->v, row->tokens[i]);
        if (m->at + length > limit && !(run->draws && !i)) break;
        m->tokens[m->count++] = row->tokens[i];
        m->at += length;
    }
    return m->at > start;
}

/* Return true if merges make a token from exactly the first n symbols in m->ends; always true over bytes. A token with the same text may be
 * made from other symbols. Overwrites m->parts. */
static bool made_of(wwho_merging *m, const wwho_run *run, uint32_t token, uint32_t n) {
    const wwho_vocabulary *v = run->v;
    size_t start = m->from;
    for (uint32_t i = 0, parts = 0; run->units; start = m->ends[i++]) {
        for (; token >= v->n_symbols; token = v->left[token]) m->parts[parts++] = v->right[token];
        if (token_length(v, token) != m->ends[i] - start) return false;
        if (!parts) return i + 1 == n;
        token = m->parts[--parts];
    }
    return true;
}

/* Return true if an automaton for units cuts the text of each token into the symbols that merge to it, or not into syllables alone,
 * wherever a word has that text; false also for an automaton whose matches depend on what follows them, without a look at the tokens. Then
 * a word of several units that has the text of a token is what the token is made of. Overwrites what *m knows of a run. */
WWHO_LOCAL bool cuts_as_merged(wwho_merging *m, const wwho_vocabulary *v, const wwho_classes *classes, const wwho_automaton *units) {
    const wwho_stored *stored = &units->stored;
    for (uint32_t state = WWHO_START, mark, at_end; state < stored->n_states; state++) {
        stored_step(stored, state, 0, &at_end);
        for (uint32_t column = 1; column < stored->n_columns; column++) {
            stored_step(stored, state, column, &mark);
            if (mark != at_end) return false;
        }
    }
    for (uint32_t token = v->n_symbols; token < v->n_plain; token++) {
        const uint32_t n = token_length(v, token);
        wwho_run run = {.v = v, .text = v->texts + v->offset[token], .len = n, .end = n, .segment_end = n};
        run.classes = classes;
        run.units = units;
        start_merge(m, &run);
        look_at_units(m, &run, 0, 0, n);
        if (run.end == n && m->n > 1 && !made_of(m, &run, token, m->n)) return false;
    }
    return true;
}

/* Append the longest token that fits after the last one, at m->at, to m->tokens. If none fits, remove the last token, and note its end as
 * one where no token can end. Returns false when the walk gives up: there is no token to remove, or it has gone back too far. */
static bool walk(wwho_merging *m, wwho_run *run) {
    const wwho_vocabulary *v = run->v;
    size_t at = m->at;
    if (at > m->furthest) m->furthest = at;
    uint32_t n = run->end - at < v->longest ? (uint32_t)(run->end - at) : v->longest, length = n, token;
    if (run->units) {
        look_at_units(m, run, at, 0, v->longest);
        know_symbols(m, run, m->n);
        for (n = m->n; n && m->ends[n - 1] - at > v->longest; n--) {
        }
        if (at >= run->end) return true;
        length = n ? m->ends[n - 1] - (uint32_t)at : 0;
    }
    wwho_matches matches;
    start_matches(v, &matches, run->text + at, length, run->len - at);
    for (; n; n--) {
        length = run->units ? m->ends[n - 1] - (uint32_t)at : n;
        uint32_t place = (uint32_t)(at + length - run->start) + 1;
        if (m->dead[place % REACH] == place) continue;
        token = match_of(v, &matches, length);
        if (token == WWHO_NONE || !made_of(m, run, token, n)) continue;
        if (m->count && !stay_apart(v, m->tokens[m->count - 1], token)) continue;
        m->tokens[m->count++] = token;
        m->at += length;
        return true;
    }
    if (!m->count || m->furthest - at >= REACH - WWHO_MAX_TOKEN) return false;
    uint32_t place = (uint32_t)(at - run->start) + 1;
    m->dead[place % REACH] = place;
    m->dirty = true;
    m->at -= token_length(v, m->tokens[--m->count]);
    return true;
}

/* Start to merge a run: clear what *m knows of the run before, and stand at its start without tokens. Remembered characters and recent
 * pretokens stay. */
WWHO_LOCAL void start_merge(wwho_merging *m, const wwho_run *run) {
    if (m->dirty) fill_bytes(m->dead, 0, sizeof m->dead);
    m->dirty = false;
    m->at = m->from = run->start;
    m->walk_to = m->furthest = 0;
    m->count = m->n = m->known = m->loaded_width = 0;
    m->window = !run->draws && (run->end - run->start > 2 * WINDOW || run->units) ? WINDOW : WIDE_WINDOW;
}

/* Continue to merge a run; tokens are appended to m->tokens. Returns true at the end of the run, or if merging gives up at m->at before
 * it: the symbols from there on are then taken unmerged, because the vocabulary's tokens do not merge back to themselves. Returns false
 * when the first REACH of 2 * REACH tokens are final: the caller writes them, calls take_final(), and merges on. */
WWHO_LOCAL bool merge(wwho_merging *m, wwho_run *run) {
    while (m->at < run->end) {
        WWHO_ASSERT(m->at >= run->start && m->count <= 2 * REACH);
        if (m->count + WIDE_WINDOW > 2 * REACH) return false;
        if (m->at >= m->walk_to) {
            if (take_window(m, run)) continue;
            if (m->window == WINDOW && run->end - m->at > WINDOW) {
                m->window = WIDE_WINDOW;
                continue;
            }
            m->walk_to = m->at + WINDOW;
        }
        if (!walk(m, run)) break;
    }
    return true;
}

/* Remove the first REACH tokens of m->tokens, which are final and were written. */
WWHO_LOCAL void take_final(wwho_merging *m) {
    WWHO_ASSERT(m->count >= REACH && m->count <= 2 * REACH);
    m->count -= REACH;
    for (uint32_t i = 0; i < m->count; i++) m->tokens[i] = m->tokens[i + REACH];
}

/* Return the symbol of a run at `at`, for a run that merging gave up; its length in bytes goes to *n. There is one, because the run ends
 * before text that is none. */
WWHO_LOCAL uint32_t symbol_at(wwho_merging *m, wwho_run *run, size_t at, uint32_t *n) {
    *n = 1;
    if (!run->units) return run->v->bytes->token[run->text[at]];
    look_at_units(m, run, at, 1, 0);
    *n = m->ends[0] - (uint32_t)at;
    return find_symbol(run, at, m->ends[0]);
}
