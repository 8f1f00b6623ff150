// Everything that passes between JavaScript and the core's linear memory, and nothing else.
//
// One WebAssembly.Instance holds one tokenizer, so nothing is ever freed inside it. Its memory:
//   [ the core's own data and stack | out | blob | workspace | scratch | area of the running call ]
// The scratch area holds the core's cache, so it is kept. The last area is handed out from a mark that each call resets,
// with the text at its base. Memory grows before a call, and results are copied out. Addresses are numbers below 2^32; struct layouts
// are those of wasm/include/wwho.h for wasm32.
//
// A short text takes a few microseconds, and each view of memory that a call creates takes a tenth of one. So views are kept until
// memory grows, and a call creates only its result.

import { WwhoError, artifactError } from "./errors.js";
import { ARGUMENT, BUFFER, CUT_ONLY, GOES_ON, JOB, NUMBERS, OK, SECTION_PROVENANCE, SPAN, STATUSES, TOKEN, VERSION_MAJOR } from "./header.js";

const PAGE_BYTES = 65536;
/** Strings that cannot take more bytes are written through a view that is kept. */
const SHORT_BYTES = 4096;
/** More text than this, with 12 bytes of results for each byte, does not fit 32-bit memory. */
const MOST_BYTES = 2 ** 28 - 1;
/** More tokens than any text has. */
const MOST_TOKENS = 2 ** 31;
const NONE = 0xffffffff;
/** What a call finds besides the number of tokens. */
const IDS = 1;
const PLACES = 2;
const SPANS = 4;
/** Working memory for normalizing; enough unless a text consists of marks. */
const NORMALIZER_BYTES = 65536;

/** @typedef {string | Uint8Array} Text */
/** @typedef {{ start: number, end: number, route: number, rule: number, first: boolean }} Span in bytes of UTF-8 */

/** One for all calls: unlike a TextDecoder, it keeps no state. */
const encoder = new TextEncoder();

/** @param {number} address */
const align = (address) => address + (-address & 15);

/** One instance of the core with one tokenizer opened in it. */
export class Core {
  /** @type {Record<string, (...values: number[]) => number>} */
  #call;
  /** @type {WebAssembly.Memory} */
  #memory;
  /** All of memory, in bytes and in words of 4 bytes, and the first SHORT_BYTES from #base on; see #makeViews. */
  #bytes = new Uint8Array();
  #words = new Uint32Array();
  #short = new Uint8Array();
  #model = 0;
  /** Where the core writes the number that a call returns. */
  #out = 0;
  /** The address of the job struct, and the word of memory of each of its fields. @type {Record<string, number>} */
  #job = {};
  #jobAt = 0;
  /** Where the area of the running call begins, and its first free byte. */
  #base = 0;
  #top = 0;

  /**
   * @param {WebAssembly.Module} module
   * @param {Uint8Array} blob a whole .wwho file
   * @throws {WwhoError} with the status of the rule that the file breaks; MEMORY; ABI
   */
  constructor(module, blob) {
    const { exports } = new WebAssembly.Instance(module, {});
    this.#call = /** @type {any} */ (exports);
    this.#memory = /** @type {WebAssembly.Memory} */ (exports.memory);
    const abi = this.#call.abi_version() >>> 16;
    if (abi !== VERSION_MAJOR) {
      throw new WwhoError(
        "ABI",
        `wwho.wasm has interface ${abi}, expected ${VERSION_MAJOR}; take it from the same release as the .js files`,
      );
    }
    const heap = /** @type {WebAssembly.Global} */ (exports.__heap_base).value;
    this.#base = this.#top = align(heap >>> 0);
    this.#makeViews();
    this.#open(blob);
  }

  /** @param {Uint8Array} blob */
  #open(blob) {
    this.#out = this.#take(4);
    this.#base = this.#top;
    this.#jobAt = this.#take(JOB.size);
    this.#job = Object.fromEntries(Object.entries(JOB).map(([name, at]) => [name, (this.#jobAt + at) / 4]));
    const file = this.#take(blob.length);
    this.#bytes.set(blob, file);
    const check = (/** @type {number} */ code) => {
      if (code !== OK) throw artifactError(STATUSES[code], blob);
    };
    check(this.#call.workspace_size(file, blob.length, this.#out));
    const size = this.#given();
    const work = this.#take(size);
    check(this.#call.open(file, blob.length, work, size, this.#out));
    this.#model = this.#given();
    this.#takeScratch(this.#call.scratch_size(this.#model) >>> 0); // the core needs zeros, and new memory is zero
  }

  /** Call this when memory has grown, which detaches the old views, and when #base has moved. */
  #makeViews() {
    const { buffer } = this.#memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#short = this.#bytes.subarray(this.#base, this.#base + SHORT_BYTES);
  }

  /** Take `size` bytes, 16-byte aligned, of the area of the running call. @param {number} size */
  #take(size) {
    const at = this.#top;
    const end = align(at + size);
    if (end > this.#bytes.length) this.#grow(end);
    this.#top = end;
    return at;
  }

  /** @param {number} end the bytes of memory that are needed */
  #grow(end) {
    try {
      this.#memory.grow(Math.ceil((end - this.#bytes.length) / PAGE_BYTES));
    } catch (cause) {
      throw new WwhoError("MEMORY", `no room for ${end} bytes of WebAssembly memory; pass the text in smaller parts`, {
        cause,
      });
    }
    this.#makeViews();
  }

  /** Begin a call: everything that the call before took is free again. */
  #begin() {
    this.#top = this.#base;
  }

  /**
   * Copy a text to #base; a call does this first. A lone surrogate becomes U+FFFD, as in TextEncoder.
   * @param {Text} text
   * @returns {number} its length in bytes
   */
  #put(text) {
    // A string has at least as many bytes as units, so check before copying.
    if (text.length > MOST_BYTES) throw tooLong(text.length);
    if (typeof text === "string") {
      const most = text.length * 3;
      const at = this.#take(most);
      const room = most <= SHORT_BYTES ? this.#short : this.#bytes.subarray(at, at + most);
      const { written } = encoder.encodeInto(text, room);
      this.#top = align(at + written);
      return written;
    }
    const at = this.#take(text.length);
    this.#bytes.set(text, at);
    return text.length;
  }

  /** @param {Uint8Array | null} allowed one byte for each added token, or null for none */
  #putAllowed(allowed) {
    if (allowed === null) return 0;
    const at = this.#take(allowed.length);
    this.#bytes.set(allowed, at);
    return at;
  }

  /** A copy of bytes. @param {number} at @param {number} length */
  #copyBytes(at, length) {
    return this.#bytes.slice(at, at + length);
  }

  /** A copy of words. @param {number} at @param {number} length in words */
  #copyWords(at, length) {
    return this.#words.slice(at / 4, at / 4 + length);
  }

  /** The number that the last call wrote to #out. */
  #given() {
    return this.#words[this.#out / 4];
  }

  /** @param {number} code @param {string} what */
  #check(code, what) {
    if (code !== OK) throw new WwhoError(STATUSES[code], `the core cannot ${what}: status ${STATUSES[code]}`);
  }

  /** The numbers that a function of the core writes. @param {string} what it does @param {number} n @param {string} name @param {number[]} given */
  #asked(what, n, name, ...given) {
    this.#begin();
    const at = this.#take(4 * n);
    const places = Array.from({ length: n }, (_, i) => at + 4 * i);
    this.#check(this.#call[name](this.#model, ...given, ...places), what);
    return this.#copyWords(at, n);
  }

  /**
   * The numbers that describe a thing, by name; null for none.
   * @param {number} of one of OF_... of header.js
   * @param {number} [number] which model, route, step or automaton
   * @returns {Record<string, number | null>}
   */
  info(of, number = 0) {
    const values = this.numbers(of, number);
    return Object.fromEntries(NUMBERS[of].map((name, i) => [name, values[i] ?? null]));
  }

  /**
   * The numbers of a route or step from a name on, which begins a list.
   * @param {number} of
   * @param {number} number
   * @param {string} name
   */
  list(of, number, name) {
    return /** @type {number[]} */ (this.numbers(of, number).slice(NUMBERS[of].indexOf(name)));
  }

  /** All of them, in order. @param {number} of @param {number} number @returns {(number | null)[]} */
  numbers(of, number) {
    this.#begin();
    const at = this.#take(4);
    /** @type {(number | null)[]} */
    const values = [];
    while (this.#call.info(this.#model, of, number, values.length, at) === OK) {
      const value = this.#words[at / 4];
      values.push(value === NONE ? null : value);
    }
    return values;
  }

  /** The class of a code point. @param {number} codePoint */
  classOf(codePoint) {
    return this.#asked("find a class", 1, "class", codePoint)[0];
  }

  /**
   * One step of an automaton: the rule of the match that ends before the character, or null, and the next state, 0 if the scan is over.
   * @param {number} automaton
   * @param {number} state
   * @param {number} classOf the character's, or n_classes at the end of the text
   */
  step(automaton, state, classOf) {
    const [rule, next] = this.#asked("take a step", 2, "advance", automaton, state, classOf);
    return { rule: rule === NONE ? null : rule, next };
  }

  /** The name of a route. @param {number} route @returns {Uint8Array} */
  routeName(route) {
    const [text, length] = this.#asked("read the name of a route", 2, "route_name", route);
    return this.#copyBytes(text, length);
  }

  /** Added token number `index`. @param {number} index @returns {{ id: number, flags: number, bytes: Uint8Array }} */
  added(index) {
    const [id, flags, text, length] = this.#asked("read an added token", 4, "added", index);
    return { id, flags, bytes: this.#copyBytes(text, length) };
  }

  /** The JSON of the model's provenance. @returns {Uint8Array} */
  origin() {
    const [bytes, length] = this.#asked("read the provenance", 2, "section_bytes", SECTION_PROVENANCE, 0);
    return this.#copyBytes(bytes, length);
  }

  /**
   * Rewrite a text with the first steps of the model's normalizer. Methods that encode do this themselves.
   * @param {Text} text
   * @param {boolean} [more] whether more text follows: then only the part that it cannot change is rewritten
   * @returns {{ bytes: Uint8Array<ArrayBuffer>, sources: Uint32Array, read: number }} UTF-8; for each byte of it, where the character
   *   begins that it came from, in the UTF-8 of `text`; how many bytes of that were read
   */
  normalize(text, more = false) {
    for (let times = 1; ; times *= 2) {
      this.#begin();
      const length = this.#put(text);
      const [room, workLength] = [times * (2 * length + 64), times * NORMALIZER_BYTES];
      const [at, work, out, sources] = [8, workLength, room, 4 * room].map((size) => this.#take(size));
      const given = [this.#base, length, Number(more), work, workLength, out, sources, room];
      const code = this.#call.normalize(this.#model, ...given, at, at + 4);
      const [read, n] = this.#copyWords(at, 2);
      if (code === OK && (more || read === length)) {
        return { bytes: this.#copyBytes(out, n), sources: this.#copyWords(sources, n), read };
      }
      if (code !== BUFFER) this.#check(code, "normalize");
    }
  }

  /** How many UTF-16 units a text has. @param {Text} text */
  unitsIn(text) {
    if (typeof text === "string") return text.length;
    this.#begin();
    const length = this.#put(text);
    const at = this.#take(12);
    this.#words[at / 4] = length;
    this.#check(this.#call.offsets(this.#base, length, at, at, 1, 1, at + 4, at + 8), "compute offsets");
    return this.#words[at / 4 + 2];
  }

  /**
   * @param {Text} text
   * @param {Uint8Array | null} allowed
   * @param {number} flags
   * @returns {Uint32Array} ids
   */
  encode(text, allowed, flags) {
    this.#run(text, allowed, flags, IDS);
    return this.#column("ids", this.#found("n"));
  }

  /**
   * Write ids into `target`, as many as there is room for without splitting a character.
   * @param {Text} text
   * @param {Uint32Array} target
   * @param {Uint8Array | null} allowed
   * @param {number} flags
   * @returns {{ read: number, written: number }} UTF-16 units of a string, or bytes; tokens
   */
  encodeInto(text, target, allowed, flags) {
    let wanted = target.length < text.length * 3 ? IDS | PLACES : IDS;
    let length = this.#run(text, allowed, flags, wanted);
    // The normalizer made the text longer.
    if (this.#found("n") > target.length && wanted === IDS) length = this.#run(text, allowed, flags, (wanted |= PLACES));
    const [ids, begins, ends, n] = ["ids", "starts", "ends", "n"].map((name) => this.#found(name));
    if (n <= target.length) {
      target.set(this.#words.subarray(ids / 4, ids / 4 + n));
      return { read: text.length, written: n };
    }
    const most = target.length + 1;
    const { first, last } = this.#units(length, begins, ends, most);
    let written = target.length;
    while (written > 0 && this.#words[first / 4 + written] < this.#words[last / 4 + written - 1]) written--;
    target.set(this.#words.subarray(ids / 4, ids / 4 + written));
    // Text between two tokens, such as a mark that was composed, belongs to the first.
    const read = written === 0 ? 0 : this.#words[(typeof text === "string" ? first : begins) / 4 + written];
    return { read, written };
  }

  /**
   * Ids, and the first UTF-16 unit that each token touches and the one after the last; with `units`, also pretokens and units, in the same
   * pass.
   * @param {Text} text
   * @param {Uint8Array | null} allowed
   * @param {number} flags
   * @param {boolean} [units]
   * @returns {{ ids: Uint32Array, starts: Uint32Array, ends: Uint32Array, unitStarts?: Uint32Array, unitEnds?: Uint32Array,
   *   unitRoutes?: Uint16Array }}
   */
  encodeWithOffsets(text, allowed, flags, units = false) {
    const length = this.#run(text, allowed, flags, units ? IDS | PLACES | SPANS : IDS | PLACES);
    const n = this.#found("n");
    const { first, last } = this.#units(length, this.#found("starts"), this.#found("ends"), n);
    const found = { ids: this.#column("ids", n), starts: this.#copyWords(first, n), ends: this.#copyWords(last, n) };
    if (!units) return found;
    const pieces = this.#pieces(length);
    return { ...found, unitStarts: pieces.starts, unitEnds: pieces.ends, unitRoutes: pieces.routes };
  }

  /**
   * Encode a text, which is copied to #base, with as much room as it needs: the normalizer may make it longer, or need more scratch memory.
   * The results are in the fields of the job until the next call.
   * @param {Text} text
   * @param {Uint8Array | null} allowed
   * @param {number} flags
   * @param {number} wanted IDS, PLACES, SPANS; without IDS, tokens are counted
   * @param {number} [limit] stop when there are more tokens
   * @param {number} [place] the state of a text that comes in parts
   * @returns {number} the number of the text's bytes
   */
  #run(text, allowed, flags, wanted, limit = MOST_TOKENS, place = 0) {
    for (let more = 0; ; ) {
      this.#begin();
      const length = this.#put(text);
      const room = more > length ? more : length;
      const ids = wanted & IDS ? this.#take(room * 4) : 0;
      const starts = wanted & PLACES ? this.#take(room * 4) : 0;
      const ends = wanted & PLACES ? this.#take(room * 4) : 0;
      const spans = wanted & SPANS ? this.#take(room * SPAN.size) : 0;
      const mask = this.#putAllowed(allowed);
      const [words, job] = [this.#words, this.#job];
      words[job.ids] = ids;
      words[job.starts] = starts;
      words[job.ends] = ends;
      words[job.cap] = ids ? room : limit;
      words[job.spans] = spans;
      words[job.spans_cap] = room;
      words[job.flags] = flags;
      words[job.place] = place;
      const code = this.#call.encode(this.#model, this.#base, length, mask, this.#jobAt);
      if (code !== BUFFER) {
        if (code !== OK) this.#check(code, "encode");
        return length;
      }
      const needed = Math.max(words[job.n], words[job.n_spans]);
      if (needed > room) more = needed;
      else this.#growScratch();
    }
  }

  /** A field of the job. @param {string} name */
  #found(name) {
    return this.#words[this.#job[name]];
  }

  /** A copy of a column. @param {string} name @param {number} n */
  #column(name, n) {
    return this.#copyWords(this.#words[this.#job[name]], n);
  }

  /** Bytes of the text at #base as UTF-16 units. @param {number} length @param {number} begins @param {number} ends @param {number} n */
  #units(length, begins, ends, n) {
    const [first, last] = [this.#take(n * 4), this.#take(n * 4)];
    this.#check(this.#call.offsets(this.#base, length, begins, ends, n, 1, first, last), "compute offsets");
    return { first, last };
  }

  /** Twice as much scratch memory. */
  #growScratch() {
    const length = 2 * this.#found("scratch_len");
    this.#begin();
    const at = this.#takeScratch(length);
    this.#bytes.fill(0, at, at + length);
  }

  /** Take scratch memory, which is kept. @param {number} length */
  #takeScratch(length) {
    const at = this.#take(length);
    this.#words[this.#job.scratch] = at;
    this.#words[this.#job.scratch_len] = length;
    this.#base = this.#top;
    this.#makeViews();
    return at;
  }

  /**
   * The number of tokens; a number above `limit` if counting stopped there.
   * @param {Text} text
   * @param {Uint8Array | null} allowed
   * @param {number} flags
   * @param {number} limit in tokens
   */
  count(text, allowed, flags, limit) {
    this.#run(text, allowed, flags, 0, Math.min(limit, MOST_TOKENS));
    return this.#found("n");
  }

  /**
   * Encode a text that comes in parts, as far as what follows cannot change the tokens.
   * @param {Uint8Array} text
   * @param {boolean} more whether more text follows
   * @param {Uint8Array | null} allowed
   * @param {number} flags
   * @param {number} place 0 for the first part, later the result of the call before
   * @param {boolean} counts whether to count the tokens only: then there are no ids
   * @returns {{ ids: Uint32Array, tokens: number, read: number, place: number }} for the first `read` bytes, perhaps none; pass the
   *   others again
   */
  encodePart(text, more, allowed, flags, place, counts) {
    this.#run(text, allowed, more ? flags | GOES_ON : flags, counts ? 0 : IDS, MOST_TOKENS, place);
    const [tokens, read, next] = ["n", "read", "place"].map((name) => this.#found(name));
    return { ids: this.#column("ids", counts ? 0 : tokens), tokens, read, place: next };
  }

  /**
   * The last place where a text may be cut so that both parts encode as the whole does, whatever follows.
   * @param {Text} text
   * @param {Uint8Array | null} allowed
   * @returns {number} in UTF-16 units of a string, or bytes; 0 if there is none
   */
  safeCut(text, allowed) {
    this.#begin();
    const length = this.#put(text);
    const mask = this.#putAllowed(allowed);
    this.#check(this.#call.safe_cut(this.#model, this.#base, length, mask, this.#out), "find a place to cut");
    const cut = this.#given();
    if (typeof text !== "string" || cut === 0) return cut;
    // The rest after the cut is short. The first byte of each character counts as one unit, or as two if it has four bytes.
    let units = text.length;
    for (let at = this.#base + cut; at < this.#base + length; at++) {
      const byte = this.#bytes[at];
      units -= byte >= 0xf0 ? 2 : (byte & 0xc0) === 0x80 ? 0 : 1;
    }
    return units;
  }

  /**
   * Pretokens and units, and where each begins and ends in UTF-16 units.
   * @param {Text} text
   * @returns {{ spans: Span[], starts: Uint32Array, ends: Uint32Array }}
   */
  spans(text) {
    const { starts, ends } = this.#pieces(this.#run(text, null, CUT_ONLY, SPANS));
    const { size, ...fields } = SPAN;
    const view = new DataView(this.#bytes.buffer, this.#found("spans"), ends.length * size);
    /** @param {number} at @returns {Span} */
    const read = (at) => ({
      start: view.getUint32(at + fields.start, true),
      end: view.getUint32(at + fields.end, true),
      route: view.getUint16(at + fields.route, true),
      rule: view.getUint8(at + fields.rule),
      first: view.getUint8(at + fields.first) === 1,
    });
    return { spans: Array.from(ends, (_, i) => read(i * size)), starts, ends };
  }

  /**
   * Where the spans that were found begin and end, and the route of each.
   * @param {number} length of the text at #base, in bytes
   * @returns {{ starts: Uint32Array, ends: Uint32Array, routes: Uint16Array }} in UTF-16 units
   */
  #pieces(length) {
    const { size, start, end, route } = SPAN;
    const [table, n] = [this.#found("spans"), this.#found("n_spans")];
    const [begins, ends] = [this.#take(n * 4), this.#take(n * 4)];
    const view = new DataView(this.#bytes.buffer, table, n * size);
    const routes = new Uint16Array(n);
    for (let i = 0; i < n; i++) {
      this.#words[begins / 4 + i] = view.getUint32(i * size + start, true);
      this.#words[ends / 4 + i] = view.getUint32(i * size + end, true);
      routes[i] = view.getUint16(i * size + route, true);
    }
    const { first, last } = this.#units(length, begins, ends, n);
    return { starts: this.#copyWords(first, n), ends: this.#copyWords(last, n), routes };
  }

  /**
   * An upper bound for the length of the text of ids; for most models, the exact length.
   * @param {Uint32Array} ids
   * @returns {{ length: number } | { unknown: number }} in bytes; or the index of an id without a token
   */
  decodedLength(ids) {
    this.#begin();
    const at = this.#take(ids.length * 4);
    this.#words.set(ids, at / 4);
    // Without room, the core only computes the length: tokens differ too much in length for a useful estimate.
    const code = this.#call.decode(this.#model, at, ids.length, this.#out, 0, this.#out);
    if (code === ARGUMENT) throw decodedTooLong(ids.length);
    return code === TOKEN ? { unknown: this.#given() } : { length: this.#given() };
  }

  /**
   * The text of ids.
   * @param {Uint32Array} ids
   * @param {number} [flags] of decode_part
   * @returns {{ bytes: Uint8Array<ArrayBuffer>, read: number } | { unknown: number }} and how many ids were read; or the index of an id
   *   without a token
   */
  decode(ids, flags = 0) {
    const found = this.decodedLength(ids);
    if ("unknown" in found) return found;
    const room = this.#take(found.length);
    const at = this.#take(8);
    const code = this.#call.decode_part(this.#model, this.#base, ids.length, flags, room, found.length, at, at + 4);
    this.#check(code, "decode");
    const [read, length] = this.#copyWords(at, 2);
    return { bytes: this.#copyBytes(room, length), read };
  }

  /** The bytes of one token, before any decoder; null if the id has none. @param {number} id */
  tokenBytes(id) {
    this.#begin();
    const at = this.#take(8);
    if (this.#call.token_bytes(this.#model, id, at, at + 4) !== OK) return null;
    const [text, length] = this.#copyWords(at, 2);
    return this.#copyBytes(text, length);
  }
}

/** The only reason for which the core can reject valid arguments. @param {number} n ids */
export function decodedTooLong(n) {
  return new WwhoError("MEMORY", `the text of these ${n} ids has 4 GiB or more; decode fewer at a time`);
}

/** @param {number} length in bytes */
function tooLong(length) {
  return new WwhoError(
    "MEMORY",
    `a text of ${length} bytes is too long for 32-bit memory, which allows ${MOST_BYTES}; pass it in smaller parts, ` +
      "or to encodeStream or countStream",
  );
}
