/* See passes.h. */
#include "passes.h"

enum { MAX_CLUSTER = 6 };

/* Write the code points that a map turns a character into in front of `end`, or, if pairs compose it, the characters that they compose it
 * from. There must be room for 2 * MAX_TARGETS before `end`. Returns where they start. They are more than MAX_TARGETS if pairs form a
 * cycle, which is an error of the artifact. */
WWHO_LOCAL uint32_t *take_apart(const wwho_step *step, uint32_t code_point, uint32_t *end) {
    const wwho_rewrite *r = rewrite_of(step, code_point);
    uint32_t *at = end;
    for (; r->n == PAIRED && end - at < MAX_TARGETS; r = rewrite_of(step, code_point)) {
        *--at = step->compositions[r->at].second;
        code_point = step->compositions[r->at].first;
    }
    if (r->n >= PAIRED) *--at = code_point;
    for (uint32_t k = r->n >= PAIRED ? 0 : r->n; k--;) *--at = step->targets[r->at + k];
    return at;
}

/* Append n characters to run->next in place of `old` ones (0: they are additional). Their source is `source`, unless find_sources() later
 * derives it from the counts; the first gets `origin`, the others get none. With fewer than `old`, the count goes to the character before,
 * or to run->lost. Sets run->full if there is no room. */
static void put_characters(character_run *run, const uint32_t *code_points, uint32_t n, size_t old, uint32_t source, uint32_t origin) {
    for (uint32_t k = 0; k < n; k++) {
        run->full |= run->made == run->room;
        if (run->full) return;
        run->next[run->made++] = (step_character){code_points[k], source, k ? WWHO_NONE : origin, k >= old, 0};
    }
    if (n >= old) return;
    if (run->made)
        run->next[run->made - 1].change -= (int32_t)(old - n);
    else
        run->lost += old - n;
}

/* Append one character to run->next in place of `old` (1 or 0) characters, with its source and origin. Sets run->full if there is no
 * room. */
static void put_character(character_run *run, uint32_t code_point, uint32_t old, uint32_t source, uint32_t origin) {
    run->full |= run->made == run->room;
    if (!run->full) run->next[run->made++] = (step_character){code_point, source, origin, !old, 0};
}

/* Append a character of run->now to run->next as it is, with its source and the given origin. Sets run->full if there is no room. */
static void keep_character(character_run *run, const step_character *p, uint32_t origin) {
    put_character(run, p->code_point, 1, p->source, origin);
}

/* Decompose each character of run->now with the step's map, and Hangul syllables if its flags say so; the parts go to run->next with their
 * combining classes. Characters that may move or compose get no origin. */
static void take_all_apart(character_run *run, const wwho_step *step) {
    for (size_t i = 0; i < run->n; i++) {
        uint32_t parts[2 * MAX_TARGETS], *end = parts + 2 * MAX_TARGETS, *at = end;
        uint32_t code_point = run->now[i].code_point, syllable = code_point - SYLLABLES;
        if (step->flags & HANGUL_APART && syllable < N_SYLLABLES) {
            if (syllable % N_TAILS) *--at = TAILS + syllable % N_TAILS;
            *--at = VOWELS + syllable / N_TAILS % N_VOWELS;
            *--at = LEADS + syllable / N_TAILS / N_VOWELS;
        } else
            at = take_apart(step, code_point, end);
        put_characters(run, at, (uint32_t)(end - at), 1, 0, run->now[i].origin);
    }
    for (size_t i = 0; i < run->made; i++) {
        step_character *p = &run->next[i];
        const wwho_rewrite *r = rewrite_of(step, p->code_point);
        p->order = r->order;
        if (r->order || r->second || joins_hangul(step, p->code_point)) p->origin = WWHO_NONE;
    }
}

/* Sort each sequence of combining marks among the first n characters of run->next by class, in place. The sort is stable and takes linear
 * time, because it counts the combining marks of each class. Overwrites run->spare. */
static void order_combining_marks(character_run *run, size_t n) {
    step_character *next = run->next;
    for (size_t i = 0, end; i < n; i = end) {
        bool ordered = true;
        for (end = i + 1; end < n && next[end].order; end++) ordered &= next[end - 1].order <= next[end].order;
        if (ordered) continue;
        uint32_t from[256] = {0};
        for (size_t k = i; k < end; k++) from[next[k].order + 1]++;
        for (uint32_t k = 1; k < 256; k++) from[k] += from[k - 1];
        for (size_t k = i; k < end; k++) run->spare[from[next[k].order]++] = next[k];
        copy_bytes(next + i, run->spare, (end - i) * sizeof *next);
    }
}

/* Return the character that two characters compose to, by the map's pairs or, if its flags say so, as Hangul; WWHO_NONE if they do not
 * compose. */
WWHO_LOCAL uint32_t composed(const wwho_step *step, uint32_t first, uint32_t second) {
    if (step->flags & HANGUL_TOGETHER && first - LEADS < N_LEADS && second - VOWELS < N_VOWELS)
        return SYLLABLES + ((first - LEADS) * N_VOWELS + (second - VOWELS)) * N_TAILS;
    if (joins_hangul(step, second) && second > TAILS && first - SYLLABLES < N_SYLLABLES && (first - SYLLABLES) % N_TAILS == 0)
        return first + (second - TAILS);
    if (!rewrite_of(step, second)->second) return WWHO_NONE;
    for (uint32_t low = 0, high = step->n_compositions; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        const wwho_composition *c = &step->compositions[middle];
        if (c->first == first && c->second == second) return c->composed;
        if (c->first < first || (c->first == first && c->second < second))
            low = middle + 1;
        else
            high = middle;
    }
    return WWHO_NONE;
}

/* Return true if a map has pairs to compose, or composes Hangul. */
WWHO_LOCAL bool composes(const wwho_step *step) { return step->n_compositions || step->flags & HANGUL_TOGETHER; }

/* Compose each starter among the first n characters of run->next with the combining marks and characters after it, unless a character
 * between them blocks this; in place. Returns how many characters are left. */
static size_t put_together(character_run *run, const wwho_step *step, size_t n) {
    step_character *next = run->next;
    size_t kept = 0, starter = n; /* n: there is no starter yet */
    for (size_t i = 0; i < n; i++) {
        step_character here = next[i];
        bool adjacent = starter + 1 == kept;
        bool open = starter < n && (adjacent || (next[kept - 1].order < here.order && next[kept - 1].order));
        uint32_t both = open ? composed(step, next[starter].code_point, here.code_point) : WWHO_NONE;
        if (both != WWHO_NONE) {
            next[starter].code_point = both;
            next[starter].change += here.change - 1;
            continue;
        }
        if (!here.order) starter = kept;
        next[kept++] = here;
    }
    return kept;
}

/* Fill in the sources of run->next by the counts in `change`: each character takes the source of the first character of run->now that it
 * stands for, counted from number `at` on. An additional character takes the source of the one before it. */
static void find_sources(character_run *run, size_t at) {
    for (size_t i = 0; i < run->made; i++) {
        step_character *here = &run->next[i];
        here->source = run->now[here->change > 0 && at ? at - 1 : at].source;
        if (here->change <= 0) at += 1 + (size_t)-here->change;
    }
}

/* Apply a map of characters (STEP_MAP) to the run: decompose, order combining marks, compose; from run->now to run->next. */
static void run_map(character_run *run, const wwho_step *step) {
    take_all_apart(run, step);
    order_combining_marks(run, run->made);
    if (composes(step)) run->made = put_together(run, step, run->made);
    find_sources(run, run->lost);
}

/* Scan the characters of run->now from number `at` on, which is before the end, with an automaton. The match ends before number *end, and
 * *rule becomes its rule, from 0: there always is one, because build_automaton() checked that. Returns true if text after the run may
 * change the match. */
static bool scan_run(const character_run *run, const wwho_automaton *automaton, size_t at, size_t *end, uint32_t *rule) {
    uint32_t behind = at && automaton->stored.flags; /* then the scan starts with the character before */
    at -= behind;
    for (uint32_t row = (WWHO_START + behind) * automaton->stride;; at++) {
        uint32_t entry = automaton->table[row + (at < run->n ? class_at(run->it, run->now[at].code_point) : run->it->classes->n_classes)];
        if (ENTRY_MARK(entry)) {
            *rule = ENTRY_MARK(entry) - 1;
            *end = at;
        }
        row = entry & ENTRY_ROW;
        if (!row) return at == run->n && !run->whole;
    }
}

/* Replace what a pattern matches that may match the empty text, from run->now to run->next; the run is the whole piece. Rule 0: matches of
 * some characters, replaced or kept (KEPT). Each other rule matches one character: what replaces the empty match before it, MATCH for the
 * character, and what replaces the empty match behind it, written only at the end of the piece. Right after a match of rule 0, no empty
 * match counts. */
static void replace_with_empty_matches(character_run *run, const wwho_step *step) {
    bool matched = false; /* a match of rule 0 ends here, after which no empty match counts */
    for (size_t at = 0, end; at < run->n; at = end) {
        uint32_t rule;
        scan_run(run, step->automaton, at, &end, &rule);
        const wwho_rewrite *r = &step->rewrites[rule];
        uint32_t source = run->now[rule ? (at ? at - 1 : 0) : end - 1].source, n = r->n;
        bool written = !rule || !matched;
        if (n == KEPT) { /* rule 0 alone */
            for (size_t k = at; k < end; k++) keep_character(run, &run->now[k], WWHO_NONE);
            n = 0;
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t c = step->targets[r->at + i];
            if (c != MATCH) {
                if (written) put_character(run, c, 0, source, WWHO_NONE);
                continue;
            }
            for (size_t k = at; k < end; k++) keep_character(run, &run->now[k], WWHO_NONE);
            source = run->now[end - 1].source;
            written = !rule || end == run->n;
        }
        matched = !rule;
    }
}

/* Apply a replacement (STEP_REPLACE) to the run: each match of the automaton is kept or replaced by the text of its rule; from run->now to
 * run->next. After a match that text behind the run may change, characters get no origin. */
static void run_replace(character_run *run, const wwho_step *step) {
    bool sure = true;
    if (step->of_nothing) {
        replace_with_empty_matches(run, step);
        return;
    }
    for (size_t at = 0, end; at < run->n; at = end) {
        uint32_t rule, origin = sure ? run->now[at].origin : WWHO_NONE;
        sure &= !scan_run(run, step->automaton, at, &end, &rule) &&
                !step->automaton->stored.flags; /* with such flags, the text before matters */
        const wwho_rewrite *r = &step->rewrites[rule];
        for (uint32_t i = 0; i < (r->n == KEPT ? 1 : r->n); i++, origin = WWHO_NONE) {
            uint32_t c = r->n == KEPT ? MATCH : step->targets[r->at + i];
            if (c != MATCH)
                put_character(run, c, 0, run->now[r->second && end < run->n ? end : end - 1].source, origin);
            else
                for (size_t k = at; k < end; k++) keep_character(run, &run->now[k], k > at ? WWHO_NONE : origin);
        }
    }
}

/* Return true if a step ENDS strips this character from the ends of a part. */
WWHO_LOCAL bool is_stripped(const wwho_step *step, uint32_t code_point) {
    uint32_t k = 0;
    while (k < step->n && step->targets[k] != code_point) k++;
    return k < step->n;
}

/* Apply a step ENDS to the run: strip its characters from the ends of the part, and add the prefix and the suffix, unless nothing is left;
 * from run->now to run->next. The start is only where it->fresh says, and the end where run->whole says. */
static void run_ends(character_run *run, const wwho_step *step) {
    const wwho_normalizing *it = run->it;
    const uint32_t *prefix = step->targets + step->n;
    const step_character *from = run->now, *to = from + run->n;
    while (it->fresh && step->flags & ENDS_LEFT && from < to && is_stripped(step, from->code_point)) from++;
    while (run->whole && step->flags & ENDS_RIGHT && from < to && is_stripped(step, to[-1].code_point)) to--;
    if (from == to) return;
    bool begun = step->flags & ENDS_UNLESS && from->code_point == *prefix;
    bool wanted = it->fresh && !begun && may_prefix(it, step->flags, from->source);
    if (wanted) put_characters(run, prefix, step->n_prefix, 0, from->source, WWHO_NONE);
    const step_character *stays = to; /* the characters after it may turn out to be at the end, and be stripped */
    while (step->flags & ENDS_RIGHT && stays > from && is_stripped(step, stays[-1].code_point)) stays--;
    for (; from < to; from++) keep_character(run, from, from < stays ? from->origin : WWHO_NONE);
    if (run->whole) put_characters(run, prefix + step->n_prefix, step->n_suffix, 0, to[-1].source, WWHO_NONE);
}

/* Return the code point that stands for a byte in the alphabet of ByteLevel (GPT-2's bytes_to_unicode). */
WWHO_LOCAL uint32_t stand_in(uint32_t byte) { return byte < 33 ? byte + 256 : byte - 127 < 34 ? byte + 162 : byte == 173 ? 323 : byte; }

/* Apply a step SPELL to the run: write each byte of each character as the character that stands for it in ByteLevel's alphabet; from
 * run->now to run->next. */
static void run_spell(character_run *run, const wwho_step *step) {
    (void)step;
    for (const step_character *p = run->now, *end = p + run->n; p < end; p++) {
        uint8_t bytes[4];
        uint32_t n = encode_utf8(p->code_point, bytes);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t c = stand_in(bytes[k]);
            put_character(run, c, 0, p->source, k ? WWHO_NONE : p->origin);
        }
    }
}

/* Return the longest rule of a step RULES (with an automaton, the shortest) that matches characters of run->now from number `at` on, up to
 * `end` at most, or null. *stop becomes the number of the character after the match; it stays without a match. *sure becomes false if text
 * after the run might extend the match. */
static const wwho_rewrite *find_rule(const character_run *run, const wwho_step *step, size_t at, size_t end, size_t *stop, bool *sure) {
    const wwho_rewrite *found = 0;
    for (uint32_t node = 0, depth = 0; !(found && step->automaton); at++) {
        uint8_t bytes[4];
        if (at == end) {
            *sure &= run->whole || end < run->n || step->automaton;
            break;
        }
        uint32_t n = encode_utf8(run->now[at].code_point, bytes);
        node = follow(step->trie, node, depth, bytes, n);
        depth += n;
        if (!node) break;
        uint32_t token = token_at(step->trie, node, depth);
        if (token == WWHO_NONE) continue;
        found = &step->rewrites[token];
        *stop = at + 1;
    }
    return found;
}

/* Apply a step RULES to the run: replace what rules of its trie match, from left to right; from run->now to run->next. With an automaton
 * that finds clusters (as the normalizer Precompiled of tokenizers works), a rule must first match a cluster of fewer than MAX_CLUSTER
 * bytes as a whole; where none does, rules match single characters. */
static void run_rules(character_run *run, const wwho_step *step) {
    bool sure = true;
    for (size_t at = 0, end, cluster = 0; at < run->n; at = end) {
        const wwho_rewrite *r = 0;
        uint32_t origin = sure ? run->now[at].origin : WWHO_NONE, rule;
        if (step->automaton && at == cluster) {
            uint8_t bytes[4];
            uint32_t n = 0;
            sure &= !scan_run(run, step->automaton, at, &cluster, &rule);
            for (size_t i = at; i < cluster && n < MAX_CLUSTER; i++) n += encode_utf8(run->now[i].code_point, bytes);
            if (n < MAX_CLUSTER) r = find_rule(run, step, at, cluster, &end, &sure);
            if (r) end = cluster;
        } else if (step->automaton)
            origin = WWHO_NONE;
        if (!r) {
            end = at + 1;
            r = find_rule(run, step, at, step->automaton ? end : run->n, &end, &sure);
        }
        if (r)
            put_characters(run, step->targets + r->at, r->n, end - at, run->now[at].source, origin);
        else
            keep_character(run, &run->now[at], origin);
    }
    if (!step->automaton) return;
    find_sources(run, run->it->fresh ? 0 : run->lost); /* the tokenizers library ignores characters that vanished at the start */
}

/* Apply all steps to a run, and write the characters that are certain to the output: all of them if the run is `complete`, else those
 * before the last one with an origin. it->at moves to `end`, the place in the text after the run, or to that origin. Returns false if
 * nothing is certain, or if there is no room (it->full). run->now and run->next take turns as input and output of the steps. */
WWHO_LOCAL bool normalize_run(wwho_normalizing *it, character_run *run, size_t end, bool complete) {
    static void (*const apply[])(character_run *, const wwho_step *) = {run_map, run_replace, run_ends, run_rules, run_spell};
    for (uint32_t i = 0; i < it->n_steps; i++) {
        run->made = run->lost = 0;
        apply[it->steps[i]->kind - 1](run, it->steps[i]);
        it->full |= run->full;
        if (run->full) return false;
        step_character *now = run->now;
        run->now = run->next;
        run->next = now;
        run->n = run->made;
    }
    size_t n = it->n, from = n;
    bool done = false;
    for (size_t i = 0;; i++) {
        bool last = i == run->n;
        uint32_t origin = last ? (uint32_t)end : run->now[i].origin;
        if (last ? complete : i && origin != WWHO_NONE) {
            done = true;
            n = it->n;
            it->at = origin;
        }
        bool full = !last && it->to.room - it->n < 4;
        it->full |= full;
        if (last || full) break;
        uint8_t bytes[4] = {0};
        uint32_t width = encode_utf8(run->now[i].code_point, bytes);
        write_bytes(it, read32(bytes), width, run->now[i].source, origin);
    }
    it->fresh &= n == from;
    it->n = n;
    return done;
}
