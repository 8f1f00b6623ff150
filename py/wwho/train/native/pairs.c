/* Pairs of neighbours: where they stand, how often, and which comes next. */

typedef struct {
    uint64_t count; /* now: every merge that takes a place away lowers it; once the pair is complete it never rises */
    uint64_t start; /* of its places in the list, ascending; some may be outdated: merger->pair tells */
    uint32_t places;
    uint32_t left, right;
} pair_entry;

/* What the heap knows of a pair; `count` may be outdated, that is too high, but never too low. */
typedef struct {
    uint64_t count;
    uint64_t ids; /* left << 32 | right */
    uint32_t pair;
} heap_entry;

typedef struct {
    heap_entry *entries;
    size_t n, room;
} pair_heap;

/* The order of merging: higher count, then smaller left id, then smaller right id. */
static inline bool comes_before(const heap_entry *a, const heap_entry *b) {
    return a->count != b->count ? a->count > b->count : a->ids < b->ids;
}

static void sift_down(pair_heap *heap, size_t at) {
    heap_entry moving = heap->entries[at];
    for (size_t child; (child = 2 * at + 1) < heap->n; at = child) {
        if (child + 1 < heap->n && comes_before(&heap->entries[child + 1], &heap->entries[child])) child++;
        if (!comes_before(&heap->entries[child], &moving)) break;
        heap->entries[at] = heap->entries[child];
    }
    heap->entries[at] = moving;
}

static void heap_pop(pair_heap *heap) {
    heap->entries[0] = heap->entries[--heap->n];
    if (heap->n) sift_down(heap, 0);
}

static int heap_push(pair_heap *heap, heap_entry entry) {
    int status = reserve(&heap->entries, &heap->room, heap->n + 1, sizeof *heap->entries);
    if (status) return status;
    size_t at = heap->n++;
    for (size_t parent; at && comes_before(&entry, &heap->entries[parent = (at - 1) / 2]); at = parent)
        heap->entries[at] = heap->entries[parent];
    heap->entries[at] = entry;
    return WWHO_OK;
}
