// Text of bytes of UTF-8, and of ids that come in parts.

import { argumentError } from "./arguments.js";
import { graphemeSegmenter } from "./boundaries.js";
import { AFTER, MORE } from "./header.js";

/**
 * Make a decoder of UTF-8 that keeps a byte order mark, and writes U+FFFD for broken bytes. One is for a single text: it has state.
 * @returns {TextDecoder}
 */
export const newDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Return bytes of UTF-8 as a string; a byte order mark stays, and broken bytes become U+FFFD.
 * @param {Uint8Array<ArrayBufferLike>} bytes
 * @returns {string}
 */
export const utf8 = (bytes) => newDecoder().decode(bytes);

/** A character of UTF-8, or a byte that belongs to none; each byte is a unit of the string. */
const CHARACTER =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[^]/g;

/**
 * Cut bytes of UTF-8 into characters; each byte that belongs to no character is a part of its own.
 * @param {Uint8Array} bytes
 * @returns {Uint8Array[]} views of `bytes`, in order, which together are all of them
 */
export function charactersOf(bytes) {
  const raw = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  let at = 0;
  return (raw.match(CHARACTER) ?? []).map(({ length }) => bytes.subarray(at, (at += length)));
}

/** The longest grapheme, in UTF-16 units, that is looked at anew with each part of a text. */
const SHORT_GRAPHEME = 64;

/**
 * Return a function that takes the parts of a text one by one, and gives those graphemes that what follows cannot change: all but the last. At
 * the end, it gives the rest. After a very long grapheme it waits for as much text again, so that its time stays linear.
 * @returns {(part: string, isLast: boolean) => string}
 * @throws {WwhoError} ARGUMENT where there is no Intl.Segmenter
 */
export function graphemesOf() {
  const segmenter = graphemeSegmenter();
  if (!segmenter) throw argumentError("graphemes", true, "false where there is no Intl.Segmenter, which finds them");
  let [held, wanted] = ["", 0];
  return (part, isLast) => {
    held += part;
    if (held.length < wanted && !isLast) return "";
    const end = isLast ? held.length : (segmenter.segment(held).containing(held.length - 1)?.index ?? 0);
    const whole = held.slice(0, end);
    held = held.slice(end);
    wanted = held.length > SHORT_GRAPHEME ? 2 * held.length : 0;
    return whole;
  };
}

/** Decodes ids that come in parts: ids whose text may depend on later ids are held back until those come. */
export class Decoding {
  #decode;
  #skip;
  #waits;
  /** Ids that are held back. @type {number[]} */
  #held = [];
  /** The index among all ids of the first that is held back. */
  #index = 0;
  /** Whether any text was returned: the core treats the beginning of a text differently. */
  #hasBegun = false;

  /**
   * @param {(ids: Uint32Array, index: number, flags: number) => { bytes: Uint8Array<ArrayBuffer>, read: number }} decode decodes ids, of which
   *   the first has this index among all, and says how many it read
   * @param {number} skip the core's flag SKIP_SPECIAL, or 0
   * @param {boolean} waits whether the model's decoder needs all ids at once; then only end() returns text
   */
  constructor(decode, skip, waits) {
    this.#decode = decode;
    this.#skip = skip;
    this.#waits = waits;
  }

  /**
   * Take more ids, and return the text that they and the ids held back give for certain.
   * @param {Uint32Array} ids
   * @returns {Uint8Array<ArrayBuffer>} UTF-8, which may end inside a character; empty if all ids are held back
   */
  add(ids) {
    if (this.#waits) {
      for (const id of ids) this.#held.push(id);
      return new Uint8Array();
    }
    const given = this.#held.length === 0 ? ids : Uint32Array.from([...this.#held, ...ids]);
    return this.#decodeNext(given, MORE);
  }

  /**
   * Return the text of the ids that are still held back: no more ids follow.
   * @returns {Uint8Array<ArrayBuffer>} UTF-8
   */
  end() {
    return this.#decodeNext(Uint32Array.from(this.#held), 0);
  }

  /**
   * Decode ids, return their bytes, and hold back those that the core did not read.
   * @param {Uint32Array} given the ids held back so far, and those after them
   * @param {number} more the core's flag MORE if ids may follow, otherwise 0
   * @returns {Uint8Array<ArrayBuffer>}
   */
  #decodeNext(given, more) {
    const flags = this.#skip | (this.#hasBegun ? AFTER : 0) | more;
    const { bytes, read } = this.#decode(given, this.#index, flags);
    this.#held = Array.from(given.subarray(read));
    this.#index += read;
    this.#hasBegun ||= bytes.length > 0;
    return bytes;
  }
}
