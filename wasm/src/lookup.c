/* Looking texts up, and the scanner: functions that are called often, but need not be inlined. See vocabulary.h, automaton.h. */
#include "automaton.h"
#include "vocabulary.h"

WWHO_LOCAL uint32_t class_before(const wwho_classes *classes, const uint8_t *text, size_t from, size_t at, uint32_t *class) {
    uint32_t code_point, width = character_before(text, from, at, &code_point);
    *class = class_of(classes, code_point);
    return width;
}

WWHO_LOCAL void scan(const wwho_classes *classes, const wwho_automaton *automaton, wwho_cursor *cursor, uint32_t *rule) {
    uint32_t row = WWHO_START * automaton->stride;
    if (automaton->stored.flags & LOOKS_BEHIND && cursor->at > cursor->from) {
        cursor->width = class_before(classes, cursor->text, cursor->from, cursor->at, &cursor->class);
        cursor->at -= cursor->width;
        row = BEHIND * automaton->stride;
    }
    scan_from(row, classes, automaton, cursor, rule);
}

WWHO_LOCAL uint64_t hash_text(const uint8_t *text, size_t n, size_t readable) {
    uint64_t state = 0;
    size_t at = 0;
    for (; at + 8 <= n; at += 8) state = hash_step(state, load64(text + at));
    return hash_finish(state, load_tail(text + at, n, readable - at), n);
}

WWHO_LOCAL uint32_t find_text(const wwho_vocabulary *v, const uint8_t *text, size_t n, size_t readable, uint64_t hash) {
    wwho_text *where;
    if (n > v->longest || !may_have(&v->text_filter, hash)) return WWHO_NONE;
    return find_slot(v, text, n, readable, hash, &where);
}
