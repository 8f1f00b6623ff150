// Everything that crosses the border between JavaScript and the core's linear memory, and nothing else.
//
// One WebAssembly.Instance holds one tokenizer, so nothing is ever freed inside it. Its memory:
//   [ the core's own data and stack | blob | workspace | scratch | area of the running call ]
// The scratch holds the core's cache: it stays, and only grows. The last part is handed out from a mark that each call resets;
// memory grows before a call, views are taken after growing, results are copied out. Addresses are numbers below 2^32;
// struct layouts are those of wasm/wwho.h for wasm32.

import { STATUS, WwhoError, artifactError } from "./errors.js";

const ABI = 1;
const PAGE_BYTES = 65536;
const INFO_FIELDS = 12;
const SPAN_BYTES = 12;
const NONE = 0xffffffff;
const OK = 0;
const TOKEN = 3;

/** @typedef {{ at: number, length: number }} Area of linear memory: an address and a length in bytes */
/** @typedef {string | Uint8Array} Text */
/** @typedef {{ start: number, end: number, route: number, rule: number, first: boolean }} Span in bytes of UTF-8 */

/** @param {number} address */
const align = (address) => Math.ceil(address / 16) * 16;

/** One instance of the core with one tokenizer opened in it. */
export class Core {
  /** @type {Record<string, (...values: number[]) => number>} */
  #call;
  /** @type {WebAssembly.Memory} */
  #memory;
  #model = 0;
  #scratch = 0;
  #scratchLength = 0;
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
    const abi = this.#call.wwho_abi_version();
    if (abi !== ABI) {
      throw new WwhoError(
        "ABI",
        `wwho.wasm has interface ${abi}, expected ${ABI}; take it from the same release as the .js files`,
      );
    }
    const heap = /** @type {WebAssembly.Global} */ (exports.__heap_base).value;
    this.#base = this.#top = align(heap >>> 0);
    this.#open(blob);
  }

  /** @param {Uint8Array} blob */
  #open(blob) {
    const file = this.#put(blob);
    const out = this.#take(8);
    const check = (/** @type {number} */ code) => {
      if (code !== OK) throw artifactError(code, blob);
    };
    check(this.#call.wwho_workspace_size(file.at, file.length, out));
    const size = this.#word(out);
    const work = this.#take(size);
    check(this.#call.wwho_open(file.at, file.length, work, size, out));
    this.#model = this.#word(out);
    this.#base = this.#scratch = this.#top;
  }

  /** Take `size` bytes, 16-byte aligned, of the area of the running call. @param {number} size */
  #take(size) {
    const at = this.#top;
    const end = align(at + size);
    const missing = end - this.#memory.buffer.byteLength;
    if (missing > 0) {
      try {
        this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
      } catch (cause) {
        throw new WwhoError(
          "MEMORY",
          `no room for ${end} bytes of WebAssembly memory; give the text in smaller parts`,
          { cause },
        );
      }
    }
    this.#top = end;
    return at;
  }

  /** Begin a call: everything taken by the one before is free again. */
  #begin() {
    this.#top = this.#base;
  }

  /**
   * Copy a text in. A lone surrogate becomes U+FFFD, as TextEncoder does it.
   * @param {Text} text
   * @returns {Area}
   */
  #put(text) {
    if (typeof text === "string") {
      const at = this.#take(text.length * 3);
      const length = new TextEncoder().encodeInto(text, this.#bytes(at, text.length * 3)).written;
      this.#top = align(at + length);
      return { at, length };
    }
    const at = this.#take(text.length);
    this.#bytes(at, text.length).set(text);
    return { at, length: text.length };
  }

  /**
   * Copy a text in, and see that the scratch is large enough for it.
   * @param {Text} text
   * @returns {Area}
   */
  #putToEncode(text) {
    const { at, length } = this.#put(text);
    const need = this.#call.wwho_scratch_size(this.#model, length) >>> 0;
    if (need === 0) {
      throw new WwhoError(
        "MEMORY",
        `a text of ${length} bytes is more than 32-bit memory can work on; give it in smaller parts`,
      );
    }
    const more = align(Math.max(0, need - this.#scratchLength));
    if (more > 0) {
      // The scratch ends where the text begins: move the text up, and give the core zeros, as it asks.
      this.#take(more);
      this.#bytes(at, more + length)
        .copyWithin(more, 0, length)
        .fill(0, 0, more);
      this.#scratchLength += more;
      this.#base += more;
    }
    return { at: at + more, length };
  }

  /** @param {Uint8Array | null} allowed one byte for each special token, or null for none */
  #putAllowed(allowed) {
    return allowed === null ? 0 : this.#put(allowed).at;
  }

  /** @param {number} at @param {number} length */
  #bytes(at, length) {
    return new Uint8Array(this.#memory.buffer, at, length);
  }

  /** @param {number} at @param {number} length in words of 4 bytes */
  #words(at, length) {
    return new Uint32Array(this.#memory.buffer, at, length);
  }

  /** @param {number} at */
  #word(at) {
    return this.#words(at, 1)[0];
  }

  /** @param {number} code @param {string} what */
  #check(code, what) {
    if (code !== OK) {
      throw new WwhoError(STATUS[code] ?? `STATUS_${code}`, `the core cannot ${what}: status ${STATUS[code] ?? code}`);
    }
  }

  /** The numbers of wwho_info, in its order, null for none. @returns {(number | null)[]} */
  info() {
    this.#begin();
    const at = this.#take(INFO_FIELDS * 4);
    this.#check(this.#call.wwho_model_info(this.#model, at), "describe the model");
    return Array.from(this.#words(at, INFO_FIELDS), (value) => (value === NONE ? null : value));
  }

  /** Special token number `index`. @param {number} index @returns {{ id: number, bytes: Uint8Array }} */
  special(index) {
    this.#begin();
    const at = this.#take(12);
    this.#check(this.#call.wwho_special(this.#model, index, at, at + 4, at + 8), "read a special token");
    const [id, text, length] = this.#words(at, 3);
    return { id, bytes: this.#bytes(text, length).slice() };
  }

  /**
   * @param {Text} text
   * @param {Uint8Array | null} allowed
   * @param {number} flags
   * @returns {Uint32Array} ids
   */
  encode(text, allowed, flags) {
    this.#begin();
    const { ids, n } = this.#encode(this.#putToEncode(text), allowed, flags, false);
    return this.#words(ids, n).slice();
  }

  /**
   * Ids, and the first and last-plus-one UTF-16 unit that each token touches.
   * @param {Text} text
   * @param {Uint8Array | null} allowed
   * @param {number} flags
   */
  encodeWithOffsets(text, allowed, flags) {
    this.#begin();
    const area = this.#putToEncode(text);
    const { ids, ends, n } = this.#encode(area, allowed, flags, true);
    const first = this.#take(n * 4);
    const last = this.#take(n * 4);
    this.#check(this.#call.wwho_offsets(area.at, area.length, ends, n, 1, first, last), "compute offsets");
    return {
      ids: this.#words(ids, n).slice(),
      starts: this.#words(first, n).slice(),
      ends: this.#words(last, n).slice(),
    };
  }

  /**
   * @param {Area} area
   * @param {Uint8Array | null} allowed
   * @param {number} flags
   * @param {boolean} withEnds
   */
  #encode(area, allowed, flags, withEnds) {
    const mask = this.#putAllowed(allowed);
    const out = this.#take(4);
    const ids = this.#take(area.length * 4);
    const ends = withEnds ? this.#take(area.length * 4) : 0;
    this.#check(
      this.#call.wwho_encode(
        this.#model,
        area.at,
        area.length,
        mask,
        flags,
        this.#scratch,
        this.#scratchLength,
        ids,
        ends,
        area.length,
        out,
      ),
      "encode",
    );
    return { ids, ends, n: this.#word(out) };
  }

  /**
   * Number of tokens; more than `limit` where the count was given up there.
   * @param {Text} text
   * @param {Uint8Array | null} allowed
   * @param {number} flags
   * @param {number} limit in tokens
   */
  count(text, allowed, flags, limit) {
    this.#begin();
    const area = this.#putToEncode(text);
    const mask = this.#putAllowed(allowed);
    const out = this.#take(4);
    const most = Math.min(limit, area.length);
    this.#check(
      this.#call.wwho_count(
        this.#model,
        area.at,
        area.length,
        mask,
        flags,
        this.#scratch,
        this.#scratchLength,
        most,
        out,
      ),
      "count",
    );
    return this.#word(out);
  }

  /**
   * Pieces and units, and where each ends in UTF-16 units.
   * @param {Text} text
   * @returns {{ spans: Span[], ends: Uint32Array }}
   */
  spans(text) {
    this.#begin();
    const area = this.#put(text);
    const out = this.#take(4);
    const table = this.#take(area.length * SPAN_BYTES);
    this.#check(this.#call.wwho_spans(this.#model, area.at, area.length, table, area.length, out), "segment");
    const n = this.#word(out);
    const [byteEnds, first, last] = [this.#take(n * 4), this.#take(n * 4), this.#take(n * 4)];
    const view = new DataView(this.#memory.buffer, table, n * SPAN_BYTES);
    const spans = Array.from({ length: n }, (_, i) => readSpan(view, i * SPAN_BYTES));
    this.#words(byteEnds, n).set(spans.map((span) => span.end));
    this.#check(this.#call.wwho_offsets(area.at, area.length, byteEnds, n, 1, first, last), "compute offsets");
    return { spans, ends: this.#words(last, n).slice() };
  }

  /**
   * The text of ids.
   * @param {Uint32Array} ids
   * @returns {{ bytes: Uint8Array<ArrayBuffer> } | { unknown: number }} or the index of an id that is none
   */
  decode(ids) {
    this.#begin();
    const at = this.#take(ids.length * 4);
    this.#words(at, ids.length).set(ids);
    const out = this.#take(4);
    // With no room given, the core only says how long the text is: tokens differ too much in length for a useful bound.
    const code = this.#call.wwho_decode(this.#model, at, ids.length, out, 0, out);
    const length = this.#word(out);
    if (code === TOKEN) {
      return { unknown: length };
    }
    const text = this.#take(length);
    this.#check(this.#call.wwho_decode(this.#model, at, ids.length, text, length, out), "decode");
    return { bytes: this.#bytes(text, length).slice() };
  }
}

/**
 * @param {DataView} view
 * @param {number} at
 * @returns {Span}
 */
function readSpan(view, at) {
  return {
    start: view.getUint32(at, true),
    end: view.getUint32(at + 4, true),
    route: view.getUint16(at + 8, true),
    rule: view.getUint8(at + 10),
    first: view.getUint8(at + 11) === 1,
  };
}
