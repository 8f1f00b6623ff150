/* Opening any bytes: refused with a named status, or opened and harmless.
 *
 * The input is an artifact. Its size being a multiple of 4, one byte more is a flag: bit 0 makes size and checksum right. */
#include "harness.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bool flagged = size % 4 == 1;
    size_t len = size - flagged;
    uint8_t *blob = copy_of(data, len);
    if (flagged && data[len] & 1) seal(blob, len);
    fuzz_model m;
    if (open_model(&m, blob, len, MAX_WORK) == WWHO_OK) check_model(&m);
    close_model(&m);
    free(blob);
    return 0;
}

/* Mutations that keep the sections in their places. Without them nearly every mutation ends at the section table. */

enum { ENTRY = 12, TABLE = 20 };

static uint32_t draw(uint32_t *state, uint32_t below) {
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*state * below >> 32);
}

/* Whether the section table can be followed: sections one behind another, the last one ending with the file. */
static uint32_t count_sections(const uint8_t *data, size_t len) {
    uint32_t n = len < TABLE ? 0 : data[10];
    uint64_t at = TABLE + (uint64_t)n * ENTRY;
    for (uint32_t i = 0; i < n && at <= len; i++) {
        const uint8_t *entry = data + TABLE + i * ENTRY;
        if (get32(entry + 4) != at) return 0;
        at = (at + get32(entry + 8) + 3) & ~(uint64_t)3;
    }
    return at == len ? n : 0;
}

/* A number of 1, 2 or 4 bytes among those at `at`: 0, 1, the largest, one less or one more. */
static void set_number(uint8_t *at, size_t len, uint32_t *state) {
    size_t width = (size_t)1 << draw(state, 3);
    if (len < width) return;
    at += draw(state, (uint32_t)(len / width)) * width;
    uint32_t value = 0;
    for (size_t i = 0; i < width; i++) value |= (uint32_t)at[i] << 8 * i;
    const uint32_t values[] = {0, 1, ~0u, value - 1, value + 1};
    value = values[draw(state, 5)];
    for (size_t i = 0; i < width; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* Let the fuzzer change a section's bytes and length, and move what follows. Returns the new size of the file. */
static size_t change_section(uint8_t *data, size_t len, size_t max_len, uint32_t i, uint32_t n) {
    uint8_t *entry = data + TABLE + i * ENTRY;
    size_t offset = get32(entry + 4), old = get32(entry + 8), old_end = (offset + old + 3) & ~(size_t)3;
    size_t room = old + 64 < max_len - len + old ? old + 64 : max_len - len + old;
    if (!room) return len;
    uint8_t *bytes = memory(room), *tail = copy_of(data + old_end, len - old_end);
    memcpy(bytes, data + offset, old);
    size_t now = LLVMFuzzerMutate(bytes, old, room), end = (offset + now + 3) & ~(size_t)3;
    if (end + (len - old_end) <= max_len) {
        memcpy(data + offset, bytes, now);
        memset(data + offset + now, 0, end - offset - now);
        memcpy(data + end, tail, len - old_end);
        put32(entry + 8, (uint32_t)now);
        for (uint32_t k = i + 1; k < n; k++) {
            uint8_t *later = data + TABLE + k * ENTRY + 4;
            put32(later, (uint32_t)(get32(later) + end - old_end));
        }
        len += end - old_end;
    }
    free(bytes);
    free(tail);
    return len;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    uint32_t state = seed, n = count_sections(data, size & ~(size_t)3);
    if (!n || max_size < size + 1 || !draw(&state, 16)) return LLVMFuzzerMutate(data, size, max_size);
    size &= ~(size_t)3;
    uint32_t i = draw(&state, n + 1);
    const uint8_t *entry = data + TABLE + (i - 1) * ENTRY;
    if (!i)
        set_number(data + 8, TABLE + n * ENTRY - 8, &state);
    else if (draw(&state, 2))
        set_number(data + get32(entry + 4), get32(entry + 8), &state);
    else
        size = change_section(data, size, max_size - 1, i - 1, n);
    data[size] = 1;
    return size + 1;
}
