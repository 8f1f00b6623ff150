// The ids that surround those of a text, or of a pair: the model's template, such as [CLS] and [SEP].

import { OF_TEMPLATE } from "./header.js";
import { joinArrays } from "./parts.js";
import { charactersOf, newDecoder } from "./decoding.js";

/** @typedef {{ what: string, type: number, id: number }} Place "first" or "second" for a text, whose id is its trim; "id" for an id */
/** @typedef {{ ids: Uint32Array, starts?: Uint32Array, ends?: Uint32Array }} Tokens of a text; offsets in UTF-16 units */

/** What stands in a place, by its number in the file: FORMAT.md, TEMPLATE. */
const WHAT = ["id", "first", "second"];
/** The places of models without a template: one text, or two. @type {Place[]} */
const PLAIN = [
  { what: "first", type: 0, id: 0 },
  { what: "second", type: 1, id: 0 },
];

/**
 * Return the places of the model's template, in order.
 * @param {import("./core.js").Core} core
 * @param {boolean} pair whether the template for two texts is wanted, or that for one
 * @param {boolean} withIds whether places with ids, such as [CLS], are wanted, or only those with texts
 * @returns {Place[]} of a model without a template, one place for each text
 */
export function placesOf(core, pair, withIds) {
  const numbers = /** @type {number[]} */ (core.numbers(OF_TEMPLATE, Number(pair)));
  /** @type {Place[]} */
  const places = [];
  for (let i = 0; i < numbers.length; i += 3) places.push({ what: WHAT[numbers[i]], type: numbers[i + 1], id: numbers[i + 2] });
  if (places.length === 0) return PLAIN.slice(0, pair ? 2 : 1);
  return withIds ? places : places.filter(({ what }) => what !== "id");
}

/**
 * Put the tokens of texts into the places of a template.
 * @param {Place[]} places
 * @param {Record<string, Tokens>} texts their tokens, under "first" and "second"
 * @returns {{ ids: Uint32Array, starts: Uint32Array, ends: Uint32Array, types: Uint8Array }} new columns of one entry each for a token; an id
 *   of the template has the offsets 0 to 0, and without offsets of the texts `starts` and `ends` mean nothing
 */
export function fillTemplate(places, texts) {
  const parts = places.map(({ what, type, id }) => {
    const nowhere = { starts: new Uint32Array(1), ends: new Uint32Array(1) };
    const { ids, starts, ends } = texts[what] ?? { ids: Uint32Array.of(id), ...nowhere };
    return { ids, starts: starts ?? ids, ends: ends ?? ids, types: new Uint8Array(ids.length).fill(type) };
  });
  return {
    ids: joinArrays(parts.map(({ ids }) => ids)),
    starts: joinArrays(parts.map(({ starts }) => starts)),
    ends: joinArrays(parts.map(({ ends }) => ends)),
    types: joinArrays(parts.map(({ types }) => types)),
  };
}

/** What counts as white space in a trim, unlike \s of a regular expression, and U+0120, which stands for a space (FORMAT.md, TEMPLATE). */
const SPACE = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u0120]/;
/** A bit of a trim: tokens stand for bytes, and only the space counts as white space. */
const BYTES = 16;
/** Rules of a trim that leave the first token its only space: always, or if no ids surround the text. Rule 1 leaves none, 0 is no rule. */
const [KEEP, KEEP_ALONE] = [2, 3];

/**
 * Return bytes as text in which each byte that belongs to no character is one U+FFFD; a decoder makes one of several such bytes.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
function textOfBytes(bytes) {
  const decoder = newDecoder();
  const text = decoder.decode(bytes);
  return text.includes("\ufffd") ? charactersOf(bytes).map((each) => decoder.decode(each)).join("") : text;
}

/**
 * Count the characters of white space at the two ends of a text; if all of it is white space, both counts are its length.
 * @param {string} text
 * @param {RegExp} space matches one character of white space
 * @returns {{ leading: number, trailing: number }} in UTF-16 units
 */
function countSpaces(text, space) {
  let [leading, trailing] = [0, 0];
  while (leading < text.length && space.test(text[leading] ?? "")) leading++;
  while (trailing < text.length && space.test(text[text.length - 1 - trailing] ?? "")) trailing++;
  return { leading, trailing };
}

/**
 * Return a text without white space at its ends; U+0120 counts as such.
 * @param {string} text
 * @returns {string}
 */
export function trimText(text) {
  const { leading, trailing } = countSpaces(text, SPACE);
  return text.slice(leading, Math.max(leading, text.length - trailing));
}

/**
 * Take the white space that tokens begin and end with out of their offsets, in place, as a model's post-processor does: FORMAT.md, TEMPLATE.
 * @param {Required<Tokens>} tokens those of a text; `starts` and `ends` are changed
 * @param {string | Uint8Array} given the text
 * @param {number} trim the file's number: two rules of two bits each, which are applied one after the other, and BYTES
 * @param {boolean} around whether the caller asks for the template's ids around texts
 * @param {import("./core.js").Core} core
 * @param {ReadonlyMap<number, string | null>} added the texts of added tokens, trimmed by trimText, by their ids; null for an id that may
 *   stand for any text. Of these, white space is counted in the text itself, of other tokens in the token's bytes
 */
export function trimOffsets({ ids, starts, ends }, given, trim, around, core, added) {
  const text = typeof given === "string" ? given : textOfBytes(given);
  /** The white space of tokens that have occurred, by their ids. @type {Map<number, { leading: number, trailing: number }>} */
  const known = new Map();
  const rules = [trim & 3, (trim >> 2) & 3].filter((rule) => rule > 0);
  for (const [i, id] of ids.entries()) {
    let [start, end] = [starts[i] ?? 0, ends[i] ?? 0];
    const [found, own] = [text.slice(start, end), added.get(id)];
    // A model's token may share the id of an added token, usually unk_id.
    const isMatched = own === null || (own !== undefined && own === trimText(found));
    let spaces = isMatched ? countSpaces(found, SPACE) : known.get(id);
    if (spaces === undefined) {
      spaces = countSpaces(textOfBytes(core.tokenBytes(id) ?? new Uint8Array()), trim & BYTES ? / / : SPACE);
      known.set(id, spaces);
    }
    for (const rule of rules) {
      const isFirst = start === 0 || (i === 0 && !(rule === KEEP_ALONE && around));
      if (!(isFirst && spaces.leading === 1 && rule >= KEEP)) {
        for (let n = spaces.leading; n > 0 && start < end; n--) start += isPair(text, start) ? 2 : 1;
      }
      let [n, place] = [spaces.trailing, end];
      for (; n > 0 && place > 0; n--) place -= isPair(text, place - 2) ? 2 : 1;
      if (n === 0) end = Math.max(place, start);
    }
    starts[i] = start;
    ends[i] = end;
  }
}

/**
 * Tell whether a surrogate pair begins at this UTF-16 unit; false before the text.
 * @param {string} text
 * @param {number} at
 * @returns {boolean}
 */
const isPair = (text, at) => at >= 0 && (text.codePointAt(at) ?? 0) > 0xffff;
