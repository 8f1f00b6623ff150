/* Memory that is handed out from one buffer: see common.h. */
#include "common.h"

/* Hand out `size` bytes of the arena, at a multiple of MEMORY_LINE from its base. Returns null if they do not fit; all later requests then
 * fail, too, but are still counted. */
WWHO_LOCAL void *take(wwho_arena *arena, uint64_t size) {
    uint64_t at = arena->used;
    WWHO_ASSERT(at % MEMORY_LINE == 0 && size <= UINT64_MAX / 2 - at);
    arena->used += (size + MEMORY_LINE - 1) / MEMORY_LINE * MEMORY_LINE;
    return arena->used <= arena->size ? arena->base + at : 0;
}

/* Hand out room for n numbers of 32 bits, not cleared. Returns null as take() does. */
WWHO_LOCAL uint32_t *take_numbers(wwho_arena *arena, uint32_t n) { return take(arena, 4 * (uint64_t)n); }

/* Hand out `size` bytes filled with zeros. Returns null as take() does. */
WWHO_LOCAL void *take_zeroed(wwho_arena *arena, uint64_t size) {
    void *at = take(arena, size);
    if (at) fill_bytes(at, 0, size);
    return at;
}
