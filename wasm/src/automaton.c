/* See automaton.h. */
#include "automaton.h"

/* Return the width in bytes of the character that ends at text[at], in a text that begins at `from`, before `at`; its class goes to
 * *class. */
WWHO_LOCAL uint32_t class_before(const wwho_classes *classes, const uint8_t *text, size_t from, size_t at, uint32_t *class) {
    uint32_t code_point, width = character_before(text, from, at, &code_point);
    *class = class_of(classes, code_point);
    return width;
}

/* Move the cursor, which is not at the end, past the match of an automaton that starts there; the number of its rule, from 0, goes to
 * *rule. There always is one: build_automaton() checked that. As scan_piece(), but not inlined, and also for automata that look behind: the
 * character before the cursor, from cursor->from on, then decides in which state they start. */
WWHO_LOCAL void scan(const wwho_classes *classes, const wwho_automaton *automaton, wwho_cursor *cursor, uint32_t *rule) {
    uint32_t row = WWHO_START * automaton->stride;
    if (automaton->stored.flags & LOOKS_BEHIND && cursor->at > cursor->from) {
        cursor->width = class_before(classes, cursor->text, cursor->from, cursor->at, &cursor->class);
        cursor->at -= cursor->width;
        row = BEHIND * automaton->stride;
    }
    scan_from(row, classes, automaton, cursor, rule);
}

/* Return the column of a class in a stored automaton; that of the end of the text, 0, if class_of is n_classes. */
WWHO_LOCAL uint32_t stored_column(const wwho_stored *a, uint32_t n_classes, uint32_t class_of) {
    if (class_of == n_classes) return 0;
    return a->wide_columns ? read16(a->column + 2 * class_of) : a->column[class_of];
}

/* Return the entry of a stored automaton at a state and a column: mark * n_states + next state. */
static inline uint32_t entry_at(const wwho_stored *a, uint32_t state, uint32_t column) {
    uint32_t at = state * a->n_columns + column;
    return a->wide_entries ? read32(a->table + 4 * at) : read16(a->table + 2 * at);
}

/* Return the next state in an entry of a stored automaton; its mark (rule number from 1, 0 for none) goes to *mark. */
WWHO_LOCAL uint32_t stored_step(const wwho_stored *a, uint32_t state, uint32_t column, uint32_t *mark) {
    uint32_t entry = entry_at(a, state, column);
    *mark = entry / a->n_states;
    return entry % a->n_states;
}

/* Return true if an automaton has one rule, and each of its matches is one character (FORMAT.md, ROUTES). */
WWHO_LOCAL bool takes_characters(const wwho_stored *a, uint32_t n_classes) {
    uint32_t mark;
    if (a->n_rules != 1 || a->flags) return false;
    for (uint32_t class = 0; class < n_classes; class++) {
        uint32_t state = stored_step(a, WWHO_START, stored_column(a, n_classes, class), &mark);
        for (uint32_t column = 0; column < a->n_columns; column++)
            if (stored_step(a, state, column, &mark) || mark != 1) return false;
    }
    return true;
}
