/* See normalize.h. */
#include "normalize.h"

#include "passes.h"

/* Return true if a map (STEP_MAP) leaves a character as it is, whatever stands next to it: it has no target, is no combining mark, and
 * composes with nothing. */
static bool is_kept(const wwho_step *step, uint32_t code_point) {
    bool apart = step->flags & HANGUL_APART && code_point - SYLLABLES < N_SYLLABLES;
    const wwho_rewrite *r = rewrite_of(step, code_point);
    return r->n == KEPT && !r->order && !r->second && !apart && !joins_hangul(step, code_point);
}

/* Return the number, from 1, of the rule that matches a single character of a class, whatever stands next to it; or 0 if its neighbours may
 * matter. To a match before it, such a character must be like the end of the text, so that a run may end there: the entries of the class
 * and of the end are the same in every other state. No class qualifies if the automaton looks behind: none leads from BEHIND where the end
 * leads. */
static uint32_t rule_alone(const wwho_automaton *a, uint32_t n_classes, uint32_t class) {
    const uint32_t *row = a->table + (a->table[WWHO_START * a->stride + class] & ENTRY_ROW);
    for (uint32_t d = 0; d <= n_classes; d++)
        if (row[d] != row[0]) return 0;
    for (uint32_t state = WWHO_START + 1; state < a->stored.n_states; state++)
        if (a->table[state * a->stride + class] != a->table[state * a->stride + n_classes]) return 0;
    return row[0] & ENTRY_ROW ? 0 : ENTRY_MARK(row[0]);
}

/* Where a step with rules may restart. */
typedef struct {
    uint32_t row; /* the state behind the last character, or WWHO_NONE if the step does restart */
    size_t reach; /* from there on, no rule that begins before can match */
    bool has;     /* a rule matches at the last character, or might with more text */
} rule_state;

/* Look at the character `code_point` at `at` with the rules (STEP_RULES) of the first step, and update *s. Returns true if the rules may
 * restart before it: no rule that began earlier can still match, and no cluster continues there. With `begins` false, no rule begins with
 * it, which saves the search; in WebAssembly, unseen Hindi as T5 takes 0.86 of the time for that. */
static bool look_for_rules(const wwho_normalizing *it, size_t at, uint32_t code_point, bool begins, rule_state *s) {
    const wwho_automaton *a = it->steps[0]->automaton;
    size_t to = at;
    uint32_t class = class_at(it, code_point), depth = 0;
    bool apart = at >= s->reach;
    s->has = false;
    for (uint32_t node = 0; begins; to++) {
        s->has |= to == it->end || token_at(it->rules, node, depth) != WWHO_NONE;
        if (to == it->end || !(node = next_node(it->rules, node, depth++, it->text[to]))) break;
    }
    if (to > s->reach) s->reach = to;
    if (!a) return apart;
    if (s->row != WWHO_NONE) {
        uint32_t entry = a->table[s->row + class];
        s->row = entry & ENTRY_ROW;
        if (s->row || !ENTRY_MARK(entry)) return false;
    }
    s->row = a->table[WWHO_START * a->stride + class] & ENTRY_ROW;
    return apart && !a->stored.flags;
}

/* Return the number, from 1, of the rule that matches a single character of the class `class` if one of the class `next` follows; or 0 if
 * that is not certain. */
static uint32_t rule_before(const wwho_automaton *a, uint32_t class, uint32_t next) {
    uint32_t entry = a->table[(a->table[WWHO_START * a->stride + class] & ENTRY_ROW) + next];
    return a->stored.flags || entry & ENTRY_ROW ? 0 : ENTRY_MARK(entry);
}

/* Return the rewrite that a map has for the first part of `code_point`, taken apart as far as its pairs go, if the map composes the same
 * character of the parts again; for a character that no pair composes, that of the character itself. `r` is the rewrite of the character
 * that became `code_point`: with PAIRED, of `code_point` itself. Null if the character before it matters, as the first part may compose
 * with that; or if the parts may compose another character: if they change places, if the first one is rewritten or is a combining mark
 * itself, or if one may be of a syllable of Hangul. Combining marks after it matter, too, but these are not plain. As Qwen2.5, French
 * takes 0.45 of the time, Vietnamese 0.4. */
static const wwho_rewrite *first_part(const wwho_step *map, uint32_t code_point, const wwho_rewrite *r) {
    uint32_t head = code_point;
    for (uint32_t order = WWHO_NONE, here; r->n == PAIRED; r = rewrite_of(map, head), order = here) {
        const wwho_composition *pair = &map->compositions[r->at];
        here = rewrite_of(map, pair->second)->order - 1u; /* WWHO_NONE: a starter */
        if (here > order || joins_hangul(map, pair->second)) return 0;
        head = pair->first;
    }
    if (head != code_point && (r->n < PAIRED || r->order)) return 0;
    r = rewrite_of(map, head);
    return r->second || joins_hangul(map, head) ? 0 : r;
}

/* Return the place up to which a list of steps keeps text[at..end) as it is: `end`; or, if `more` text follows or a character is not
 * certain to be kept, the last character before that which stands for itself, as what follows may change it. The list is one map that keeps
 * ASCII, such as NFC, and the text has the form that the map makes. That is not certain of broken UTF-8, of vowels and tails of Hangul, or
 * of combining marks after a composed character. Any other list returns `at`. */
WWHO_LOCAL size_t kept_until(const wwho_rewrites *list, const uint8_t *text, size_t at, size_t end, bool more) {
    const wwho_step *map = list->steps[0];
    uint32_t code_point = 0, order = 0; /* of the character before; order 256: it is composed */
    size_t sure = at;                   /* the last character that is no mark */
    if (list->n > 1 || map->kind != STEP_MAP || map->page[0] || map->flags == HANGUL_APART) return at;
    for (uint32_t width, before; at < end; at += width) {
        width = 8;
        if (end - at >= 8 && !(load64(text + at) & 128 * ONES)) {
            code_point = text[at + 7];
            sure = at + 7;
            order = 0;
            continue;
        }
        before = code_point;
        width = utf8_next(text + at, end - at, &code_point);
        const wwho_rewrite *r = rewrite_of(map, code_point);
        if (r->n < PAIRED || joins_hangul(map, code_point) || (code_point == REPLACEMENT && width == 1)) break;
        if ((r->order && r->order < order) || (r->second && (order || composed(map, before, code_point) != WWHO_NONE))) break;
        if (r->n != KEPT && !first_part(map, code_point, r)) break;
        if (!r->order) sure = at;
        order = r->n == KEPT ? r->order : 256;
    }
    return at < end || more ? sure : end;
}

/* Return true if the first step of a list, a map, keeps the character at `text`, of `left` bytes, whatever stands before it. */
WWHO_LOCAL bool keeps_first(const wwho_rewrites *list, const uint8_t *text, size_t left) {
    uint32_t code_point;
    next_character(text, left, &code_point);
    return is_kept(list->steps[0], code_point);
}

/* Return the one character that the steps turn the character at `at` into, whatever is next to it, with PLAIN_AHEAD if its source is the
 * character after it; VANISHED if nothing is left; WWHO_NONE if its neighbours matter, or if it is at an end that matters. *width becomes
 * the width in bytes of the character at `at`. `next`: the character after it, if that is plain, and the one before is, too; else
 * WWHO_NONE. Combining marks on both sides of a character that vanishes may change places, so read_run() does not count it as plain. RULES
 * as the first step is left out: that is for look_for_rules(). */
static uint32_t plain_at(const wwho_normalizing *it, size_t at, uint32_t *width, uint32_t next) {
    uint32_t code_point = character_at(it, at, width);
    const bool first = it->fresh && at == it->at, last = at + *width == it->end;
    bool ordered = false, gone = false, ahead = false;
    for (uint32_t i = 0; i < it->n_steps; i++) {
        const wwho_step *step = it->steps[i];
        const wwho_rewrite *r = step->rewrites;
        uint32_t rule;
        if (step->kind == STEP_RULES && !i) continue;
        if (step->kind == STEP_MAP) {
            if (step->flags == HANGUL_APART && code_point - SYLLABLES < N_SYLLABLES) return WWHO_NONE;
            r = rewrite_of(step, code_point);
        } else if (step->kind == STEP_REPLACE) {
            const wwho_automaton *a = step->automaton;
            uint32_t class = class_at(it, code_point);
            rule = next != WWHO_NONE ? rule_before(a, class, class_at(it, next)) : rule_alone(a, it->classes->n_classes, class);
            if (!rule) return WWHO_NONE;
            r += rule - 1;
            if (r->second && next == WWHO_NONE) return WWHO_NONE;
            ahead |= r->second;
        } else {
            bool edge = first || gone || (last && (step->n_suffix || step->flags & ENDS_RIGHT));
            if (step->kind != STEP_ENDS || edge || (is_stripped(step, code_point) && (next == WWHO_NONE || is_stripped(step, next))))
                return WWHO_NONE;
            continue;
        }
        if (next != WWHO_NONE && !(step->kind == STEP_MAP && is_kept(step, next))) next = WWHO_NONE;
        gone |= !r->n;
        if (gone) continue;
        if (r->n < PAIRED) {
            const uint32_t *target = step->targets + r->at;
            uint32_t n = r->n; /* the next map may remove all but the first: without that, French as BERT takes four times as long */
            if (n > 1 && (step->kind != STEP_MAP || composes(step) || i + 1 == it->n_steps || it->steps[i + 1]->kind != STEP_MAP))
                return WWHO_NONE;
            while (--n)
                if (rewrite_of(it->steps[i + 1], target[n])->n) return WWHO_NONE;
            if (*target != MATCH) code_point = *target;
        }
        if (step->kind != STEP_MAP) continue;
        r = first_part(step, code_point, r);
        if (!r) return WWHO_NONE;
        ordered |= r->order;
    }
    if (gone && !first && !ahead) return VANISHED;
    return gone || ordered ? WWHO_NONE : code_point | ahead * PLAIN_AHEAD;
}

/* Write a character that is packed as in wwho_plain.made (bytes, their number, flags) to the output, with its source and origin. There
 * must be room for four bytes. */
static HOT void write_packed(wwho_normalizing *it, uint32_t packed, size_t source, uint32_t origin) {
    write_bytes(it, packed, packed >> 24 & PLAIN_BYTES, (uint32_t)source, origin);
}

/* Return the entry of the plain table for the character at `text`, of `left` bytes: 0 if its result is not certain, or if its code point
 * is PLAIN or higher. *width becomes its width in bytes. */
static HOT uint32_t plain_made(const wwho_plain *plain, const uint8_t *text, size_t left, uint32_t *width) {
    uint32_t code_point;
    *width = utf8_next(text, left, &code_point);
    return code_point < PLAIN ? plain->made[code_point] : 0;
}

/* Write the next ASCII characters from `at` on that are in the plain table's range of kept ones, at most eight, as they are. Returns how
 * many were written: 0 if they are fewer than three. There must be room for eight, and more text after them. As T5, unseen English is 1.15
 * to 1.2 times as fast, as Llama 2 and Gemma 3 1.05 times. */
static HOT uint32_t write_kept(wwho_normalizing *it, size_t at) {
    const bool clusters = it->plain->clusters;
    uint32_t n = run_length(it->text + at, it->plain->kept), places[8], origins[8];
    if (n < 3) return 0;
    for (uint32_t i = 0; i < 8; i++) {
        places[i] = (uint32_t)at + i;
        origins[i] = clusters ? WWHO_NONE : places[i];
    }
    copy_bytes(it->to.out + it->n, it->text + at, 8);
    if (it->to.sources) copy_bytes(it->to.sources + it->n, places, sizeof places);
    if (it->to.origins) copy_bytes(it->to.origins + it->n, origins, sizeof origins);
    it->n += n;
    return n;
}

/* Write the next characters from it->at on as long as the plain table says what they become, up to the last place where the steps may
 * restart, to which it->at moves. If there is no such place, nothing is written, and it->not_plain notes how far that was tried. Does
 * nothing without a table. plain.c has the gain. */
static void write_plain(wwho_normalizing *it) {
    const wwho_plain *plain = it->plain;
    size_t at = it->at, from = it->n, sure = from;
    if (!plain || at < it->not_plain || (it->fresh && !plain->begins)) return;
    for (uint32_t before = 0, width, made; at < it->end && it->to.room - it->n >= 8; at += width) {
        if (it->text[at] < 0x80 && before && it->end - at > 8 && (width = write_kept(it, at)) != 0) {
            before = plain->made[it->text[at + width - 1]];
            if (plain->clusters) continue;
            it->at = at + width - 1;
            sure = it->n - 1;
            continue;
        }
        made = plain_made(plain, it->text + at, it->end - at, &width);
        bool last = at + width == it->end;
        /* Most characters are inside the text, do not vanish, and do not depend on their neighbours. Hindi is 1.04 times as fast. */
        if (before && !last && (made & (PLAIN_BYTES << 24 | PLAIN_TAIL | PLAIN_SEMI | PLAIN_AHEAD)) - (1u << 24) < 3u << 24) {
            bool anew = !plain->clusters || (before & PLAIN_CUT && it->text[at] == ' ');
            if (anew) {
                it->at = at;
                sure = it->n;
            }
            write_packed(it, made, at, anew ? (uint32_t)at : WWHO_NONE);
            before = made;
            continue;
        }
        bool nothing = !(made >> 24 & PLAIN_BYTES);
        if (!made || (nothing && (!before || last)) || (before & PLAIN_HEAD && made & PLAIN_TAIL)) break;
        if ((before | (it->fresh && !before ? PLAIN_SEMI : 0)) & made & PLAIN_SEMI) break;
        if (nothing) {
            if (before & PLAIN_AHEAD) break;
            before &= ~(plain->clusters ? PLAIN_CUT : 0);
            continue;
        }
        bool anew = !plain->clusters || !before || (before & PLAIN_CUT && it->text[at] == ' ');
        anew &= plain->ends || !(made & PLAIN_SEMI); /* a step may strip all text from here on, and then would not add its suffix */
        if (anew) {
            it->at = at;
            sure = it->n;
        }
        if (last && (it->more || !plain->ends || made & (PLAIN_SEMI | PLAIN_AHEAD))) break;
        bool prefix = it->fresh && !before && plain->prefix && may_prefix(it, plain->prefix_if, (uint32_t)at);
        if (prefix) write_packed(it, plain->prefix, at, WWHO_NONE);
        write_packed(it, made, made & PLAIN_AHEAD ? at + width : at, anew ? (uint32_t)at : WWHO_NONE);
        before = made;
        if (!last) continue;
        it->at = it->end;
        sure = it->n;
    }
    it->n = sure;
    if (sure == from)
        it->not_plain = at;
    else
        it->fresh = false;
}

/* Return the place after n characters from `at` on if the plain table knows the results of all of them, else 0 (also at the end of the
 * text, or without a table). */
static size_t skip_plain(const wwho_normalizing *it, size_t at, uint32_t n) {
    uint32_t width;
    for (; n && at < it->end && it->plain && plain_made(it->plain, it->text + at, it->end - at, &width); n--) at += width;
    return n ? 0 : at;
}

/* Compute what wwho_known.made is to hold for the character at `at` with `next` after it: what plain_at() gives, packed, with PLAIN_HEAD
 * too where a rule of the first step may begin there. 0 if plain_at() cannot tell. */
static uint64_t pack_known(const wwho_normalizing *it, size_t at, uint32_t next) {
    uint32_t width, made = plain_at(it, at, &width, next), n = 0;
    uint8_t bytes[4] = {0};
    if (made == WWHO_NONE) return 0;
    if ((made & CODE_POINT) != VANISHED) n = encode_utf8(made & CODE_POINT, bytes);
    if (it->rules && follow(it->rules, 0, 0, it->text + at, width)) made |= PLAIN_HEAD;
    return KNOWN_FLAGS((made & (PLAIN_HEAD | PLAIN_AHEAD)) | PLAIN_SURE | n << 24) | read32(bytes);
}

/* Return the result of the steps for the character at `at`, packed as in wwho_known.made, first for the character alone, and, if that is
 * not known, with the next one; 0 if neither is known. Results are remembered in it->known, except at the ends of a part. *width becomes
 * the width in bytes of the character at `at` alone, *code_point the character (for a byte of broken UTF-8, 0x110000 plus the byte). */
static HOT uint64_t known_at(wwho_normalizing *it, size_t at, uint32_t *width, uint32_t *code_point) {
    uint32_t c = it->text[at], next = WWHO_NONE, other;
    *width = 1;
    if (c >= 0x80) c = character_at(it, at, width);
    *code_point = c;
    if (at + *width == it->end || (it->fresh && at == it->at)) return it->more ? 0 : pack_known(it, at, next);
    for (;; next = character_at(it, at + *width, &other)) {
        uint64_t pair = (uint64_t)next << 32 | it->list << KNOWN_LIST | c;
        wwho_known *known = &it->known[(c ^ c >> 4 ^ next << 2) % KNOWN_SLOTS];
        if (known->of != pair) {
            known->of = pair;
            known->made = pack_known(it, at, next);
        }
        if (known->made || next != WWHO_NONE) return known->made;
    }
}

/* Write the next characters as long as known_at() knows what the steps turn them into, up to the last place where the steps may restart,
 * to which it->at moves. Returns true if that is the end, or a place where write_plain() can go on. In WebAssembly, English as BERT takes
 * 0.6 of the time, Hindi 0.55; English as Llama 2 takes 0.8, as CLIP and T5 half. */
static bool write_known(wwho_normalizing *it) {
    size_t at = it->at, sure_at = at, sure = it->n;
    rule_state rules = {WWHO_NONE, 0, false};
    uint64_t made = 0, follows;
    uint32_t width = 0; /* of the character at `at`; the width includes characters after it that vanish */
    bool again = false;
    bool anew = true; /* the steps may restart at `at` */
    for (bool end = false; !end && it->to.room - it->n >= 4;) {
        uint32_t next = 0, c;
        follows = 1; /* at the end, anything but a character that vanishes */
        end = at + width == it->end;
        if (!end && !(follows = known_at(it, at + width, &next, &c))) break;
        bool apart = end || !it->rules || look_for_rules(it, at + width, c, KNOWN_HEAD(follows), &rules);
        if (rules.has) break;
        if (!(follows << 3)) { /* without its flags: it vanishes, so the character before it meets the one after it */
            if (!made || KNOWN_AHEAD(made) || at + width + next == it->end) break;
            width += next;
            continue;
        }
        write_bytes(it, (uint32_t)made, KNOWN_BYTES(made), (uint32_t)(KNOWN_AHEAD(made) ? at + width : at),
                    anew ? (uint32_t)at : WWHO_NONE);
        at += width;
        made = follows;
        width = next;
        anew = apart;
        if (!anew) continue;
        sure_at = at;
        sure = it->n;
        again = at > it->at && skip_plain(it, at, 2);
        if (again) break;
    }
    it->fresh &= sure_at == it->at;
    it->at = sure_at;
    it->n = sure;
    return again || sure_at == it->end;
}

/* Read characters from it->at on into run->now, up to the second of two plain characters, the end of the text, or the room of a column.
 * Returns the place where the run ends. run->apart tells whether it ends between two plain characters: then it may be rewritten by
 * itself. */
static size_t read_run(character_run *run) {
    const wwho_normalizing *it = run->it;
    size_t end = it->at;
    rule_state rules = {WWHO_NONE, 0, false};
    uint32_t width;
    for (bool plain = false, apart = true; end < it->end && run->n < run->room; end += width) {
        uint32_t c = character_at(it, end, &width);
        if (it->rules) apart = look_for_rules(it, end, c, true, &rules);
        if (rules.has && it->fresh && end == it->at) rules.reach = it->end; /* if it vanishes, all places move */
        run->apart = plain;
        plain = apart && !rules.has && plain_at(it, end, &width, WWHO_NONE) < VANISHED;
        run->apart &= plain && !it->tangled;
        if (run->apart) break;
        run->now[run->n] = (step_character){c, (uint32_t)end, it->tangled && run->n ? WWHO_NONE : (uint32_t)end, 0, 0};
        run->n++;
    }
    return end;
}

/* Rewrite the part from it->at to it->end by the steps, as far as there is room in it->to and as the result is certain: it->at moves,
 * it->n counts the bytes written. `work` holds characters between steps: `work_len` bytes, 16-byte aligned. Returns false if nothing could
 * be written, because `work` or it->to.room is too small; it->full says whether room was lacking for some of the text. */
WWHO_LOCAL bool run_steps(wwho_normalizing *it, void *work, size_t work_len) {
    size_t room = work_len / (3 * sizeof(step_character)), before = it->n;
    step_character alone[3], *columns = room ? work : alone; /* without steps, no room is needed */
    room += !room;
    while (it->at < it->end) {
        if (!it->tangled) {
            write_plain(it);
            if (it->at == it->end || write_known(it)) continue;
        }
        character_run run = {.it = it, .now = columns, .next = columns + room, .spare = columns + 2 * room, .room = room};
        size_t end = read_run(&run);
        run.whole = end == it->end && !it->more;
        it->full |= end < it->end && !run.apart;
        bool done = normalize_run(it, &run, end, run.whole || run.apart);
        if (!done || it->at < end) return done || it->n > before || !it->full;
    }
    return true;
}

/* Set the fields of `it` that a list of steps decides: steps, tables, known characters and rules. The text, its flags and the output are
 * the caller's to set. `known` has KNOWN_LISTS times KNOWN_SLOTS entries, of which lists take theirs by number. */
WWHO_LOCAL void start_steps(wwho_normalizing *it, const wwho_rewrites *list, const wwho_classes *classes, wwho_known *known) {
    it->steps = list->steps;
    it->n_steps = list->n;
    it->list = list->number;
    it->tangled = list->tangled || list->number >> (32 - KNOWN_LIST); /* wwho_known has no room for higher numbers */
    it->plain = list->plain;
    it->classes = classes;
    it->known = known + list->number % KNOWN_LISTS * KNOWN_SLOTS;
    it->rules = it->n_steps && it->steps[0]->kind == STEP_RULES ? it->steps[0]->trie : 0;
}

/* Rewrite a text by the first steps of the normalizer into `out`, as wwho.h says. *read becomes the bytes of text that were rewritten, *n
 * the bytes written. WWHO_BUFFER if `work` or `out` has too little room for any of it. WWHO_ARGUMENT, with nothing written, if a pointer
 * other than `sources` is null (one of no bytes may be), `work` is not 16-byte aligned, or the text is longer than WWHO_MAX_LENGTH. */
int wwho_normalize(const wwho_model *model, const uint8_t *text, size_t len, int more, void *work, size_t work_len, uint8_t *out,
                   uint32_t *sources, size_t cap, size_t *read, size_t *n) {
    bool given = model && (text || !len) && (work || !work_len) && (out || !cap) && read && n;
    if (!given || (uintptr_t)work % 16 || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    wwho_normalizing it = {
        .text = text, .end = more ? whole_characters(text, len) : len, .fresh = true, .more = more, .to = {out, sources, 0, cap}};
    wwho_known known[KNOWN_SLOTS] = {{0, 0}}; /* for list 0, which is the first steps of the normalizer */
    start_steps(&it, &model->normalizer[0], &model->classes, known);
    bool done = run_steps(&it, work, work_len);
    *read = it.at;
    *n = it.n;
    return done ? WWHO_OK : WWHO_BUFFER;
}
