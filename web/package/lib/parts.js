// Long texts, taken apart: a whole one, of which parts come out that may be tokenized one by one, with the tokens of the whole; or one
// that comes in chunks of any size.

import { argumentError, bytesOf } from "./arguments.js";
import { WwhoError } from "./errors.js";

/** @typedef {import("./core.js").Text} Text */
/** @typedef {import("./core.js").Core} Core */

/**
 * Parts have about so many bytes, or UTF-16 units of a string: enough to lose nothing by it, and few enough for little memory, and
 * for a Worker to look up in between.
 */
export const PART_BYTES = 1 << 18;
/** A whole text is looked through for a place only so far: the core's memory has an end, and so has a caller's patience. */
const MOST_LOOKED = 1 << 24;
/** Strings become bytes in pieces of so many UTF-16 units. */
const PIECE_UNITS = 1 << 16;

const encoder = new TextEncoder();

/**
 * The parts of a whole text, of its own kind.
 * @template {Text} T
 * @param {T} text
 * @param {Core} core which knows where a text may be cut
 * @param {Uint8Array | null} mask added tokens that may not be cut, since they are found before all else
 * @param {number} [size] of the parts, in bytes or UTF-16 units; more where there is no safe place
 * @returns {Generator<T>} none is empty
 */
export function* partsOf(text, core, mask, size = PART_BYTES) {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = text.length;
    // Where there is no place, look through as much again; but then the rest is one part.
    for (let wanted = size; start + wanted < text.length && wanted <= MOST_LOOKED; wanted *= 2) {
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
 * What is looked through for a place: without the half of a pair, which alone would be another character.
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
 * One array of what several hold.
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

/** Bytes of a text that comes in chunks, held until they are read. */
export class Parts {
  #read;
  #size;
  /** What is not read yet lies from #start to #end. */
  #bytes = new Uint8Array();
  #start = 0;
  #end = 0;
  /** So many bytes are worth a call; more where nothing could be read of as many. */
  #wanted;
  /** A high surrogate whose other half may come. */
  #half = "";

  /**
   * @param {(text: Uint8Array<ArrayBuffer>, more: boolean) => number} read takes what is there, valid during the call, and gives how many
   *   bytes it has no more need of; where the text ends, all
   * @param {number} [size] bytes that are worth a call
   */
  constructor(read, size = PART_BYTES) {
    this.#read = read;
    this.#wanted = this.#size = size;
  }

  /**
   * Take more of the text.
   * @param {unknown} chunk a string, which may end between two surrogates, or bytes, which may end within a character
   */
  add(chunk) {
    if (typeof chunk === "string") this.#addString(chunk);
    else this.#addBytes(requireBytes(chunk));
  }

  /** Nothing follows: read what is left. */
  end() {
    this.#flushHalf();
    if (this.#end > this.#start) this.#read(this.#bytes.subarray(this.#start, this.#end), false);
    this.#start = this.#end;
  }

  /** @param {string} chunk */
  #addString(chunk) {
    for (let at = 0; at < chunk.length; at += PIECE_UNITS) {
      let piece = this.#half + chunk.slice(at, at + PIECE_UNITS);
      this.#half = /[\ud800-\udbff]$/.test(piece) ? piece.slice(-1) : "";
      if (this.#half) piece = piece.slice(0, -1);
      this.#append(encoder.encode(piece));
    }
  }

  /** @param {Uint8Array} bytes */
  #addBytes(bytes) {
    this.#flushHalf();
    for (let at = 0; at < bytes.length; at += PART_BYTES) this.#append(bytes.subarray(at, at + PART_BYTES));
  }

  /** No other half came: a lone surrogate is U+FFFD, as in every method. */
  #flushHalf() {
    const half = this.#half;
    this.#half = "";
    if (half) this.#append(encoder.encode(half));
  }

  /** @param {Uint8Array} more at most PART_BYTES */
  #append(more) {
    this.#makeRoom(more.length);
    this.#bytes.set(more, this.#end);
    this.#end += more.length;
    while (this.#end - this.#start >= this.#wanted) {
      const read = this.#read(this.#bytes.subarray(this.#start, this.#end), true);
      this.#start += read;
      // A text of which nothing can be read is looked through a few times only.
      this.#wanted = Math.max(this.#size, 2 * (this.#end - this.#start));
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
        throw new WwhoError("MEMORY", `${left} bytes of text without a place to cut it, and no memory for more`, {
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
