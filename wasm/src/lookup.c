/* Looking texts up, and the scanner: what is called often, though not worth a copy at each place. See vocabulary.h, automaton.h. */
#include "automaton.h"
#include "vocabulary.h"

WWHO_LOCAL COLD void scan(const wwho_classes *classes, const wwho_automaton *automaton, wwho_cursor *cursor, uint32_t *rule) {
    scan_piece(classes, automaton, cursor, rule);
}

WWHO_LOCAL COLD uint64_t hash_text(const uint8_t *text, size_t n, size_t readable) {
    uint64_t state = 0;
    size_t at = 0;
    for (; at + 8 <= n; at += 8) state = hash_step(state, load64(text + at));
    return hash_finish(state, load_tail(text + at, n, readable - at), n);
}

WWHO_LOCAL COLD uint32_t find_text(const wwho_vocabulary *v, const uint8_t *text, size_t n, uint64_t hash) {
    uint32_t where;
    if (n > v->longest || !may_have(&v->text_filter, hash)) return WWHO_NONE;
    return find_slot(v, text, n, hash, &where);
}
