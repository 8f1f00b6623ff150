// The vocabulary and the merges of a tokenizer.json, read from its bytes into typed arrays: no token becomes a string.

import { Refusal } from "./import-json.js";
import { BYTE_OF } from "./stand-ins.js";

/** @typedef {import("./import-json.js").JsonReader} JsonReader */

/** One more than the highest id. */
export const MAX_IDS = 2 ** 21 - 1;
/** Bytes of a token. */
export const MAX_TOKEN_BYTES = 1024;
/** What multiplies the hash of a text for each byte that follows. */
const STEP = 0x01000193;
/** The powers of STEP. */
const POWERS = /* @__PURE__ */ new Int32Array(MAX_TOKEN_BYTES + 1).fill(1);
for (let i = 1; i < POWERS.length; i++) POWERS[i] = Math.imul(POWERS[i - 1], STEP);
const [QUOTE, BACKSLASH, SPACE, COLON, COMMA, OPEN_LIST] = [0x22, 0x5c, 0x20, 0x3a, 0x2c, 0x5b];

/** The values of hexadecimal digits, by their bytes; -1 for no digit. */
const DIGITS = /* @__PURE__ */ Int8Array.from({ length: 256 }, (_, byte) => "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase()));
/**
 * Return an array with room for some items: the array itself if it has that, else a new one with room for twice as many, with the same
 * items, and zeros behind them.
 * @template {Int32Array | Uint8Array} A
 * @param {A} array
 * @param {number} length how many items there must be room for
 * @returns {A}
 */
function growArray(array, length) {
  if (length <= array.length) return array;
  const larger = new /** @type {any} */ (array.constructor)(2 * length);
  larger.set(array);
  return larger;
}

/**
 * The tokens of a vocabulary, numbered as the file lists them, without those that stand for no bytes.
 *
 * Token t has the bytes `bytes[starts[t]..starts[t + 1]]` and the id `ids[t]`.
 */
export class Vocabulary {
  /** How many tokens there are. */
  size = 0;
  bytes = new Uint8Array(1 << 16);
  starts = new Int32Array(1 << 12);
  ids = new Int32Array(1 << 12);
  /** The ids of tokens that stand for no bytes, by their texts. @type {Map<string, number>} */
  others = new Map();
  /** For each id 1 if a token has it. */
  taken = new Uint8Array(MAX_IDS);
  #hashes = new Int32Array(1 << 12);
  /** Numbers of tokens, each plus one, by their hashes. */
  #table = new Int32Array(0);
  /** The hash and the end of the text that was read last, behind those of the tokens. */
  #hash = 0;
  #end = 0;

  /**
   * Read the object of tokens and ids into this vocabulary, which is empty before: tokens, whose letters stand for bytes, get numbers in
   * the order of the file, and all others go to `others`. Then the tokens can be found by their bytes.
   * @param {JsonReader} reader before the object; it is moved behind it
   * @throws {Refusal} if two tokens are equal or have one id, an id is out of range, or a token is too long or empty
   */
  read(reader) {
    if (reader.next() !== 0x7b) reader.refuse();
    const json = reader.bytes;
    reader.at++;
    if (reader.next() === 0x7d) reader.refuse("the vocabulary is empty");
    for (;;) {
      if (reader.next() !== QUOTE) reader.refuse();
      const begin = reader.at;
      const stands = this.#readText(reader, QUOTE);
      let text = "";
      if (!stands) {
        reader.at = begin;
        text = reader.string();
        if (this.others.has(text) || text.length > MAX_TOKEN_BYTES / 2) reader.refuse("a token comes twice, or is long");
      }
      if (reader.next() !== COLON) reader.refuse();
      reader.at++;
      const id = readId(reader);
      if (this.taken[id]) reader.refuse("two tokens have one id");
      this.taken[id] = 1;
      if (stands) this.#add(id);
      else this.others.set(text, id);
      if (reader.next() !== COMMA) break;
      reader.at++;
    }
    if (json[reader.at] !== 0x7d) reader.refuse();
    reader.at++;
    this.#index();
  }

  /**
   * Make the text that #readText read last the next token, which stays behind the bytes of the others. The table of hashes does not have
   * it before #index.
   * @param {number} id of the token
   * @throws {Refusal} if the text is longer than MAX_TOKEN_BYTES, or empty
   */
  #add(id) {
    const start = this.starts[this.size];
    if (this.#end === start || this.#end - start > MAX_TOKEN_BYTES) throw new Refusal("a token is empty or long");
    this.ids = growArray(this.ids, this.size + 1);
    this.#hashes = growArray(this.#hashes, this.size + 1);
    this.starts = growArray(this.starts, this.size + 2);
    this.ids[this.size] = id;
    this.#hashes[this.size] = this.#hash;
    this.starts[++this.size] = this.#end;
  }

  /**
   * Make a new table of hashes of all tokens, at most half full, by which #find finds them.
   * @throws {Refusal} if two tokens are equal
   */
  #index() {
    const [hashes, table] = [this.#hashes, new Int32Array(2 ** (33 - Math.clz32(this.size)))];
    this.#table = table;
    for (let token = 0; token < this.size; token++) {
      const start = this.starts[token];
      if (this.#find(hashes[token], start, this.starts[token + 1] - start) >= 0) throw new Refusal("a token comes twice");
      let place = mixHash(hashes[token]) & (table.length - 1);
      while (table[place]) place = (place + 1) & (table.length - 1);
      table[place] = token + 1;
    }
  }

  /**
   * Return the number of the token with a text, or -1.
   * @param {number} hash of the text, as #readText makes it
   * @param {number} from where the text begins in `bytes`, perhaps behind the tokens
   * @param {number} length in bytes
   * @returns {number}
   */
  #find(hash, from, length) {
    const { bytes, starts } = this;
    const [hashes, table] = [this.#hashes, this.#table];
    for (let place = mixHash(hash) & (table.length - 1); ; place = (place + 1) & (table.length - 1)) {
      const token = table[place] - 1;
      if (token < 0) return -1;
      const start = starts[token];
      if (hashes[token] !== hash || starts[token + 1] - start !== length) continue;
      let at = 0;
      while (at < length && bytes[start + at] === bytes[from + at]) at++;
      if (at === length) return token;
    }
  }

  /**
   * Return the number of the token whose bytes are those of two tokens, one after the other; -1 if there is none. Nothing is copied: the
   * hash comes from those of the two.
   * @param {number} left the number of the first token
   * @param {number} right that of the second
   * @returns {number}
   */
  joined(left, right) {
    const { bytes, starts } = this;
    const hashes = this.#hashes;
    const table = this.#table;
    const begin = starts[left];
    const size = starts[left + 1] - begin;
    const more = starts[right + 1] - starts[right];
    const middle = starts[right] - size;
    const hash = (Math.imul(hashes[left], POWERS[more]) + hashes[right]) | 0;
    for (let place = mixHash(hash) & (table.length - 1); ; place = (place + 1) & (table.length - 1)) {
      const token = table[place] - 1;
      if (token < 0) return -1;
      const start = starts[token];
      if (hashes[token] !== hash || starts[token + 1] - start !== size + more) continue;
      let at = 0;
      while (at < size && bytes[start + at] === bytes[begin + at]) at++;
      if (at < size) continue;
      while (at < size + more && bytes[start + at] === bytes[middle + at]) at++;
      if (at === size + more) return token;
    }
  }

  /**
   * Return the number of the token with some bytes, or -1. Overwrites what stands behind the bytes of the tokens.
   * @param {ArrayLike<number>} text the bytes
   * @returns {number}
   */
  tokenOf(text) {
    let hash = 0;
    const end = this.starts[this.size];
    this.bytes = growArray(this.bytes, end + text.length);
    for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, STEP) + text[i] + 1) | 0;
    this.bytes.set(text, end);
    return this.#find(hash, end, text.length);
  }

  /** Return the bytes of a token. @param {number} token */
  text(token) {
    return this.bytes.subarray(this.starts[token], this.starts[token + 1]);
  }

  /** Return how many bytes a token has. @param {number} token */
  length(token) {
    return this.starts[token + 1] - this.starts[token];
  }

  /**
   * Read a string up to a character that ends it, and pass both. The bytes that its characters stand for are written behind those of the
   * tokens, and their hash and end are kept for #add and #find.
   * @param {JsonReader} reader at the byte before the string
   * @param {number} last the character: a quote, or a space
   * @returns {boolean} false: it has a character that stands for no byte, or is malformed; the reader stays where it was
   */
  #readText(reader, last) {
    const json = reader.bytes;
    let bytes = this.bytes;
    let at = reader.at + 1;
    let end = this.starts[this.size];
    let hash = 0;
    for (;;) {
      let code = json[at++];
      if (code === last) break;
      if (code === BACKSLASH) {
        const escape = json[at++];
        if (escape === 0x75) {
          code = 0;
          for (const end = at + 4; at < end; at++) {
            const digit = DIGITS[json[at]];
            if (!(digit >= 0)) return false;
            code = 16 * code + digit;
          }
        } else if (escape === QUOTE || escape === BACKSLASH || escape === 0x2f) code = escape;
        else return false;
      } else if (code >= 0xc2 && code < 0xe0 && json[at] >> 6 === 2) code = ((code & 31) << 6) | (json[at++] & 63);
      else if (code === QUOTE || !(code < 0x80)) return false;
      const byte = code < 0x144 ? BYTE_OF[code] : -1;
      if (byte < 0) return false;
      if (end === bytes.length) bytes = this.bytes = growArray(bytes, end + 1);
      bytes[end++] = byte;
      hash = (Math.imul(hash, STEP) + byte + 1) | 0;
    }
    reader.at = at;
    this.#end = end;
    this.#hash = hash;
    return true;
  }

  /**
   * Read a string that is a token of this vocabulary, as #readText does, and return the number of the token.
   * @param {JsonReader} reader at the byte before the string
   * @param {number} last the character that ends it
   * @returns {number}
   * @throws {Refusal} if it is no token
   */
  #readToken(reader, last) {
    if (!this.#readText(reader, last)) reader.refuse("a merge has a character that stands for no byte");
    const start = this.starts[this.size];
    const token = this.#find(this.#hash, start, this.#end - start);
    if (token < 0) reader.refuse("a merge has a part that is no token");
    return token;
  }

  /**
   * Read the list of merges, each a list of two texts, or a text with a space between them. A pair that comes twice is there twice.
   * @param {JsonReader} reader before the list; it is moved behind it
   * @returns {Merges}
   * @throws {Refusal} if a part, or what a merge makes, is no token
   */
  readMerges(reader) {
    let [lefts, rights, wholes, size] = [new Int32Array(1 << 12), new Int32Array(1 << 12), new Int32Array(1 << 12), 0];
    reader.list(() => {
      let left, right;
      if (reader.next() === OPEN_LIST) {
        reader.at++;
        if (reader.next() !== QUOTE) reader.refuse("a merge is not of two texts");
        left = this.#readToken(reader, QUOTE);
        if (reader.next() !== COMMA) reader.refuse("a merge is not of two texts");
        reader.at++;
        if (reader.next() !== QUOTE) reader.refuse("a merge is not of two texts");
        right = this.#readToken(reader, QUOTE);
        if (reader.next() !== 0x5d) reader.refuse("a merge is not of two texts");
        reader.at++;
      } else {
        if (reader.next() !== QUOTE) reader.refuse("a merge is not of two texts");
        if (isVersion(reader)) reader.refuse("a line of the merges is their version");
        left = this.#readToken(reader, SPACE);
        reader.at--;
        right = this.#readToken(reader, QUOTE);
      }
      const whole = this.joined(left, right);
      if (whole < 0) reader.refuse("what a merge makes is no token");
      if (size === lefts.length) [lefts, rights, wholes] = [lefts, rights, wholes].map((each) => growArray(each, size + 1));
      lefts[size] = left;
      rights[size] = right;
      wholes[size++] = whole;
    });
    return { lefts: lefts.subarray(0, size), rights: rights.subarray(0, size), wholes: wholes.subarray(0, size) };
  }
}

/**
 * The merges of a file in its order, as numbers of tokens.
 * @typedef {object} Merges
 * @property {Int32Array} lefts
 * @property {Int32Array} rights
 * @property {Int32Array} wholes what each makes
 */

/** Return a hash whose lower bits depend on all of its bits. @param {number} hash */
export const mixHash = (hash) => {
  const spread = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return spread ^ (spread >>> 13);
};

/**
 * Read an id: a number from 0 to MAX_IDS - 1 without a sign, a fraction or needless zeros.
 * @param {JsonReader} reader before white space and the number; it is moved behind the number
 * @returns {number}
 * @throws {Refusal} if it is none
 */
function readId(reader) {
  const { bytes } = reader;
  let byte = reader.next();
  const begin = reader.at;
  let id = 0;
  for (; byte >= 0x30 && byte <= 0x39; byte = bytes[++reader.at]) id = 10 * id + byte - 0x30;
  const length = reader.at - begin;
  if (length === 0 || length > 7 || id >= MAX_IDS || (bytes[begin] === 0x30 && length > 1)) reader.refuse("an id is out of range");
  return id;
}

/**
 * Return whether a string begins as the line with the version of old files of merges, `#version`.
 * @param {JsonReader} reader at its quote, where it stays
 * @returns {boolean}
 */
function isVersion(reader) {
  const { bytes, at } = reader;
  return bytes[at + 1] === 0x23 && String.fromCharCode(...bytes.subarray(at + 2, at + 9)) === "version";
}
