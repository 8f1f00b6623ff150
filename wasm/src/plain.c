/* What the steps turn a character into, and a space between words, if the result is certain whatever else is in the text. Without this
 * table, English lines that were not seen before take 1.08 times as long as BERT, 1.66 as T5, and 1.17 as Llama 2. */
#include "plain.h"

#include "passes.h"

enum { MAX_CLASSES_SEEN = 4096 };

/* Set rules[class] for each class to the number (from 1) of the rule that matches a single character of it, whatever follows: any class in
 * the set `follow`, or any class or the end if that is null; 0 if the rule is not certain. All are 0 for steps other than REPLACE, and if
 * the automaton looks behind. */
static void find_rules(const wwho_step *step, const wwho_classes *classes, const uint64_t *follow, uint16_t *rules) {
    const wwho_automaton *a = step->automaton;
    bool looks = step->kind != STEP_REPLACE || a->stored.flags;
    for (uint32_t c = 0; c < classes->n_classes; c++) {
        uint32_t row = looks ? 0 : a->table[WWHO_START * a->stride + c] & ENTRY_ROW, rule = 0;
        for (uint32_t d = 0; row && d < classes->n_classes + !follow; d++) {
            uint32_t entry = a->table[row + d], mark = entry & ENTRY_ROW ? 0 : ENTRY_MARK(entry);
            if (follow && !(follow[d >> 6] >> (d & 63) & 1)) continue;
            if (!mark || (rule && mark != rule)) row = 0;
            rule = mark;
        }
        rules[c] = (uint16_t)(row ? rule : 0);
    }
}

/* Return the flags of a character that no rule of a step RULES matches alone: PLAIN_SURE; also PLAIN_HEAD if a rule begins with it, and
 * PLAIN_TAIL if a rule has it behind its beginning (or if the character is PLAIN or above, for which that is not known), so that its
 * neighbours matter. Returns 0 if a rule matches the character alone. */
static uint32_t flags_by_rules(const wwho_step *step, uint32_t c) {
    uint8_t bytes[4];
    uint32_t n = encode_utf8(c, bytes), node = follow(step->trie, 0, 0, bytes, n);
    uint32_t tail = c >= PLAIN || step->tails[c >> 3] >> (c & 7) & 1 ? PLAIN_TAIL : 0;
    if (!node) return tail | PLAIN_SURE;
    return token_at(step->trie, node, n) == WWHO_NONE ? tail | PLAIN_HEAD | PLAIN_SURE : 0;
}

/* Return the character, with flags, that a step turns the character and flags in `made` into; 0 if that is not certain. `rules` is the
 * result of find_rules() for this step. */
static uint32_t made_by(const wwho_step *step, const wwho_classes *classes, const uint16_t *rules, uint32_t made) {
    uint32_t c = made & CODE_POINT, flags = made & ~(uint32_t)CODE_POINT;
    const wwho_rewrite *r;
    if (step->kind == STEP_RULES) return (flags = flags_by_rules(step, c)) ? made | flags : 0;
    if (step->kind == STEP_ENDS) return is_stripped(step, c) && !(made & PLAIN_SEMI) ? 0 : made;
    if (step->kind == STEP_SPELL) return c < 128 ? flags | stand_in(c) : 0;
    if (step->kind == STEP_REPLACE) {
        uint32_t rule = rules[class_of(classes, c)];
        if (!rule) return 0;
        r = &step->rewrites[rule - 1];
    } else if (step->flags & HANGUL_APART && c - SYLLABLES < N_SYLLABLES)
        return 0;
    else
        r = rewrite_of(step, c);
    if (!r->n) return flags & (PLAIN_SEMI | PLAIN_HEAD | PLAIN_TAIL | PLAIN_AHEAD) ? 0 : flags | VANISHED;
    if (r->n != KEPT && r->n != 1) return 0;
    bool same = r->n == KEPT || step->targets[r->at] == MATCH, ahead = step->kind == STEP_REPLACE && r->second && !same;
    if (!same) c = step->targets[r->at];
    if (step->kind == STEP_REPLACE) return ahead & flags / PLAIN_AHEAD ? 0 : flags | c | ahead * PLAIN_AHEAD;
    r = rewrite_of(step, c);
    return r->second || joins_hangul(step, c) ? 0 : flags | c | (r->order ? PLAIN_ORDERED : 0);
}

/* Clear PLAIN_CUT in the plain table for all characters but those after which the automaton, from whatever state, ends a cluster before a
 * space, as steps so far have made the two. If spaces vanish, no character keeps it. */
static void find_cuts(wwho_plain *p, const wwho_automaton *a, const wwho_classes *classes) {
    bool ends[MAX_CLASSES_SEEN];
    uint32_t made = p->made[' '] & CODE_POINT, space = made && made < BROKEN ? class_of(classes, made) : classes->n_classes;
    for (uint32_t class = 0; class < classes->n_classes; class++) {
        ends[class] = space < classes->n_classes;
        for (uint32_t state = WWHO_START; state < a->stored.n_states; state++) {
            uint32_t entry = a->table[state * a->stride + space];
            if (!(a->after[class * a->words + (state >> 6)] >> (state & 63) & 1)) continue;
            ends[class] &= !(entry & ENTRY_ROW) && ENTRY_MARK(entry);
        }
    }
    for (uint32_t c = 0; c < PLAIN; c++)
        if ((p->made[c] & CODE_POINT) == VANISHED || !ends[class_of(classes, p->made[c] & CODE_POINT)]) p->made[c] &= ~PLAIN_CUT;
}

/* Return true if a step treats a space before a character of the class `class` as it treats a space before a letter. `space` and `letter`
 * are the classes of a space and of the letter a. */
static bool follows_space(const wwho_step *step, uint32_t space, uint32_t letter, uint32_t class) {
    const wwho_automaton *a = step->automaton;
    if (step->kind != STEP_REPLACE) return true;
    const uint32_t *row = a->table + (a->table[WWHO_START * a->stride + space] & ENTRY_ROW);
    return row[class] == row[letter];
}

/* Return the class of the character in an entry of the plain table that is not packed yet; that of U+FFFD if it vanished. */
static uint32_t class_of_made(const wwho_classes *classes, uint32_t made) {
    return class_of(classes, (made & CODE_POINT) < BROKEN ? made & CODE_POINT : REPLACEMENT);
}

/* Apply a step to all characters of the plain table, in place. What becomes uncertain is 0; what is only certain before certain characters
 * gets PLAIN_SEMI. A step RULES with an automaton also sets p->clusters, and clears PLAIN_CUT where no cluster ends. */
static void put_step(wwho_plain *p, const wwho_step *step, const wwho_classes *classes) {
    const uint32_t space = class_of_made(classes, p->made[' ']), letter = class_of_made(classes, p->made['a']);
    uint16_t rules[MAX_CLASSES_SEEN];
    uint64_t sure[MAX_CLASSES_SEEN / 64] = {0}; /* classes of characters that are certain whatever follows */
    find_rules(step, classes, 0, rules);
    for (uint32_t c = 0; c < PLAIN; c++) {
        uint32_t made = p->made[c], code_point = made & CODE_POINT, class;
        if (!made || made & PLAIN_SEMI || code_point == VANISHED) continue;
        class = class_of(classes, code_point);
        p->made[c] = follows_space(step, space, letter, class) ? made_by(step, classes, rules, made) : 0;
        if (p->made[c])
            sure[class >> 6] |= UINT64_C(1) << (class & 63);
        else
            p->made[c] = made | PLAIN_SEMI;
    }
    find_rules(step, classes, sure, rules);
    for (uint32_t c = 0; c < PLAIN; c++)
        if (p->made[c] & PLAIN_SEMI) p->made[c] = made_by(step, classes, rules, p->made[c]);
    if (step->kind != STEP_RULES || !step->automaton) return;
    p->clusters = true;
    find_cuts(p, step->automaton, classes);
}

/* Note in the plain table what a step adds at the ends of parts, and what later steps turn the prefix into. A part may not start with a
 * character that equals the prefix if the prefix is then not added: such characters get PLAIN_SEMI. */
static void put_ends(wwho_plain *p, const wwho_step *step, const wwho_classes *classes) {
    uint16_t rules[MAX_CLASSES_SEEN];
    find_rules(step, classes, 0, rules);
    if (p->prefix) p->prefix = made_by(step, classes, rules, p->prefix);
    if (step->kind != STEP_ENDS) return;
    p->begins &= !p->prefix_if && step->n_prefix < 2;
    p->ends &= !step->n_suffix;
    if (step->n_prefix != 1) return;
    p->prefix = PLAIN_SURE | step->targets[step->n];
    p->prefix_if = step->flags | 128;
    for (uint32_t c = 0; step->flags & ENDS_UNLESS && c < PLAIN; c++)
        if (p->made[c] && (p->made[c] & CODE_POINT) == step->targets[step->n]) p->made[c] |= PLAIN_SEMI;
}

/* Note in p->kept the longest range of ASCII characters above the space that the steps keep next to each other. The space is left out,
 * because the steps may restart there. */
static void put_kept(wwho_plain *p) {
    uint32_t longest = 0;
    for (uint32_t first = '!', last; first < 128; first = last + 1) {
        for (last = first; last < 128 && (p->made[last] & ~(PLAIN_HEAD | PLAIN_CUT)) == (PLAIN_SURE | 1u << 24 | last); last++) {
        }
        if (last - first <= longest) continue;
        longest = last - first;
        p->kept = (wwho_range){ONES * (128 - first), ONES * (128 - last)};
    }
}

/* Return an entry of the plain table as it is stored: UTF-8 bytes, their number, and flags. Returns 0 if it is not certain, has more than
 * three bytes, or is a combining mark that may change places. */
static uint32_t pack_certain(uint32_t made) {
    uint32_t c = made & CODE_POINT;
    uint8_t bytes[4] = {0};
    if (!made || (c != VANISHED && (made & PLAIN_ORDERED || c >= 0x10000))) return 0;
    if (c != VANISHED) bytes[3] = (uint8_t)encode_utf8(c, bytes);
    return (made & ~(uint32_t)(CODE_POINT | PLAIN_ORDERED)) | read32(bytes);
}

/* Fill in the plain table of a list of steps, list->plain, if it has one: what each character below PLAIN becomes, whatever else is in the
 * text. Needs the tables of the automata. */
WWHO_LOCAL void put_plain(const wwho_rewrites *list, const wwho_classes *classes) {
    wwho_plain *p = list->plain;
    if (!p) return;
    fill_bytes(p, 0, sizeof *p);
    p->begins = p->ends = true;
    for (uint32_t c = 0; c < PLAIN; c++) p->made[c] = PLAIN_SURE | PLAIN_CUT | c;
    for (uint32_t i = 0; i < list->n; i++) {
        put_step(p, list->steps[i], classes);
        put_ends(p, list->steps[i], classes);
    }
    for (uint32_t c = 0; c < PLAIN; c++) p->made[c] = pack_certain(p->made[c]);
    p->prefix = pack_certain(p->prefix);
    put_kept(p);
    p->begins &= !p->prefix_if || (p->prefix && !(p->prefix & PLAIN_HEAD));
}
