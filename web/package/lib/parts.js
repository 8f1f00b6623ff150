// Long texts: cuts a whole text into parts that, encoded one by one, give the tokens of the whole; and reads a text that comes in chunks
// of any size.

import { argumentError, bytesOf } from "./arguments.js";
import { encoder } from "./core.js";
import { WwhoError } from "./errors.js";

/** @typedef {import("./core.js").Text} Text */
/** @typedef {import("./core.js").Core} Core */

/**
 * The approximate size of a part, in bytes or UTF-16 units of a string: large enough for full speed, and small enough for little memory
 * and for a Worker to check its messages in between.
 */
export const PART_BYTES = 1 << 18;
/** How far a whole text is searched for a place to cut, in bytes or UTF-16 units: memory and time are limited. */
const MOST_LOOKED = 1 << 24;
/** The number of UTF-16 units of a string that are converted to bytes at a time. */
const PIECE_UNITS = 1 << 16;

/**
 * Yield the parts of a whole text which, encoded one by one, give the tokens of the whole: strings of a string, views of bytes.
 * @template {Text} T
 * @param {T} text
 * @param {Core} core which knows where a text may be cut
 * @param {Uint8Array | null} mask the allowed added tokens, one byte each; they are not cut
 * @param {number} [size] about how long a part is, in bytes or UTF-16 units; a part is longer if there is no safe place to cut
 * @returns {Generator<T>} in order, none empty; nothing for an empty text
 */
export function* partsOf(text, core, mask, size = PART_BYTES) {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = text.length;
    // If there is no place, search four times as much text; at the limit, the rest is one part.
    for (let wanted = size; start + wanted < text.length && wanted <= MOST_LOOKED; wanted *= 4) {
      const cut = core.safeCut(searchedText(text, start, start + wanted), mask);
      if (cut > 0) {
        end = start + cut;
        break;
      }
    }
    yield /** @type {T} */ (typeof text === "string" ? text.slice(start, end) : text.subarray(start, end));
  }
}

/** The most bytes or UTF-16 units of texts that are encoded together: with fewer or more, it takes longer. */
const GROUP_BYTES = 1 << 16;

/**
 * Yield texts in groups that are encoded together, each of about GROUP_BYTES at most; a longer text is alone.
 * @param {readonly Text[]} texts
 * @returns {Generator<readonly Text[]>} in order, none empty
 */
export function* groupsOf(texts) {
  let [start, size] = [0, 0];
  for (let end = 0; end < texts.length; end++) {
    const { length } = texts[end];
    if (end > start && size + length > GROUP_BYTES) {
      yield texts.slice(start, end);
      [start, size] = [end, 0];
    }
    size += length;
  }
  if (start < texts.length) yield texts.slice(start);
}

/**
 * Return the part of a text that is searched for a place to cut, without half of a surrogate pair at its end, which alone would be another
 * character.
 * @param {Text} text
 * @param {number} start in bytes or UTF-16 units
 * @param {number} end in bytes or UTF-16 units
 * @returns {Text}
 */
function searchedText(text, start, end) {
  if (typeof text !== "string") return text.subarray(start, end);
  const isHigh = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return text.slice(start, isHigh ? end - 1 : end);
}

/** Arrays of more items would not be kept as plain memory. */
const MOST_ITEMS = 2 ** 25;

/**
 * Return ids as a plain array, in a quarter of the time of Array.from, and less.
 * @param {Uint32Array} ids
 * @returns {number[]}
 */
export function listOf(ids) {
  if (ids.length > MOST_ITEMS) return Array.from(ids);
  const list = new Array(ids.length);
  for (let i = 0; i < list.length; i++) list[i] = ids[i];
  return list;
}

/**
 * Join typed arrays into a new one of the same type.
 * @template {Uint8Array | Uint32Array} T
 * @param {Iterable<T>} given at least one
 * @returns {T}
 */
export function joinArrays(given) {
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
 * Collects a text that comes in chunks, as bytes of UTF-8, and passes them on in parts that are worth a call.
 * @template {{ read: number }} Found
 */
export class Parts {
  #read;
  #size;
  /** Memory for bytes; those from #start to #end are not read yet. */
  #bytes = new Uint8Array();
  #start = 0;
  #end = 0;
  /** How many bytes are worth a call; more than #size if nothing could be read from that many. */
  #wanted;
  /** A high surrogate at the end of a chunk, whose other half may follow; otherwise "". */
  #half = "";

  /**
   * @param {(text: Uint8Array<ArrayBuffer>, more: boolean) => Found} read gets the bytes that are not read yet, valid only during the call,
   *   and whether more follow; it returns what it found in the first `read` of them. At the end of the text it reads all
   * @param {number} [size] how many bytes are worth a call
   */
  constructor(read, size = PART_BYTES) {
    this.#read = read;
    this.#wanted = this.#size = size;
  }

  /**
   * Take more of the text, and yield what `read` finds in it, which may be nothing yet.
   * @param {unknown} chunk a string, which may end between two surrogates, or bytes, which may end within a character
   * @throws {WwhoError} ARGUMENT for anything else; MEMORY; what `read` throws
   */
  *add(chunk) {
    if (typeof chunk === "string") yield* this.#addString(chunk);
    else yield* this.#addBytes(requireBytes(chunk));
  }

  /** Read the rest of the text, and yield what `read` finds in it: no more chunks follow. */
  *end() {
    yield* this.#flushHalf();
    if (this.#end > this.#start) yield this.#read(this.#bytes.subarray(this.#start, this.#end), false);
    this.#start = this.#end;
  }

  /**
   * Append a string in UTF-8, a piece at a time, and yield what is found. A high surrogate at its end waits for the next chunk.
   * @param {string} chunk
   */
  *#addString(chunk) {
    for (let at = 0; at < chunk.length; at += PIECE_UNITS) {
      let piece = this.#half + chunk.slice(at, at + PIECE_UNITS);
      this.#half = /[\ud800-\udbff]$/.test(piece) ? piece.slice(-1) : "";
      if (this.#half) piece = piece.slice(0, -1);
      yield* this.#append(encoder.encode(piece));
    }
  }

  /** Append bytes, a part at a time, and yield what is found. @param {Uint8Array} bytes */
  *#addBytes(bytes) {
    yield* this.#flushHalf();
    for (let at = 0; at < bytes.length; at += PART_BYTES) yield* this.#append(bytes.subarray(at, at + PART_BYTES));
  }

  /** Append a high surrogate whose other half did not follow, which becomes U+FFFD as in every method, and yield what is found. */
  *#flushHalf() {
    const half = this.#half;
    this.#half = "";
    if (half) yield* this.#append(encoder.encode(half));
  }

  /**
   * Append bytes; read as long as there are enough for a call, and yield each result that read something.
   * @param {Uint8Array} more at most PART_BYTES
   */
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

  /**
   * Make room for more bytes after #end: move the unread bytes to the beginning of the memory, or of a new one that is twice as large as
   * they need.
   * @param {number} more how many bytes
   * @throws {WwhoError} MEMORY
   */
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

/**
 * Return a view of a chunk's bytes.
 * @param {unknown} chunk
 * @returns {Uint8Array}
 * @throws {WwhoError} ARGUMENT if it has none
 */
function requireBytes(chunk) {
  const bytes = bytesOf(chunk);
  if (bytes) return bytes;
  throw argumentError("a chunk of the text", chunk, "a string or bytes of UTF-8; for one text, give [text]");
}
