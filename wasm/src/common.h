/* What every file of the core needs: limits, memory, reading little-endian numbers. */
#ifndef WWHO_COMMON_H
#define WWHO_COMMON_H

#include "../include/wwho.h"

#include <stdbool.h>

/* Marks what one file of the core offers to another. In wwho.c, which is one compilation unit, it means static. */
#ifndef WWHO_LOCAL
#if defined(__GNUC__) && !defined(WWHO_PLAIN_C)
#define WWHO_LOCAL __attribute__((visibility("hidden")))
#else
#define WWHO_LOCAL extern
#endif
#endif

/* What compilers offer beyond C11, unless WWHO_PLAIN_C is defined. HOT: always inline, this is the hot path. UNROLL: write the next
 * loop out. The build of WebAssembly unrolls no others; with these five, English that was not seen before is 1.06 times as fast there.
 * The memory functions are the compiler's own if it has them, because freestanding C has no <string.h>. */
#if defined(__GNUC__) && !defined(WWHO_PLAIN_C)
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the artifact is read in place: little-endian only");
#define HOT inline __attribute__((always_inline))
#define prefetch(address) __builtin_prefetch(address)
#define UNROLL _Pragma("GCC unroll 8")
#define copy_bytes(to, from, n) __builtin_memcpy(to, from, n)
#define fill_bytes(to, byte, n) __builtin_memset(to, byte, n)
#if defined(__x86_64__) && defined(__clang__) && __clang_major__ < 16
/* Return how many zero bits are below the lowest set bit of a word that is not 0. These compilers have only bsf for it, which is slow on
 * AMD. tzcnt, which older processors run as bsf, makes English and code 1.1 to 1.4 times as fast with clang 14. */
static HOT uint32_t trailing_zeros(uint64_t word) {
    uint64_t n;
    __asm__("rep bsfq %1, %0" : "=r"(n) : "r"(word) : "cc");
    return (uint32_t)n;
}
#else
#define trailing_zeros(word) ((uint32_t)__builtin_ctzll(word))
#endif
#else
#include <string.h>
#define HOT inline
#define prefetch(address) ((void)(address))
#define UNROLL
#define copy_bytes(to, from, n) memcpy(to, from, n)
#define fill_bytes(to, byte, n) memset(to, byte, n)
/* Return how many zero bits are below the lowest set bit of a word that is not 0. */
static inline uint32_t trailing_zeros(uint64_t word) {
    uint32_t n = 0;
    for (; !(word & 1); word >>= 1) n++;
    return n;
}
#endif

/* What is done natively alone, where size does not count. DRAWS_AHEAD: the first draw of each pretoken of a block is made before the block
 * is encoded, and drawn pretokens merge side by side as others do (encode.c, row.c). KNOWN_PHRASES: tokens that the cache has go to the
 * phrase without a second look-up (encode.c). PAIRED_SETS: what a short set of the cache has no room for goes to the set beside it
 * (cache.h). KEPT_TEXT: text that NFC keeps is not rewritten (parts.c). IDS_AHEAD: the table of ids is read ahead where
 * a model has one (encode.c). */
#ifdef __wasm__
enum { DRAWS_AHEAD = 0, KNOWN_PHRASES = 0, PAIRED_SETS = 0, KEPT_TEXT = 0, IDS_AHEAD = 0 };
#else
enum { DRAWS_AHEAD = 1, KNOWN_PHRASES = 1, PAIRED_SETS = 1, KEPT_TEXT = 1, IDS_AHEAD = 1 };
#endif

/* What always holds here, whatever the artifact and the text are: an invariant of the core, not a check of its input. With WWHO_DEBUG (make
 * test, fuzzers, sanitizers) the program stops where it does not hold; without it, the condition is not even compiled. */
#ifndef WWHO_DEBUG
#define WWHO_ASSERT(condition) ((void)sizeof(!(condition)))
#elif defined(__GNUC__) && !defined(WWHO_PLAIN_C)
#define WWHO_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#include <stdlib.h>
#define WWHO_ASSERT(condition) ((condition) ? (void)0 : abort())
#endif

/* Bring a line of memory into the cache, where it certainly pays. WebAssembly has no instruction for prefetching, so a word is read and
 * dropped. */
#if defined(__wasm__) && !defined(WWHO_PLAIN_C)
#define touch(address) __asm__ volatile("" : : "r"(*(const volatile uint32_t *)(const void *)(address)))
#else
#define touch prefetch
#endif

/* The compiler's vectors of 16 bytes are SIMD. With BYTE_MASKS, one instruction makes a bit of each byte of a vector; NEON has none. */
#if defined(__GNUC__) && !defined(WWHO_PLAIN_C)
#if defined(__SSE2__) || defined(__wasm_simd128__)
#define BYTE_MASKS
#define WIDE_WORDS
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define WIDE_WORDS
#endif
#endif

#ifdef WIDE_WORDS
typedef uint8_t wwho_16 __attribute__((vector_size(16)));

#ifdef BYTE_MASKS
/* Return the highest bits of 16 bytes, the lowest for the first. */
static HOT uint64_t bits_of(wwho_16 bytes) {
#ifdef __SSE2__
    return (uint16_t)__builtin_ia32_pmovmskb128((__attribute__((vector_size(16))) char)bytes);
#else
    return (uint16_t)__builtin_wasm_bitmask_i8x16((__attribute__((vector_size(16))) signed char)bytes);
#endif
}
#endif

/* Return the highest bits of 64 bytes in four vectors, the lowest for the first. */
static HOT uint64_t bits_of_64(const wwho_16 *bytes) {
#ifdef BYTE_MASKS
    return bits_of(bytes[0]) | bits_of(bytes[1]) << 16 | bits_of(bytes[2]) << 32 | bits_of(bytes[3]) << 48;
#else
    /* each byte becomes a bit of its own among eight neighbours, which are then added up, pair by pair */
    const uint8x16_t places = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    uint8x16_t bits[4];
    for (uint32_t i = 0; i < 4; i++) bits[i] = vandq_u8(vcltzq_s8((int8x16_t)bytes[i]), places);
    uint8x16_t pairs = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)), 0);
#endif
}
#else
typedef uint8_t wwho_16;
#endif

#define N_PAGES (0x110000u >> 7) /* of 128 code points each */
#define WWHO_NONE 0xFFFFFFFFu
#define WWHO_MAX_LENGTH 0x7FFFFFFFu /* of a file, a text, a workspace: FORMAT.md, Limits */
#define WWHO_MAX_TOKEN 1024u
#define WWHO_ID_BITS 21
#define WWHO_MAX_IDS ((1u << WWHO_ID_BITS) - 1) /* ids are below it */
#define ONES UINT64_C(0x0101010101010101)

/* A section of the file. */
typedef struct {
    const uint8_t *at;
    uint32_t length;
} wwho_section;

/* The processor reads memory in lines of this size. Where a set of the cache, or a line of the table of texts, begins inside one, two are
 * read: English then takes 1.2 times as long, code 1.1, Hindi 1.03 to 1.1. */
enum { MEMORY_LINE = 64, LINE_SLACK = MEMORY_LINE - 16 };

/* Return the first place that is a multiple of MEMORY_LINE in memory that begins at a multiple of 16: at most LINE_SLACK bytes on. */
static inline void *line_start(void *memory) { return (uint8_t *)memory + (0 - (uintptr_t)memory) % MEMORY_LINE; }

/* Memory that is handed out from a buffer of `size` bytes. Requests that do not fit are only counted. */
typedef struct {
    uint8_t *base;
    uint64_t size, used;
} wwho_arena;

/* Hand out `size` bytes of the arena, at a multiple of MEMORY_LINE from its base. Returns null if they do not fit; all later requests then
 * fail, too, but are still counted. */
WWHO_LOCAL void *take(wwho_arena *arena, uint64_t size);

/* Hand out room for n numbers of 32 bits, not cleared. Returns null as take() does. */
WWHO_LOCAL uint32_t *take_numbers(wwho_arena *arena, uint32_t n);

/* Hand out `size` bytes filled with zeros. Returns null as take() does. */
WWHO_LOCAL void *take_zeroed(wwho_arena *arena, uint64_t size);

/* Return the 16-bit number at p, of any alignment. */
static HOT uint32_t read16(const uint8_t *p) {
    uint16_t v;
    copy_bytes(&v, p, 2);
    return v;
}

/* Return the 32-bit number at p, of any alignment. */
static HOT uint32_t read32(const uint8_t *p) {
    uint32_t v;
    copy_bytes(&v, p, 4);
    return v;
}

/* Return the 64-bit word at p, of any alignment. */
static HOT uint64_t load64(const uint8_t *p) {
    uint64_t v;
    copy_bytes(&v, p, 8);
    return v;
}

#endif
