/* Learning a Unigram vocabulary (Kudo 2018), as SentencePiece does it: many candidates, whose probabilities are estimated by expectation
 * maximization (EM), and of which those are dropped, round by round, without which the text is nearly as probable.
 *
 * A token is a part of a run. The tokens that begin at a position form a chain: the longest one, then its parent, the longest of those that
 * begin it, and so on to the atom itself. So no text is ever searched for. Atoms are tokens and are never dropped. */

/* What a pass over the runs reads and writes of a token. */
typedef struct {
    double weight;   /* its probability */
    double score;    /* the logarithm of that */
    double expected; /* how often the paths through the runs go through it */
    uint32_t parent; /* the longest token that its text begins with; NONE for an atom */
    uint32_t n;      /* its atoms */
} learner_token;

struct wwho_learner {
    run_table runs;
    uint32_t *longest;     /* for each position the longest token that begins there */
    learner_token *tokens; /* the atoms first */
    uint32_t *places;      /* a position where each token stands; for an atom in no run it is not used */
    size_t n_atoms, n_tokens, tokens_room, places_room;
    double *forward, *backward; /* of the places of a run: the sum of all paths up to it, and from it on */
    uint32_t *back;             /* the last token of the best path to each place of a run */
};

/* Free all that a learner of a Unigram vocabulary holds; null is allowed. */
void wwho_learner_free(wwho_learner *u) {
    if (!u) return;
    free_runs(&u->runs);
    free(u->longest);
    free(u->tokens);
    free(u->places);
    free(u->forward);
    free(u->backward);
    free(u->back);
    free(u);
}

/* Choosing candidates. */

enum { SCORE_BITS = 20 /* the bits of a score that tell candidates apart: exponent and 8 more */ };

/* The state of looking at all parts: first to count them by score, then to take the best of them. */
typedef struct {
    wwho_learner *u;
    const suffix_list *suffixes;
    const uint16_t *bytes; /* of each atom */
    uint64_t min_count;
    uint32_t *by_score; /* how many parts have a score with these upper bits */
    uint32_t least;     /* the upper bits of the lowest score of those to take, */
    size_t of_least;    /* and how many of those that have just these are taken, at most */
    uint32_t *waiting;  /* numbers of the suffixes whose longest token is not known yet */
    uint32_t *orphans;  /* tokens whose parent is not known yet, */
    uint32_t *firsts;   /* and the first suffix that begins with each */
    size_t n_waiting, n_orphans, orphans_room, firsts_room;
    int status;
} candidate_choice;

/* Return the upper bits of the score of a part, by which candidates are ranked: how many atoms of the text it covers. */
static uint32_t score_bits(const run_part *part) {
    double score = (double)part->count * part->depth;
    uint64_t bits;
    memcpy(&bits, &score, sizeof bits);
    return (uint32_t)(bits >> (64 - SCORE_BITS));
}

/* Return true if a part may be a token: several atoms, seen often enough, and not longer than MAX_TOKEN bytes. */
static bool is_candidate(const candidate_choice *choice, const run_part *part) {
    if (part->depth < 2 || part->count < choice->min_count) return false;
    const uint32_t *atoms = choice->u->runs.atoms + choice->suffixes->places[part->first];
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < part->depth; i++) bytes += choice->bytes[atoms[i]];
    return bytes <= MAX_TOKEN;
}

/* Count a part by its score: the part_visitor of the first look. */
static void count_part(void *state, const run_part *part) {
    candidate_choice *choice = state;
    if (is_candidate(choice, part)) choice->by_score[score_bits(part)]++;
}

/* Set choice->least and choice->of_least so that `most` candidates are taken, one or more, or all if they are fewer. choice->by_score is
 * complete. */
static void limit_candidates(candidate_choice *choice, size_t most) {
    choice->least = (1u << SCORE_BITS) - 1;
    for (size_t n = 0;; choice->least--) {
        n += choice->by_score[choice->least];
        if (n < most && choice->least) continue;
        choice->of_least = choice->by_score[choice->least] - (n > most ? n - most : 0);
        return;
    }
}

/* Note that a suffix comes next, which waits for its longest token. */
static void expect_suffix(void *state, uint32_t number) {
    candidate_choice *choice = state;
    choice->waiting[choice->n_waiting++] = number;
}

/* Make a token of a part, if it is an atom or a candidate with a high score: the part_visitor of the second look. It becomes the longest
 * token of all suffixes that wait and begin with it, and the parent of all tokens without one that do. For want of memory choice->status is
 * set, and no more tokens are made. */
static void take_part(void *state, const run_part *part) {
    candidate_choice *choice = state;
    wwho_learner *u = choice->u;
    uint32_t place = choice->suffixes->places[part->first], token = u->runs.atoms[place];
    if (choice->status) return;
    if (part->depth > 1) {
        if (!is_candidate(choice, part)) return;
        uint32_t bits = score_bits(part);
        if (bits < choice->least || (bits == choice->least && !choice->of_least)) return;
        choice->of_least -= bits == choice->least;
        token = (uint32_t)u->n_tokens;
        choice->status = reserve(&u->tokens, &u->tokens_room, u->n_tokens + 1, sizeof *u->tokens);
        if (!choice->status) choice->status = reserve(&u->places, &u->places_room, u->n_tokens + 1, sizeof *u->places);
        if (choice->status) return;
        u->n_tokens++;
    }
    u->tokens[token] = (learner_token){.expected = (double)part->count * part->depth, .parent = NONE, .n = part->depth};
    u->places[token] = place;
    for (; choice->n_waiting && choice->waiting[choice->n_waiting - 1] >= part->first; choice->n_waiting--)
        u->longest[choice->suffixes->places[choice->waiting[choice->n_waiting - 1]]] = token;
    for (; choice->n_orphans && choice->firsts[choice->n_orphans - 1] >= part->first; choice->n_orphans--)
        u->tokens[choice->orphans[choice->n_orphans - 1]].parent = token;
    if (part->depth == 1) return;
    choice->status = reserve(&choice->orphans, &choice->orphans_room, choice->n_orphans + 1, sizeof *choice->orphans);
    if (!choice->status) choice->status = reserve(&choice->firsts, &choice->firsts_room, choice->n_orphans + 1, sizeof *choice->firsts);
    if (choice->status) return;
    choice->orphans[choice->n_orphans] = token;
    choice->firsts[choice->n_orphans++] = part->first;
}

/* Make the tokens: the atoms, and the parts of runs of the highest scores, at most max_candidates of at most max_units atoms, each seen
 * min_count times or more. Each is expected as often as it is seen times its atoms, and u->longest is filled in. Returns a status; on
 * failure u holds what was made so far. */
static int choose_candidates(wwho_learner *u, const uint16_t *bytes, size_t max_candidates, uint64_t min_count, size_t max_units) {
    suffix_list suffixes;
    candidate_choice choice = {.u = u, .suffixes = &suffixes, .bytes = bytes, .min_count = min_count};
    int status = list_suffixes(&suffixes, &u->runs, max_units);
    u->longest = malloc((u->runs.n + 1) * sizeof *u->longest);
    choice.by_score = calloc((size_t)1 << SCORE_BITS, sizeof *choice.by_score);
    choice.waiting = malloc((u->runs.n + 1) * sizeof *choice.waiting);
    if (!status && !(u->longest && choice.by_score && choice.waiting)) status = WWHO_MEMORY;
    if (!status) status = reserve(&u->tokens, &u->tokens_room, u->n_atoms + 1, sizeof *u->tokens);
    if (!status) status = reserve(&u->places, &u->places_room, u->n_atoms + 1, sizeof *u->places);
    if (!status) {
        for (size_t atom = 0; atom < u->n_atoms; atom++) {
            u->tokens[atom] = (learner_token){.parent = NONE, .n = 1};
            u->places[atom] = 0;
        }
        u->n_tokens = u->n_atoms;
        if (max_units > 1 && max_candidates) {
            visit_parts(&suffixes, count_part, NULL, &choice);
            limit_candidates(&choice, max_candidates);
        } else
            choice.least = 1u << SCORE_BITS; /* above all scores */
        visit_parts(&suffixes, take_part, expect_suffix, &choice);
        status = choice.status;
    }
    free(suffixes.places);
    free(suffixes.run);
    free(choice.by_score);
    free(choice.waiting);
    free(choice.orphans);
    free(choice.firsts);
    return status;
}

/* Expectation maximization. */

/* Set the score and weight of each token by the number of times it is expected, as SentencePiece does: with the digamma function, which
 * lowers what is rare. A token is expected half a time at least: less is set to that. */
static void maximize(wwho_learner *u) {
    double sum = 0;
    for (size_t i = 0; i < u->n_tokens; i++) {
        if (u->tokens[i].expected < 0.5) u->tokens[i].expected = 0.5;
        sum += u->tokens[i].expected;
    }
    double all = digamma(sum);
    for (size_t i = 0; i < u->n_tokens; i++) {
        u->tokens[i].score = digamma(u->tokens[i].expected) - all;
        u->tokens[i].weight = exponential(u->tokens[i].score);
    }
}

/* Find the best path from position `at` over n atoms: of all ways to cut them into tokens the one with the highest sum of scores, of equal
 * ones that whose last token is the longest. `without` is a token that the path does not take. Writes to u->back the last token of the best
 * path to each place, counted from 0 to n, and to u->forward its sum; a place that no path reaches has NONE and no sum. */
static void find_path(wwho_learner *u, size_t at, size_t n, uint32_t without) {
    for (size_t i = 0; i <= n; i++) u->back[i] = NONE;
    u->forward[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && u->back[i] == NONE) continue; /* an atom left out was the only way here */
        for (uint32_t token = u->longest[at + i]; token != NONE; token = u->tokens[token].parent) {
            const learner_token *t = &u->tokens[token];
            size_t end = i + t->n;
            if (end > n || token == without) continue;
            double sum = u->forward[i] + t->score;
            if (u->back[end] != NONE && sum <= u->forward[end]) continue;
            u->forward[end] = sum;
            u->back[end] = token;
        }
    }
}

/* Add to the expected numbers of tokens what a run of n atoms from position `at` adds that was seen `count` times and whose paths are so
 * improbable that products of weights vanish. All sums are taken relative to the best path to each place. Overwrites
 * u->forward, u->backward and u->back. */
static void expect_improbable(wwho_learner *u, size_t at, size_t n, double count) {
    find_path(u, at, n, NONE);
    double *best = u->forward, *forward = u->backward, *backward = u->backward + u->runs.longest + 1;
    for (size_t i = 0; i <= n; i++) forward[i] = backward[i] = 0;
    forward[0] = backward[n] = 1;
    for (size_t i = 0; i < n; i++)
        for (uint32_t token = u->longest[at + i]; token != NONE; token = u->tokens[token].parent) {
            const learner_token *t = &u->tokens[token];
            forward[i + t->n] += forward[i] * exponential(best[i] + t->score - best[i + t->n]);
        }
    for (size_t i = n; i-- > 0;)
        for (uint32_t token = u->longest[at + i]; token != NONE; token = u->tokens[token].parent) {
            learner_token *t = &u->tokens[token];
            double part = exponential(best[i] + t->score - best[i + t->n]) * backward[i + t->n];
            t->expected += count * (forward[i] * part / forward[n]);
            backward[i] += part;
        }
}

/* Add to the expected numbers of tokens what a run of n atoms from position `at` adds that was seen `count` times: each path as often as
 * its share of the probability of all paths says. Overwrites u->forward, u->backward and u->back. */
static void expect_run(wwho_learner *u, size_t at, size_t n, double count) {
    learner_token *tokens = u->tokens;
    double *forward = u->forward, *backward = u->backward;
    const uint32_t *longest = u->longest + at;
    memset(forward, 0, (n + 1) * sizeof *forward);
    forward[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (uint32_t token = longest[i]; token != NONE; token = tokens[token].parent)
            forward[i + tokens[token].n] += forward[i] * tokens[token].weight;
    if (forward[n] < 1e-200) {
        expect_improbable(u, at, n, count);
        return;
    }
    backward[n] = 1;
    double share = count / forward[n];
    for (size_t i = n; i-- > 0;) {
        double sum = 0, here = forward[i] * share;
        for (uint32_t token = longest[i]; token != NONE; token = tokens[token].parent) {
            double part = tokens[token].weight * backward[i + tokens[token].n];
            tokens[token].expected += here * part;
            sum += part;
        }
        backward[i] = sum;
    }
}

/* Set how often each token is expected on the paths through all runs, each path by its probability. */
static void expect_all(wwho_learner *u) {
    const run_table *runs = &u->runs;
    for (size_t i = 0; i < u->n_tokens; i++) u->tokens[i].expected = 0;
    for (size_t run = 0; run < runs->n_runs; run++)
        expect_run(u, runs->starts[run], runs->starts[run + 1] - 1 - runs->starts[run], (double)runs->counts[run]);
}

/* Drop the tokens whose item in `kept` is false, but atoms; the others are numbered anew, in their order, in u->longest and as parents,
 * too. Frees `kept`, which may be null for want of memory. Returns a status; if it is not WWHO_OK, all tokens stay. */
static int keep_tokens_of(wwho_learner *u, bool *kept) {
    uint32_t *number =
        malloc((u->n_tokens + 1) * sizeof *number); /* of the longest token kept that each token begins with, as it will be */
    uint32_t *order = malloc((u->n_tokens + 1) * sizeof *order);
    size_t n = 0;
    int status = kept && number && order ? WWHO_OK : WWHO_MEMORY;
    for (size_t i = 0; !status && i < u->n_tokens; i++) {
        kept[i] |= i < u->n_atoms;
        number[i] = kept[i] ? (uint32_t)n++ : NONE;
    }
    for (size_t i = 0; !status && i < u->n_tokens; i++) {
        uint32_t token = (uint32_t)i;
        while (!kept[token]) token = u->tokens[token].parent;
        order[i] = number[token];
    }
    for (size_t i = 0; !status && i < u->runs.n; i++)
        if (u->runs.atoms[i] != NONE) u->longest[i] = order[u->longest[i]];
    for (size_t i = 0; !status && i < u->n_tokens; i++) {
        if (!kept[i]) continue;
        learner_token token = u->tokens[i];
        if (token.parent != NONE) token.parent = order[token.parent];
        u->places[number[i]] = u->places[i];
        u->tokens[number[i]] = token;
    }
    if (!status) u->n_tokens = n;
    free(number);
    free(order);
    free(kept);
    return status;
}

/* Estimate the probabilities of the tokens once: expect, drop the tokens that are expected less than half a time, unless fewer than `goal`
 * would be left (then none is dropped), and maximize. Returns a status. */
static int estimate(wwho_learner *u, size_t goal) {
    expect_all(u);
    bool *kept = malloc(u->n_tokens + 1);
    size_t n = 0;
    for (size_t i = 0; kept && i < u->n_tokens; i++) n += kept[i] = i < u->n_atoms || u->tokens[i].expected >= 0.5;
    for (size_t i = 0; kept && n < goal && i < u->n_tokens; i++) kept[i] = true;
    int status = keep_tokens_of(u, kept);
    if (!status) maximize(u);
    return status;
}

/* Pruning. */

/* A token, and how much less probable the text would be without it. */
typedef struct {
    double loss;
    uint32_t token;
} token_loss;

/* Compare two losses for qsort: the higher one comes first, among equals that of the smaller token. */
static int compare_losses(const void *a, const void *b) {
    const token_loss *x = a, *y = b;
    if (x->loss != y->loss) return x->loss > y->loss ? -1 : 1;
    return x->token < y->token ? -1 : 1;
}

/* Set `uses`, which has an entry for each token, to how often the best paths through all runs go through it. Overwrites u->forward and
 * u->back. */
static void count_uses(wwho_learner *u, double *uses) {
    const run_table *runs = &u->runs;
    for (size_t i = 0; i < u->n_tokens; i++) uses[i] = 0;
    for (size_t run = 0; run < runs->n_runs; run++) {
        size_t n = runs->starts[run + 1] - 1 - runs->starts[run];
        find_path(u, runs->starts[run], n, NONE);
        for (; n; n -= u->tokens[u->back[n]].n) uses[u->back[n]] += (double)runs->counts[run];
    }
}

/* Return how much the logarithm of the probability of the text would fall without a token, if the tokens of the next best path through its
 * own text took its place. If that path is better than the token, or no best path takes the token, it is of no use: the result is below 0,
 * and the higher the more it is expected. `sum` is that of all uses. Overwrites u->forward and u->back. */
static double loss_of(wwho_learner *u, uint32_t token, const double *uses, double sum) {
    const learner_token *t = &u->tokens[token];
    if (!uses[token]) return -1 / (1 + t->expected);
    find_path(u, u->places[token], t->n, token);
    if (u->forward[t->n] > t->score) return -1 / (1 + t->expected);
    size_t parts = 0;
    for (size_t at = t->n; at; at -= u->tokens[u->back[at]].n) parts++;
    double others = logarithm(sum + uses[token] * (double)(parts - 1)), with = logarithm(uses[token]) - logarithm(sum), without = 0;
    for (size_t at = t->n; at; at -= u->tokens[u->back[at]].n) without += logarithm(uses[u->back[at]] + uses[token]) - others;
    double loss = uses[token] * (with - without);
    return loss > 0 ? loss : 0;
}

/* Keep the atoms and the tokens without which the text would be the least probable: `most` tokens in all, of use or not if they are not
 * more than `goal`. Scores stay as they are. Returns a status. */
static int prune(wwho_learner *u, size_t most, size_t goal) {
    double *uses = malloc((u->n_tokens + 1) * sizeof *uses), sum = 0;
    token_loss *losses = malloc((u->n_tokens + 1) * sizeof *losses);
    bool *kept = calloc(u->n_tokens + 1, 1);
    size_t n = 0;
    int status = uses && losses && kept ? WWHO_OK : WWHO_MEMORY;
    if (!status) {
        count_uses(u, uses);
        for (size_t i = 0; i < u->n_tokens; i++) sum += uses[i];
        for (size_t i = u->n_atoms; i < u->n_tokens; i++) {
            losses[n++] = (token_loss){loss_of(u, (uint32_t)i, uses, sum), (uint32_t)i};
        }
        qsort(losses, n, sizeof *losses, compare_losses);
        for (size_t i = 0; i < n && u->n_atoms + i < (losses[i].loss < 0 ? goal : most); i++) kept[losses[i].token] = true;
    }
    free(uses);
    free(losses);
    if (!status) return keep_tokens_of(u, kept);
    free(kept);
    return status;
}

/* The interface. */

/* Return what learns a Unigram vocabulary from the words of a table, whose units that are atoms get their places in `atoms` as ids. On
 * failure, *learner is null. train.h has the limits. */
int wwho_learner_new(const wwho_words *words, const wwho_words *atoms, size_t max_candidates, uint64_t min_freq, uint32_t max_units,
                     wwho_learner **learner) {
    if (!learner) return WWHO_ARGUMENT;
    *learner = NULL;
    if (!words || !atoms || words->n_units > MAX_UNITS || !min_freq || !max_units || atoms->n > MAX_IDS) return WWHO_ARGUMENT;
    wwho_learner *u = calloc(1, sizeof *u);
    uint16_t *bytes = malloc((atoms->n + 1) * sizeof *bytes);
    int status = u && bytes ? WWHO_OK : WWHO_MEMORY;
    if (!status) {
        u->n_atoms = atoms->n;
        status = measure_atoms(bytes, atoms);
    }
    if (!status) status = lay_out_runs(&u->runs, words, atoms);
    size_t places = u ? (u->runs.longest > MAX_PART ? u->runs.longest : MAX_PART) + 1 : 0;
    if (!status) {
        u->runs.longest = places - 1;
        u->forward = malloc(places * sizeof *u->forward);
        u->backward = malloc(2 * places * sizeof *u->backward);
        u->back = malloc(places * sizeof *u->back);
        if (!u->forward || !u->backward || !u->back) status = WWHO_MEMORY;
    }
    if (!status) status = choose_candidates(u, bytes, max_candidates, min_freq, max_units < MAX_PART ? max_units : MAX_PART);
    free(bytes);
    if (status) {
        wwho_learner_free(u);
        return status;
    }
    maximize(u);
    *learner = u;
    return WWHO_OK;
}

/* Estimate twice and then drop down to `goal` tokens, atoms among them, if there are more, but keep three of four; *n becomes the number of
 * tokens. Returns a status. */
int wwho_learner_step(wwho_learner *u, size_t goal, size_t *n) {
    if (!u || !n) return WWHO_ARGUMENT;
    int status = estimate(u, goal);
    if (!status) status = estimate(u, goal);
    if (!status && u->n_tokens > goal) status = prune(u, goal > u->n_tokens / 4 * 3 ? goal : u->n_tokens / 4 * 3, goal);
    *n = u->n_tokens;
    return status;
}

/* Write for each token the number of its atoms and its score, and the atoms of all tokens, one after another; the atoms themselves are the
 * first tokens. Returns the number of all these atoms; with null for the arrays it only counts them. */
size_t wwho_learner_export(const wwho_learner *u, uint32_t *lengths, double *scores, uint32_t *atoms) {
    size_t n = 0;
    for (size_t i = 0; i < u->n_tokens; i++) {
        if (atoms) {
            lengths[i] = u->tokens[i].n;
            scores[i] = u->tokens[i].score;
            for (uint32_t k = 0; k < u->tokens[i].n; k++) atoms[n + k] = i < u->n_atoms ? (uint32_t)i : u->runs.atoms[u->places[i] + k];
        }
        n += u->tokens[i].n;
    }
    return n;
}
