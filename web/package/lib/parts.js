// Long texts: cuts a whole text into parts that, encoded one by one, give the tokens of the whole; and reads a text that comes in chunks
// of any size.

import { argumentError, bytesOf } from "./arguments.js";
import { WwhoError } from "./errors.js";

/** @typedef {import("./core.js").Text} Text */
/** @typedef {import("./core.js").Core} Core */

/**
 * The approximate size of a part, in bytes or UTF-16 units of a string: large enough for full speed, and small enough for little memory
 * and for a Worker to check its messages in between.
 */
export const PART_BYTES = 1 << 18;
/** How far a whole text is searched for a place to cut: memory and time are limited. */
const MOST_LOOKED = 1 << 24;
/** The number of UTF-16 units of a string that are converted to bytes at a time. */
const PIECE_UNITS = 1 << 16;

const encoder = new TextEncoder();

/**
 * The parts of a whole text, strings of a string and bytes of bytes.
 * @template {Text} T
 * @param {T} text
 * @param {Core} core which knows where a text may be cut
 * @param {Uint8Array | null} mask the allowed added tokens, which may not be cut
 * @param {number} [size] of the parts, in bytes or UTF-16 units; larger if there is no safe place
 * @returns {Generator<T>} none is empty
 */
export function* partsOf(text, core, mask, size = PART_BYTES) {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = text.length;
    // If there is no place, search four times as much text; at the limit, the rest is one part.
    for (let wanted = size; start + wanted < text.length && wanted <= MOST_LOOKED; wanted *= 4) {
      const cut = core.safeCut(looked(text, start, start + wanted), mask);
      if (cut > 0) {
        end = start + cut;
        break;
      }
    }
    yield /** @type {T} */ (typeof text === "string" ? text.slice(start, end) : text.subarray(start, end));
  }
}

/**
 * The text to search for a place, without half of a surrogate pair at its end, which alone would be another character.
 * @param {Text} text
 * @param {number} start
 * @param {number} end
 */
function looked(text, start, end) {
  if (typeof text !== "string") return text.subarray(start, end);
  const isHigh = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return text.slice(start, isHigh ? end - 1 : end);
}

/**
 * Several arrays as one.
 * @template {Uint8Array | Uint32Array} T
 * @param {Iterable<T>} given at least one
 * @returns {T}
 */
export function joined(given) {
  const arrays = [...given];
  const Type = /** @type {any} */ (arrays[0].constructor);
  const all = new Type(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}

/**
 * Bytes of a text that comes in chunks, held until they are read.
 * @template {{ read: number }} Found
 */
export class Parts {
  #read;
  #size;
  /** The bytes that are not read yet are those from #start to #end. */
  #bytes = new Uint8Array();
  #start = 0;
  #end = 0;
  /** The number of bytes that are worth a call; more if nothing could be read from that many. */
  #wanted;
  /** A high surrogate whose other half may follow. */
  #half = "";

  /**
   * @param {(text: Uint8Array<ArrayBuffer>, more: boolean) => Found} read gets the bytes so far, which are valid during the call, and
   *   returns what it found in the first `read` of them, which it no longer needs; at the end of the text, all
   * @param {number} [size] the number of bytes that are worth a call
   */
  constructor(read, size = PART_BYTES) {
    this.#read = read;
    this.#wanted = this.#size = size;
  }

  /**
   * Take more of the text, and yield what is found.
   * @param {unknown} chunk a string, which may end between two surrogates, or bytes, which may end within a character
   */
  *add(chunk) {
    if (typeof chunk === "string") yield* this.#addString(chunk);
    else yield* this.#addBytes(requireBytes(chunk));
  }

  /** No more text follows: read the rest. */
  *end() {
    yield* this.#flushHalf();
    if (this.#end > this.#start) yield this.#read(this.#bytes.subarray(this.#start, this.#end), false);
    this.#start = this.#end;
  }

  /** @param {string} chunk */
  *#addString(chunk) {
    for (let at = 0; at < chunk.length; at += PIECE_UNITS) {
      let piece = this.#half + chunk.slice(at, at + PIECE_UNITS);
      this.#half = /[\ud800-\udbff]$/.test(piece) ? piece.slice(-1) : "";
      if (this.#half) piece = piece.slice(0, -1);
      yield* this.#append(encoder.encode(piece));
    }
  }

  /** @param {Uint8Array} bytes */
  *#addBytes(bytes) {
    yield* this.#flushHalf();
    for (let at = 0; at < bytes.length; at += PART_BYTES) yield* this.#append(bytes.subarray(at, at + PART_BYTES));
  }

  /** The other half did not follow: a lone surrogate becomes U+FFFD, as in every method. */
  *#flushHalf() {
    const half = this.#half;
    this.#half = "";
    if (half) yield* this.#append(encoder.encode(half));
  }

  /** @param {Uint8Array} more at most PART_BYTES */
  *#append(more) {
    this.#makeRoom(more.length);
    this.#bytes.set(more, this.#end);
    this.#end += more.length;
    while (this.#end - this.#start >= this.#wanted) {
      const found = this.#read(this.#bytes.subarray(this.#start, this.#end), true);
      this.#start += found.read;
      // A text without a place to cut is searched only a few times.
      this.#wanted = Math.max(this.#size, 2 * (this.#end - this.#start));
      if (found.read > 0) yield found;
    }
  }

  /** @param {number} more bytes */
  #makeRoom(more) {
    const left = this.#end - this.#start;
    if (this.#end + more <= this.#bytes.length) return;
    const old = this.#bytes;
    if (2 * (left + more) > old.length) {
      try {
        this.#bytes = new Uint8Array(2 * (left + more));
      } catch (cause) {
        throw new WwhoError("MEMORY", `${left} bytes of text have no place to cut, and there is no memory for more`, {
          cause,
        });
      }
    }
    this.#bytes.set(old.subarray(this.#start, this.#end));
    this.#start = 0;
    this.#end = left;
  }
}

/** @param {unknown} chunk */
function requireBytes(chunk) {
  const bytes = bytesOf(chunk);
  if (bytes) return bytes;
  throw argumentError("a chunk of the text", chunk, "a string or bytes of UTF-8; for one text, give [text]");
}
