// Text of bytes of UTF-8, and of ids that come in parts.

import { AFTER, MORE } from "./header.js";

/** A decoder that keeps a byte order mark. */
export const newDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });

/** @param {Uint8Array<ArrayBufferLike>} bytes @returns {string} broken UTF-8 becomes U+FFFD */
export const utf8 = (bytes) => newDecoder().decode(bytes);

/** A character of UTF-8, or a byte that belongs to none; each byte is a unit of the string. */
const CHARACTER =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[^]/g;

/** The characters of a text, and each byte that belongs to none. @param {Uint8Array} bytes */
export function charactersOf(bytes) {
  const raw = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  let at = 0;
  return (raw.match(CHARACTER) ?? []).map(({ length }) => bytes.subarray(at, (at += length)));
}

/** Decodes parts: ids whose text later ids may change wait for those. */
export class Decoding {
  #decode;
  #skip;
  #waits;
  /** Ids that wait, and the index of the first of them among all. @type {number[]} */
  #held = [];
  #index = 0;
  #begun = false;

  /**
   * @param {(ids: Uint32Array, index: number, flags: number) => { bytes: Uint8Array<ArrayBuffer>, read: number }} decode
   * @param {number} skip the flag of the core for what to skip; 0 for nothing
   * @param {boolean} waits whether decoding needs all ids at once
   */
  constructor(decode, skip, waits) {
    this.#decode = decode;
    this.#skip = skip;
    this.#waits = waits;
  }

  /** @param {Uint32Array} ids @returns {Uint8Array<ArrayBuffer>} */
  add(ids) {
    if (this.#waits) {
      for (const id of ids) this.#held.push(id);
      return new Uint8Array();
    }
    const given = this.#held.length === 0 ? ids : Uint32Array.from([...this.#held, ...ids]);
    return this.#next(given, MORE);
  }

  /** The text of the ids that still wait, at the end. */
  end() {
    return this.#next(Uint32Array.from(this.#held), 0);
  }

  /** @param {Uint32Array} given @param {number} more */
  #next(given, more) {
    const flags = this.#skip | (this.#begun ? AFTER : 0) | more;
    const { bytes, read } = this.#decode(given, this.#index, flags);
    this.#held = Array.from(given.subarray(read));
    this.#index += read;
    this.#begun ||= bytes.length > 0;
    return bytes;
  }
}
