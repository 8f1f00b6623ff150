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
import { ARGUMENT, BUFFER, CUT_ONLY, GOES_ON, JOB, NUMBERS, OK, SAMPLING, SECTION_PROVENANCE, SPAN, STATUSES, TOKEN, VERSION_MAJOR } from "./header.js";

const PAGE_BYTES = 65536;
/** Strings that cannot take more bytes are written through a view that is kept. */
const SHORT_BYTES = 4096;
/** As many words are copied sooner by a loop. */
const FEW_WORDS = 32;
/** More text than this, with 12 bytes of results for each byte, does not fit 32-bit memory. */
const MOST_BYTES = 2 ** 28 - 1;
/** More tokens than any text has. */
const MOST_TOKENS = 2 ** 31;
/** What the core writes for a number that there is not. */
const NONE = 0xffffffff;
/** Bits that say what a job finds besides the number of tokens: ids, where tokens begin and end, and spans. */
const IDS = 1;
const PLACES = 2;
const SPANS = 4;
/** Working memory for normalizing; enough unless a text consists of combining marks. */
const NORMALIZER_BYTES = 65536;

/** @typedef {string | Uint8Array} Text */
/** @typedef {{ start: number, end: number, route: number, rule: number, first: boolean }} Span a unit or a pretoken: `start` and `end`
 * in bytes of UTF-8, the number of its route and of its rule (wwho.h), and whether it is the first of its segment */

/** One for all calls: unlike a TextDecoder, it keeps no state. Without TextEncoder, the core is not compiled, and nothing uses it. */
export const encoder = /** @type {TextEncoder} */ (typeof TextEncoder === "undefined" ? undefined : new TextEncoder());

/**
 * Return an address rounded up to a multiple of 16.
 * @param {number} address
 * @returns {number}
 */
const align = (address) => address + (-address & 15);

/** One instance of the core with one tokenizer opened in it. */
export class Core {
  /** The core's functions. @type {Record<string, (...values: number[]) => number>} */
  #exports;
  /** @type {WebAssembly.Memory} */
  #memory;
  /** All of memory, in bytes and in words of 4 bytes, and the first SHORT_BYTES from #base on; see #refreshViews. */
  #bytes = new Uint8Array();
  #words = new Uint32Array();
  #short = new Uint8Array();
  /** The address of the opened tokenizer. */
  #model = 0;
  /** The address of its file, and the file's length in bytes. */
  #file = /** @type {[number, number]} */ ([0, 0]);
  /** The address to which the core writes the number that a call returns. */
  #out = 0;
  /** The address of the job struct, and the word of memory of each of its fields. @type {Record<string, number>} */
  #job = {};
  #jobAt = 0;
  /** The address where the area of the running call begins, and that of its first free byte. */
  #base = 0;
  #top = 0;

  /**
   * @param {WebAssembly.Module} module
   * @param {Uint8Array} blob a whole .wwho file
   * @throws {WwhoError} with the status of the rule that the file breaks; MEMORY; ABI
   */
  constructor(module, blob) {
    const { exports } = new WebAssembly.Instance(module, {});
    this.#exports = /** @type {any} */ (exports);
    this.#memory = /** @type {WebAssembly.Memory} */ (exports.memory);
    const abi = this.#exports.abi_version() >>> 16;
    if (abi !== VERSION_MAJOR) {
      throw new WwhoError(
        "ABI",
        `wwho.wasm has interface ${abi}, expected ${VERSION_MAJOR}; take it from the same release as the .js files`,
      );
    }
    const heap = /** @type {WebAssembly.Global} */ (exports.__heap_base).value;
    this.#base = this.#top = align(heap >>> 0);
    this.#refreshViews();
    this.#openFile(blob);
  }

  /**
   * Copy a file into memory and open it; memory for its workspace and scratch area stays taken.
   * @param {Uint8Array} blob a whole .wwho file
   * @throws {WwhoError} with the status of the rule that the file breaks; MEMORY
   */
  #openFile(blob) {
    this.#out = this.#allocate(4);
    this.#base = this.#top;
    this.#jobAt = this.#allocate(JOB.size);
    this.#job = Object.fromEntries(Object.entries(JOB).map(([name, at]) => [name, (this.#jobAt + at) / 4]));
    const file = this.#allocate(blob.length);
    this.#bytes.set(blob, file);
    this.#file = [file, blob.length];
    /** Throw the error for a status of the file, if it is not OK. */
    const requireValid = (/** @type {number} */ code) => {
      if (code !== OK) throw artifactError(STATUSES[code], blob);
    };
    requireValid(this.#exports.workspace_size(file, blob.length, this.#out));
    const size = this.#readOut();
    const work = this.#allocate(size);
    requireValid(this.#exports.open(file, blob.length, work, size, this.#out));
    this.#model = this.#readOut();
    this.#allocateScratch(this.#exports.scratch_size(this.#model) >>> 0); // the core needs zeros, and new memory is zero
  }

  /** Make the views of memory anew. Call this when memory has grown, which detaches the old views, and when #base has moved. */
  #refreshViews() {
    const { buffer } = this.#memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#short = this.#bytes.subarray(this.#base, this.#base + SHORT_BYTES);
  }

  /**
   * Take memory from the area of the running call, which grows if it must; what is in it is not cleared.
   * @param {number} size in bytes
   * @returns {number} its address, a multiple of 16
   * @throws {WwhoError} MEMORY
   */
  #allocate(size) {
    const at = this.#top;
    const end = align(at + size);
    if (end > this.#bytes.length) this.#growMemory(end);
    this.#top = end;
    return at;
  }

  /**
   * Grow memory, and make its views anew.
   * @param {number} end how many bytes of memory are needed
   * @throws {WwhoError} MEMORY
   */
  #growMemory(end) {
    try {
      this.#memory.grow(Math.ceil((end - this.#bytes.length) / PAGE_BYTES));
    } catch (cause) {
      throw new WwhoError("MEMORY", `no room for ${end} bytes of WebAssembly memory; pass the text in smaller parts`, {
        cause,
      });
    }
    this.#refreshViews();
  }

  /** Begin a call: all memory that the call before took is free again. */
  #beginCall() {
    this.#top = this.#base;
  }

  /**
   * Copy a text to #base, as UTF-8; a call does this first, right after #beginCall. A lone surrogate becomes U+FFFD, as in TextEncoder.
   * @param {Text} text
   * @returns {number} its length in bytes
   * @throws {WwhoError} MEMORY if it is too long
   */
  #writeText(text) {
    // A string has at least as many bytes as units, so check before copying.
    if (text.length > MOST_BYTES) throw tooLongError(text.length);
    if (typeof text === "string") {
      const most = text.length * 3;
      const at = this.#allocate(most);
      const room = most <= SHORT_BYTES ? this.#short : this.#bytes.subarray(at, at + most);
      const { written } = encoder.encodeInto(text, room);
      this.#top = align(at + written);
      return written;
    }
    const at = this.#allocate(text.length);
    this.#bytes.set(text, at);
    return text.length;
  }

  /**
   * Copy several texts to #base, one after the other, as UTF-8, and give the job their bounds; a call does this first, as with #writeText.
   * @param {readonly Text[]} texts
   * @returns {number} the length of all in bytes
   * @throws {WwhoError} MEMORY if they are too long
   */
  #writeTexts(texts) {
    let units = 0;
    for (const text of texts) units += text.length;
    if (units > MOST_BYTES) throw tooLongError(units);
    const at = this.#allocate(units * 3);
    const rowsBytes = 4 * (texts.length + 1);
    const [bounds, rows] = [this.#allocate(rowsBytes), this.#allocate(rowsBytes)];
    const [bytes, words] = [this.#bytes, this.#words];
    words[this.#job.bounds] = bounds;
    words[this.#job.rows] = rows;
    const room = bytes.subarray(at, at + units * 3);
    // One call for all is quicker than one for each. Only ASCII has as many bytes as units.
    const joined = texts.every((text) => typeof text === "string") ? texts.join("") : undefined;
    const isAscii = joined !== undefined && encoder.encodeInto(joined, room).written === units;
    let end = 0;
    for (let i = 0; i < texts.length; i++) {
      words[bounds / 4 + i] = end;
      const text = texts[i];
      if (isAscii) end += text.length;
      else if (typeof text === "string") end += encoder.encodeInto(text, room.subarray(end)).written;
      else {
        room.set(text, end);
        end += text.length;
      }
    }
    words[bounds / 4 + texts.length] = end;
    return end;
  }

  /**
   * Copy the mask of allowed added tokens into memory.
   * @param {Uint8Array | null} allowed one byte for each added token, or null for none
   * @returns {number} its address; 0 for none
   */
  #writeMask(allowed) {
    if (allowed === null) return 0;
    const at = this.#allocate(allowed.length);
    this.#bytes.set(allowed, at);
    return at;
  }

  /**
   * Return a copy of bytes of memory.
   * @param {number} at address
   * @param {number} length in bytes
   * @returns {Uint8Array<ArrayBuffer>}
   */
  #copyBytes(at, length) {
    return this.#bytes.slice(at, at + length);
  }

  /**
   * Return a copy of words of memory, of 4 bytes each.
   * @param {number} at address, a multiple of 4
   * @param {number} length in words
   * @returns {Uint32Array<ArrayBuffer>}
   */
  #copyWords(at, length) {
    const [words, first] = [this.#words, at / 4];
    if (length > FEW_WORDS) return words.slice(first, first + length);
    const copy = new Uint32Array(length);
    for (let i = 0; i < length; i++) copy[i] = words[first + i];
    return copy;
  }

  /**
   * Return the number that the last call wrote to #out.
   * @returns {number}
   */
  #readOut() {
    return this.#words[this.#out / 4];
  }

  /**
   * Throw an error if a function of the core has failed.
   * @param {number} code what it returned
   * @param {string} action what it should do, for the message, such as "find a class"
   * @throws {WwhoError} with the name of the status
   */
  #requireOk(code, action) {
    if (code !== OK) throw new WwhoError(STATUSES[code], `the core cannot ${action}: status ${STATUSES[code]}`);
  }

  /**
   * Call a function of the core that writes n numbers of 32 bits to n addresses, its last arguments, and return a copy of the numbers.
   * Memory for them is taken anew, so numbers and texts that earlier calls left in the core's memory are overwritten.
   * @param {string} action the end of the error's message "the core cannot ...", such as "find a class"
   * @param {number} n how many numbers the function writes
   * @param {string} name the function's export, such as "describe"
   * @param {...number} args its arguments between the model, which comes first, and the addresses
   * @returns {Uint32Array} n numbers, not in the core's memory
   * @throws {WwhoError} with the status, if it fails
   */
  #callForNumbers(action, n, name, ...args) {
    this.#beginCall();
    const at = this.#allocate(4 * n);
    const addresses = Array.from({ length: n }, (_, i) => at + 4 * i);
    this.#requireOk(this.#exports[name](this.#model, ...args, ...addresses), action);
    return this.#copyWords(at, n);
  }

  /**
   * Return the numbers that describe the tokenizer or one of its parts, by the names of wwho.h.
   * @param {number} of what they describe: one of OF_... of header.js
   * @param {number} [number] the index of the model, route, step or automaton
   * @returns {Record<string, number | null>} null for what there is not
   */
  info(of, number = 0) {
    const values = this.numbers(of, number);
    return Object.fromEntries(NUMBERS[of].map((name, i) => [name, values[i] ?? null]));
  }

  /**
   * Return a list of numbers at the end of what describes a route or a step: its steps, or its actions.
   * @param {number} of OF_ROUTE or OF_STEP
   * @param {number} number the index of the route or step
   * @param {string} name of the list's first number in wwho.h, "steps" or "actions"
   * @returns {number[]}
   */
  listFrom(of, number, name) {
    return /** @type {number[]} */ (this.numbers(of, number).slice(NUMBERS[of].indexOf(name)));
  }

  /**
   * Return all numbers that describe the tokenizer or one of its parts, in the order of wwho.h.
   * @param {number} of what they describe: one of OF_... of header.js
   * @param {number} number the index of the part
   * @returns {(number | null)[]} null for what there is not
   */
  numbers(of, number) {
    this.#beginCall();
    const at = this.#allocate(4);
    /** @type {(number | null)[]} */
    const values = [];
    while (this.#exports.info(this.#model, of, number, values.length, at) === OK) {
      const value = this.#words[at / 4];
      values.push(value === NONE ? null : value);
    }
    return values;
  }

  /**
   * Return the class of a code point, which automata read (FORMAT.md, CLASSES).
   * @param {number} codePoint
   * @returns {number}
   */
  classOf(codePoint) {
    return this.#callForNumbers("find a class", 1, "class", codePoint)[0];
  }

  /**
   * Take one step of an automaton.
   * @param {number} automaton its index
   * @param {number} state in which it is; 1 is the start
   * @param {number} characterClass the class of the character that it reads, or n_classes at the end of the text
   * @returns {{ rule: number | null, next: number }} the rule of the match that ends before the character, or null; the next state, 0 if the
   *   scan is over
   */
  step(automaton, state, characterClass) {
    const [rule, next] = this.#callForNumbers("take a step", 2, "advance", automaton, state, characterClass);
    return { rule: rule === NONE ? null : rule, next };
  }

  /**
   * Return the name of a route, in UTF-8.
   * @param {number} route its index
   * @returns {Uint8Array}
   */
  routeName(route) {
    const [text, length] = this.#callForNumbers("read the name of a route", 2, "route_name", route);
    return this.#copyBytes(text, length);
  }

  /**
   * Return an added token: its id, its flags ADDED_..., and its text in UTF-8.
   * @param {number} index in the file's order
   * @returns {{ id: number, flags: number, bytes: Uint8Array }}
   */
  addedToken(index) {
    const [id, flags, text, length] = this.#callForNumbers("read an added token", 4, "added", index);
    return { id, flags, bytes: this.#copyBytes(text, length) };
  }

  /** Return the JSON of the model's provenance, in UTF-8, unchecked. @returns {Uint8Array} */
  provenance() {
    const [bytes, length] = this.#callForNumbers("read the provenance", 2, "section_bytes", SECTION_PROVENANCE, 0);
    return this.#copyBytes(bytes, length);
  }

  /**
   * Rewrite a text with the first steps of the model's normalizer: those before the added tokens of normalized text are looked for. Methods
   * that encode do this themselves.
   * @param {Text} text
   * @param {boolean} [more] whether more text follows: then only the part is rewritten that what follows cannot change
   * @returns {{ bytes: Uint8Array<ArrayBuffer>, sources: Uint32Array, read: number }} UTF-8; for each byte of it, where the character
   *   begins that it came from, in the UTF-8 of `text`; how many bytes of that were read
   */
  normalize(text, more = false) {
    for (let times = 1; ; times *= 2) {
      this.#beginCall();
      const length = this.#writeText(text);
      const [room, workLength] = [times * (2 * length + 64), times * NORMALIZER_BYTES];
      const [at, work, out, sources] = [8, workLength, room, 4 * room].map((size) => this.#allocate(size));
      const given = [this.#base, length, Number(more), work, workLength, out, sources, room];
      const code = this.#exports.normalize(this.#model, ...given, at, at + 4);
      const [read, n] = this.#copyWords(at, 2);
      if (code === OK && (more || read === length)) {
        return { bytes: this.#copyBytes(out, n), sources: this.#copyWords(sources, n), read };
      }
      if (code !== BUFFER) this.#requireOk(code, "normalize");
    }
  }

  /**
   * Return how many UTF-16 units a text has; each byte of broken UTF-8 counts as one.
   * @param {Text} text
   * @returns {number}
   */
  utf16Length(text) {
    if (typeof text === "string") return text.length;
    this.#beginCall();
    const length = this.#writeText(text);
    const at = this.#allocate(12);
    this.#words[at / 4] = length;
    this.#requireOk(this.#exports.offsets(this.#base, length, at, at, 1, 1, at + 4, at + 8), "compute offsets");
    return this.#words[at / 4 + 2];
  }

  /**
   * Return the ids of a text.
   * @param {Text} text
   * @param {Uint8Array | null} allowed the mask of allowed added tokens
   * @param {number} flags of wwho.h: UNK_TOKEN, NO_ADDED
   * @param {import("./sampling.js").Sampling} [sampling] what is drawn; nothing without it
   * @returns {Uint32Array}
   * @throws {WwhoError} MEMORY
   */
  encode(text, allowed, flags, sampling) {
    this.#runJob(text, allowed, flags, IDS, MOST_TOKENS, 0, sampling);
    return this.#copyColumn("ids", this.#jobField("n"));
  }

  /**
   * Write the first ids of a text into `target`, as many as there is room for without splitting a character.
   * @param {Text} text
   * @param {Uint32Array} target
   * @param {Uint8Array | null} allowed the mask of allowed added tokens
   * @param {number} flags of wwho.h: UNK_TOKEN, NO_ADDED
   * @returns {{ read: number, written: number }} how much of the text the ids stand for, in UTF-16 units of a string or in bytes; how many
   *   ids were written
   * @throws {WwhoError} MEMORY
   */
  encodeInto(text, target, allowed, flags) {
    let wanted = target.length < text.length * 3 ? IDS | PLACES : IDS;
    let length = this.#runJob(text, allowed, flags, wanted);
    // The normalizer made the text longer.
    if (this.#jobField("n") > target.length && wanted === IDS) length = this.#runJob(text, allowed, flags, (wanted |= PLACES));
    const [ids, begins, ends, n] = ["ids", "starts", "ends", "n"].map((name) => this.#jobField(name));
    if (n <= target.length) {
      target.set(this.#words.subarray(ids / 4, ids / 4 + n));
      return { read: text.length, written: n };
    }
    const most = target.length + 1;
    const { first, last } = this.#toUtf16(length, begins, ends, most);
    let written = target.length;
    while (written > 0 && this.#words[first / 4 + written] < this.#words[last / 4 + written - 1]) written--;
    target.set(this.#words.subarray(ids / 4, ids / 4 + written));
    // Text between two tokens, such as a combining mark that was composed, belongs to the first.
    const read = written === 0 ? 0 : this.#words[(typeof text === "string" ? first : begins) / 4 + written];
    return { read, written };
  }

  /**
   * Return the ids of a text, and for each the first UTF-16 unit that it touches and the one after the last; with `units`, also where
   * pretokens and units begin and end.
   * @param {Text} text
   * @param {Uint8Array | null} allowed the mask of allowed added tokens
   * @param {number} flags of wwho.h: UNK_TOKEN, NO_ADDED
   * @param {boolean} [units] whether pretokens and units are wanted
   * @param {import("./sampling.js").Sampling} [sampling] what is drawn; nothing without it
   * @returns {{ ids: Uint32Array, starts: Uint32Array, ends: Uint32Array, unitStarts?: Uint32Array, unitEnds?: Uint32Array,
   *   unitRoutes?: Uint16Array }}
   */
  encodeWithOffsets(text, allowed, flags, units = false, sampling = undefined) {
    const length = this.#runJob(text, allowed, flags, units ? IDS | PLACES | SPANS : IDS | PLACES, MOST_TOKENS, 0, sampling);
    const n = this.#jobField("n");
    const { first, last } = this.#toUtf16(length, this.#jobField("starts"), this.#jobField("ends"), n);
    const found = { ids: this.#copyColumn("ids", n), starts: this.#copyWords(first, n), ends: this.#copyWords(last, n) };
    if (!units) return found;
    const { starts, ends, routes } = this.#spanOffsets(length);
    return { ...found, unitStarts: starts, unitEnds: ends, unitRoutes: routes };
  }

  /**
   * Encode a text, which is copied to #base. If the room for results or the scratch memory is too small, because the normalizer makes the
   * text longer or needs more, run again with more. The results are in the fields of the job until the next call, the state of the text
   * after it in "place". The memory may have grown: views of it from before the call are then of no use.
   * @param {Text | readonly Text[]} text or several, each encoded on its own: "rows" then says where the tokens of each begin
   * @param {Uint8Array | null} allowed the mask of allowed added tokens
   * @param {number} flags of wwho.h: UNK_TOKEN, NO_ADDED
   * @param {number} wanted bits of IDS, PLACES and SPANS; without IDS, tokens are counted
   * @param {number} [limit] stop counting when there are more tokens than this
   * @param {number} [place] the state of a text that comes in parts; 0 at its beginning
   * @param {import("./sampling.js").Sampling} [sampling] what is drawn; nothing without it
   * @returns {number} the length of the text in bytes
   * @throws {WwhoError} MEMORY, or with another status of the core
   */
  #runJob(text, allowed, flags, wanted, limit = MOST_TOKENS, place = 0, sampling) {
    const several = typeof text !== "string" && !ArrayBuffer.isView(text);
    for (let least = 0; ; ) {
      this.#beginCall();
      const length = several ? this.#writeTexts(text) : this.#writeText(text);
      const room = least > length ? least : length;
      const ids = wanted & IDS ? this.#allocate(room * 4) : 0;
      const starts = wanted & PLACES ? this.#allocate(room * 4) : 0;
      const ends = wanted & PLACES ? this.#allocate(room * 4) : 0;
      const spans = wanted & SPANS ? this.#allocate(room * SPAN.size) : 0;
      const mask = this.#writeMask(allowed);
      const request = sampling && this.#writeSampling(sampling);
      const [words, job] = [this.#words, this.#job];
      words[job.ids] = ids;
      words[job.starts] = starts;
      words[job.ends] = ends;
      words[job.cap] = ids ? room : limit;
      words[job.spans] = spans;
      words[job.spans_cap] = room;
      if (several) words[job.n_texts] = text.length;
      else words[job.bounds] = words[job.rows] = 0;
      words[job.flags] = flags;
      words[job.place] = place;
      const code = request
        ? this.#exports.sample(this.#model, this.#base, length, mask, request, this.#jobAt)
        : this.#exports.encode(this.#model, this.#base, length, mask, this.#jobAt);
      if (code !== BUFFER) {
        if (code !== OK) this.#requireOk(code, "encode");
        return length;
      }
      const needed = Math.max(words[job.n], words[job.n_spans]);
      if (needed > room) least = needed;
      else this.#growScratch();
    }
  }

  /**
   * Write what is drawn into memory of the running call, as wwho_sampling.
   * @param {import("./sampling.js").Sampling} sampling
   * @returns {number} its address
   */
  #writeSampling({ seed, dropout, alpha, paths, text }) {
    const at = this.#allocate(SAMPLING.size);
    const view = new DataView(this.#bytes.buffer, at, SAMPLING.size);
    view.setBigUint64(SAMPLING.seed, seed, true);
    view.setFloat64(SAMPLING.dropout, dropout, true);
    view.setFloat64(SAMPLING.alpha, alpha, true);
    view.setInt32(SAMPLING.n_best, paths ? -1 : 0, true); // WWHO_ALL_PATHS
    view.setUint32(SAMPLING.text, text, true);
    view.setUint32(SAMPLING.pretokens, 0, true);
    return at;
  }

  /**
   * Return a field of the job, such as a result of the last call.
   * @param {string} name as in wwho.h
   * @returns {number}
   */
  #jobField(name) {
    return this.#words[this.#job[name]];
  }

  /**
   * Return a copy of a column of results that begins at the address in a field of the job.
   * @param {string} name of the field
   * @param {number} n entries, of 4 bytes each
   * @returns {Uint32Array}
   */
  #copyColumn(name, n) {
    return this.#copyWords(this.#words[this.#job[name]], n);
  }

  /**
   * Convert places in the text at #base from bytes to UTF-16 units. Where something begins inside a character, its first unit counts, and
   * where it ends inside one, the unit after its last.
   * @param {number} length of the text in bytes
   * @param {number} begins the address of n places where something begins
   * @param {number} ends the address of n places where it ends
   * @param {number} n
   * @returns {{ first: number, last: number }} the addresses of the converted places, in memory of the running call
   */
  #toUtf16(length, begins, ends, n) {
    const [first, last] = [this.#allocate(n * 4), this.#allocate(n * 4)];
    this.#requireOk(this.#exports.offsets(this.#base, length, begins, ends, n, 1, first, last), "compute offsets");
    return { first, last };
  }

  /**
   * Take twice as much scratch memory, cleared, and begin the call anew: what it had taken is free again. The old scratch memory is lost,
   * with the core's cache in it.
   */
  #growScratch() {
    const length = 2 * this.#jobField("scratch_len");
    this.#beginCall();
    const at = this.#allocateScratch(length);
    this.#bytes.fill(0, at, at + length);
  }

  /**
   * Take one block of scratch memory, not cleared, and note it in the job in place of the one before; #base moves behind it, so that it
   * stays taken by all later calls. All that the running call had taken before it stays taken, too.
   * @param {number} length in bytes
   * @returns {number} its address, a multiple of 16
   * @throws {WwhoError} MEMORY
   */
  #allocateScratch(length) {
    const at = this.#allocate(length);
    this.#words[this.#job.scratch] = at;
    this.#words[this.#job.scratch_len] = length;
    this.#base = this.#top;
    this.#refreshViews();
    return at;
  }

  /**
   * Count the tokens of a text.
   * @param {Text} text
   * @param {Uint8Array | null} allowed the mask of allowed added tokens
   * @param {number} flags of wwho.h: UNK_TOKEN, NO_ADDED
   * @param {number} limit in tokens: counting stops when there are more
   * @returns {number} the count; some number above `limit` if counting stopped
   */
  count(text, allowed, flags, limit) {
    this.#runJob(text, allowed, flags, 0, Math.min(limit, MOST_TOKENS));
    return this.#jobField("n");
  }

  /**
   * Encode several texts, each on its own, in one call.
   * @param {readonly Text[]} texts
   * @param {Uint8Array | null} allowed the mask of allowed added tokens
   * @param {number} flags of wwho.h: UNK_TOKEN, NO_ADDED
   * @param {import("./sampling.js").Sampling} [sampling] what is drawn; nothing without it
   * @returns {Uint32Array[]} the ids of each text
   * @throws {WwhoError} MEMORY
   */
  encodeTexts(texts, allowed, flags, sampling) {
    this.#runJob(texts, allowed, flags, IDS, MOST_TOKENS, 0, sampling);
    const [words, ids, rows] = [this.#words, this.#jobField("ids"), this.#jobField("rows") / 4];
    return texts.map((_, i) => this.#copyWords(ids + 4 * words[rows + i], words[rows + i + 1] - words[rows + i]));
  }

  /**
   * Count the tokens of several texts, each on its own, in one call.
   * @param {readonly Text[]} texts
   * @param {Uint8Array | null} allowed the mask of allowed added tokens
   * @param {number} flags of wwho.h: UNK_TOKEN, NO_ADDED
   * @returns {number[]} the count of each text
   * @throws {WwhoError} MEMORY
   */
  countTexts(texts, allowed, flags) {
    this.#runJob(texts, allowed, flags, 0);
    const [words, rows] = [this.#words, this.#jobField("rows") / 4];
    return texts.map((_, i) => words[rows + i + 1] - words[rows + i]);
  }

  /**
   * Encode a part of a text, as far as what follows cannot change the tokens.
   * @param {Uint8Array} text the bytes that no call has read yet
   * @param {boolean} more whether more text follows
   * @param {Uint8Array | null} allowed the mask of allowed added tokens
   * @param {number} flags of wwho.h: UNK_TOKEN, NO_ADDED
   * @param {number} place 0 for the first part, later the `place` that the call before returned
   * @param {boolean} countsOnly whether only the number of tokens is wanted: `ids` is then empty
   * @returns {{ ids: Uint32Array, tokens: number, read: number, place: number }} of the first `read` bytes, perhaps none; pass the
   *   others again
   */
  encodePart(text, more, allowed, flags, place, countsOnly) {
    this.#runJob(text, allowed, more ? flags | GOES_ON : flags, countsOnly ? 0 : IDS, MOST_TOKENS, place);
    const [tokens, read, next] = ["n", "read", "place"].map((name) => this.#jobField(name));
    return { ids: this.#copyColumn("ids", countsOnly ? 0 : tokens), tokens, read, place: next };
  }

  /**
   * Find the last place where a text may be cut so that both parts together encode as the whole does, whatever text follows.
   * @param {Text} text
   * @param {Uint8Array | null} allowed the mask of allowed added tokens, which are not cut
   * @returns {number} in UTF-16 units of a string, or bytes; 0 if there is none
   */
  safeCut(text, allowed) {
    this.#beginCall();
    const length = this.#writeText(text);
    const mask = this.#writeMask(allowed);
    this.#requireOk(this.#exports.safe_cut(this.#model, this.#base, length, mask, this.#out), "find a place to cut");
    const cut = this.#readOut();
    if (typeof text !== "string" || cut === 0) return cut;
    // The rest after the cut is short, so it is counted: the first byte of each character counts as one unit, or as two if it has four bytes.
    let units = text.length;
    for (let at = this.#base + cut; at < this.#base + length; at++) {
      const byte = this.#bytes[at];
      units -= byte >= 0xf0 ? 2 : (byte & 0xc0) === 0x80 ? 0 : 1;
    }
    return units;
  }

  /**
   * Cut a text into its pretokens and units, without encoding or normalizing it; added tokens are not looked for.
   * @param {Text} text
   * @returns {{ spans: Span[], starts: Uint32Array, ends: Uint32Array }} in order; `starts` and `ends` have where each begins and ends in
   *   UTF-16 units, unlike the fields of a Span
   */
  spans(text) {
    const { starts, ends } = this.#spanOffsets(this.#runJob(text, null, CUT_ONLY, SPANS));
    const { size, ...fields } = SPAN;
    const view = new DataView(this.#bytes.buffer, this.#jobField("spans"), ends.length * size);
    /**
     * Read the span at an offset in the table.
     * @param {number} at in bytes
     * @returns {Span}
     */
    const readSpan = (at) => ({
      start: view.getUint32(at + fields.start, true),
      end: view.getUint32(at + fields.end, true),
      route: view.getUint16(at + fields.route, true),
      rule: view.getUint8(at + fields.rule),
      first: view.getUint8(at + fields.first) === 1,
    });
    return { spans: Array.from(ends, (_, i) => readSpan(i * size)), starts, ends };
  }

  /**
   * Return where the spans that the last job found begin and end, and the route of each.
   * @param {number} length of the text at #base, in bytes
   * @returns {{ starts: Uint32Array, ends: Uint32Array, routes: Uint16Array }} in UTF-16 units
   */
  #spanOffsets(length) {
    const { size, start, end, route } = SPAN;
    const [table, n] = [this.#jobField("spans"), this.#jobField("n_spans")];
    const [begins, ends] = [this.#allocate(n * 4), this.#allocate(n * 4)];
    const view = new DataView(this.#bytes.buffer, table, n * size);
    const routes = new Uint16Array(n);
    for (let i = 0; i < n; i++) {
      this.#words[begins / 4 + i] = view.getUint32(i * size + start, true);
      this.#words[ends / 4 + i] = view.getUint32(i * size + end, true);
      routes[i] = view.getUint16(i * size + route, true);
    }
    const { first, last } = this.#toUtf16(length, begins, ends, n);
    return { starts: this.#copyWords(first, n), ends: this.#copyWords(last, n), routes };
  }

  /**
   * Return an upper bound for the length of the text of ids; for most models, the exact length. The ids stay at #base for decode().
   * @param {Uint32Array} ids
   * @returns {{ length: number } | { unknown: number }} in bytes; or the index of the first id without a token
   * @throws {WwhoError} MEMORY if it is 4 GiB or more
   */
  decodedLength(ids) {
    this.#beginCall();
    const at = this.#allocate(ids.length * 4);
    this.#words.set(ids, at / 4);
    // Without room, the core only computes the length: tokens differ too much in length for a useful estimate.
    const code = this.#exports.decode(this.#model, at, ids.length, this.#out, 0, this.#out);
    if (code === ARGUMENT) throw decodedTooLongError(ids.length);
    return code === TOKEN ? { unknown: this.#readOut() } : { length: this.#readOut() };
  }

  /**
   * Return the text of ids.
   * @param {Uint32Array} ids
   * @param {number} [flags] of decode_part in wwho.h: SKIP_SPECIAL, AFTER, MORE
   * @returns {{ bytes: Uint8Array<ArrayBuffer>, read: number } | { unknown: number }} UTF-8, perhaps broken, and how many ids were read, all
   *   without MORE; or the index of the first id without a token
   * @throws {WwhoError} MEMORY
   */
  decode(ids, flags = 0) {
    const found = this.decodedLength(ids);
    if ("unknown" in found) return found;
    const room = this.#allocate(found.length);
    const at = this.#allocate(8);
    const code = this.#exports.decode_part(this.#model, this.#base, ids.length, flags, room, found.length, at, at + 4);
    this.#requireOk(code, "decode");
    const [read, length] = this.#copyWords(at, 2);
    return { bytes: this.#copyBytes(room, length), read };
  }

  /**
   * Return the bytes of one token, before any decoder; null if the id has none.
   * @param {number} id
   * @returns {Uint8Array<ArrayBuffer> | null}
   */
  tokenBytes(id) {
    this.#beginCall();
    const at = this.#allocate(8);
    if (this.#exports.token_bytes(this.#model, id, at, at + 4) !== OK) return null;
    const [text, length] = this.#copyWords(at, 2);
    return this.#copyBytes(text, length);
  }

  /**
   * Return the id of the token with exactly these bytes: of the last model that has it, otherwise of an added token.
   * @param {Uint8Array} bytes
   * @returns {number | undefined} undefined if there is none; the lone space of a model of syllables is not found
   */
  tokenId(bytes) {
    this.#beginCall();
    const length = this.#writeText(bytes);
    const at = this.#allocate(4);
    return this.#exports.token_id(this.#model, this.#base, length, at) === OK ? this.#words[at / 4] : undefined;
  }

  /** Return a copy of the tokenizer's file. @returns {Uint8Array<ArrayBuffer>} */
  file() {
    return this.#copyBytes(...this.#file);
  }
}

/**
 * Make the error for ids of a text that is too long; the caller throws it. The core rejects ids that all have tokens for no other reason.
 * @param {number} n how many ids
 * @returns {WwhoError} of status MEMORY
 */
export function decodedTooLongError(n) {
  return new WwhoError("MEMORY", `the text of these ${n} ids has 4 GiB or more; decode fewer at a time`);
}

/**
 * Make the error for a text that does not fit into memory; the caller throws it.
 * @param {number} length at least this many bytes
 * @returns {WwhoError} of status MEMORY
 */
function tooLongError(length) {
  return new WwhoError(
    "MEMORY",
    `a text of ${length} bytes is too long for 32-bit memory, which allows ${MOST_BYTES}; pass it in smaller parts, ` +
      "or to encodeStream or countStream",
  );
}
