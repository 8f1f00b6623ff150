// The section MODEL of a byte-level BPE (wasm/FORMAT.md, MODEL), made of a vocabulary and its merges.

import { ByteWriter, zigzag } from "./artifact-bytes.js";
import { Refusal } from "./import-json.js";
import { livePairs } from "./import-merges.js";

/** @typedef {import("./import-vocabulary.js").Vocabulary} Vocabulary */
/** @typedef {import("./import-vocabulary.js").Merges} Merges */

const NONE = 0xffffffff;
const [COUNT, STEP, STATED] = [0, 1, 2];
const [LATER, UNMADE, WHOLE] = [4, 8, 16];
/** Of characters, by which the right column is sorted. */
const N_CLASSES = 224;

/**
 * Return the section MODEL: symbols, the bytes; merges that happen, by rank; tokens that no merge makes, by their bytes. Ids are stated
 * unless they count up in that order, perhaps stepping over those of `added`.
 * @param {Vocabulary} vocabulary
 * @param {Merges} merges of the file, in order of rank
 * @param {object} options
 * @param {boolean} options.whole whether a pretoken that is a token as a whole is that token
 * @param {(token: number) => boolean} options.isBeside whether a token that no merge makes is no token of the model but an added one
 * @param {ReadonlySet<number>} options.added the ids that others than its tokens have
 * @returns {Uint8Array}
 * @throws {Refusal} if a byte is no token, a merge is of an added token, or a text has a byte that ends texts
 */
export function writeModel(vocabulary, merges, { whole, isBeside, added }) {
  const { ids } = vocabulary;
  const bytes = Int32Array.from({ length: 256 }, (_, byte) => vocabulary.tokenOf([byte]));
  if (bytes.includes(-1)) throw new Refusal("a byte is no token");
  const { made, unmade } = ordered(vocabulary, merges, livePairs(vocabulary, merges), isBeside);
  /**
   * List all tokens in the order of the section: those of the 256 bytes, as given, those that merges make, and the others.
   * @param {Int32Array} first
   */
  const inOrder = (first) => {
    const all = new Int32Array(256 + made.tokens.length + unmade.length);
    all.set(first);
    all.set(made.tokens, 256);
    all.set(unmade, 256 + made.tokens.length);
    return all;
  };
  // Bytes may stand in any order; in that of their ids, the ids of all tokens may count up.
  let symbols = bytes.slice().sort((a, b) => ids[a] - ids[b]);
  let tokens = inOrder(symbols);
  const policy = policyOf(tokens, ids, added);
  if (policy === STATED) tokens = inOrder((symbols = bytes));

  const numbers = new Int32Array(vocabulary.size);
  for (let number = 0; number < tokens.length; number++) numbers[tokens[number]] = number;
  const lefts = made.places.map((place) => numbers[merges.lefts[place]]);
  const rights = made.places.map((place) => numbers[merges.rights[place]]);
  let [firstId, lastId, textBytes, isLater] = [NONE, 0, 0, false];
  for (let number = 0; number < tokens.length; number++) {
    const id = ids[tokens[number]];
    if (id < firstId) firstId = id;
    if (id > lastId) lastId = id;
    textBytes += vocabulary.length(tokens[number]);
  }
  for (let i = 0; i < lefts.length; i++) isLater ||= lefts[i] >= 256 + i || rights[i] >= 256 + i;

  const out = new ByteWriter();
  const flags = (isLater ? LATER : 0) | (unmade.length ? UNMADE : 0) | (whole && unmade.length ? WHOLE : 0);
  out.u8(1, 0, 0, policy, 0, flags, 0, 0);
  out.u32(firstId, NONE, 256, tokens.length - 256, textBytes, lastId + 1 - firstId);
  out.u32(0, NONE);
  if (unmade.length) out.u32(unmade.length);
  for (const token of symbols) out.listed(vocabulary.text(token));
  out.lebs(lefts);
  out.lebs(distances(Uint8Array.from(symbols, (token) => vocabulary.text(token)[0]), lefts, rights));
  writeTexts(out, Array.from(unmade, (token) => vocabulary.text(token)));
  if (policy === STATED) out.lebs(zigzag(tokens.map((token) => ids[token] - firstId + 1)));
  return out.bytes;
}

/**
 * Return the tokens that merges make, by rank, with the places of their merges; and those of the model that none makes, by their bytes.
 * Single bytes are in neither.
 * @param {Vocabulary} vocabulary
 * @param {Merges} merges
 * @param {Int32Array} places for each token that of the merge that makes it, negative for none
 * @param {(token: number) => boolean} isBeside whether a token that no merge of the list makes is left out, as an added one
 * @returns {{ made: { tokens: Int32Array, places: Int32Array }, unmade: number[] }} numbers of tokens, and places in the list
 * @throws {Refusal} if a merge is of an added token
 */
function ordered(vocabulary, { lefts, rights, wholes }, places, isBeside) {
  const isMerged = new Uint8Array(vocabulary.size);
  for (let place = 0; place < wholes.length; place++) isMerged[wholes[place]] = 1;
  const isOut = new Uint8Array(vocabulary.size);
  const [tokens, made, unmade] = [new Int32Array(wholes.length), new Int32Array(wholes.length), /** @type {number[]} */ ([])];
  let size = 0;
  for (let place = 0; place < wholes.length; place++) {
    if (places[wholes[place]] !== place) continue;
    tokens[size] = wholes[place];
    made[size++] = place;
  }
  for (let token = 0; token < vocabulary.size; token++) {
    if (places[token] >= 0 || vocabulary.length(token) === 1) continue;
    if (isMerged[token] || !isBeside(token)) unmade.push(token);
    else isOut[token] = 1;
  }
  for (let place = 0; place < wholes.length; place++) {
    if (isOut[lefts[place]] || isOut[rights[place]]) throw new Refusal("a merge is of an added token");
  }
  unmade.sort((a, b) => compare(vocabulary.text(a), vocabulary.text(b)));
  return { made: { tokens: tokens.subarray(0, size), places: made.slice(0, size) }, unmade };
}

/** Compare two texts by their bytes. @param {Uint8Array} a @param {Uint8Array} b @returns {number} below 0 if a comes first */
function compare(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/**
 * Return how tokens in this order get their ids: COUNT if they count up one by one, STEP if they do so but for added ids, else STATED.
 * @param {Int32Array} tokens their numbers, in the order of the section
 * @param {Int32Array} ids by these numbers
 * @param {ReadonlySet<number>} added the ids that others than the model's tokens have
 * @returns {number} COUNT, STEP or STATED
 */
function policyOf(tokens, ids, added) {
  const first = ids[tokens[0]];
  if (tokens.every((token, i) => ids[token] === first + i)) return COUNT;
  let next = first - 1;
  const steps = tokens.every((token) => {
    do next++;
    while (added.has(next));
    return ids[token] === next;
  });
  return steps ? STEP : STATED;
}

/**
 * Return, for each merge, the distance of its right token (FORMAT.md, BPE): how many places it stands behind the first token that begins
 * with the class with which the left token ends, modulo the number of tokens, where tokens are sorted by the class that they begin with.
 * @param {Uint8Array} symbols the bytes, in the order of their numbers
 * @param {Int32Array} lefts the numbers of the left tokens, by the order of merges; merge k makes token 256 + k
 * @param {Int32Array} rights those of the right tokens
 * @returns {Int32Array}
 */
function distances(symbols, lefts, rights) {
  const n = 256 + lefts.length;
  const [first, last, place] = [new Uint8Array(n), new Uint8Array(n), new Int32Array(n)];
  const begin = new Int32Array(N_CLASSES + 1);
  for (let token = 0; token < n; token++) {
    first[token] = token < 256 ? classOf(symbols[token]) : first[lefts[token - 256]];
    begin[first[token] + 1]++;
  }
  for (let each = 1; each <= N_CLASSES; each++) begin[each] += begin[each - 1];
  const next = begin.slice();
  for (let token = 0; token < n; token++) place[token] = next[first[token]]++;
  last.set(first.subarray(0, 256));
  const found = new Int32Array(lefts.length);
  for (let i = 0; i < lefts.length; i++) {
    const end = last[lefts[i]];
    const distance = place[rights[i]] - begin[end];
    found[i] = distance < 0 ? distance + n : distance;
    last[256 + i] = last[rights[i]] || end;
  }
  return found;
}

/**
 * Return the class of a byte alone (FORMAT.md, BPE): 0 for one that continues a character, 1 for ASCII but letters, 2 for ASCII letters,
 * else half of the byte.
 * @param {number} byte
 * @returns {number}
 */
function classOf(byte) {
  if (byte < 0x80) return (byte > 0x40 && byte < 0x5b) || (byte > 0x60 && byte < 0x7b) ? 2 : 1;
  return byte < 0xc0 ? 0 : byte >> 1;
}

/**
 * Append TEXTS (FORMAT.md, MODEL): for each text how many bytes it shares with the one before it, and its other bytes up to FF.
 * @param {ByteWriter} out where they go
 * @param {readonly Uint8Array[]} texts ascending
 * @throws {Refusal} if one has the byte FF
 */
function writeTexts(out, texts) {
  /** @type {Uint8Array} */
  let before = new Uint8Array();
  for (const text of texts) {
    if (text.includes(0xff)) throw new Refusal("a token that no merge makes has the byte FF");
    let shared = 0;
    while (shared < before.length && before[shared] === text[shared]) shared++;
    out.lebs([shared]);
    out.listed(text.subarray(shared));
    before = text;
  }
}
