// The ids that surround those of a text, or of a pair: the model's template, such as [CLS] and [SEP].

import { OF_TEMPLATE } from "./header.js";
import { joined } from "./parts.js";
import { charactersOf, newDecoder } from "./decoding.js";

/** @typedef {{ what: string, type: number, id: number }} Place "first" or "second" for a text, whose id is its trim; "id" for an id */
/** @typedef {{ ids: Uint32Array, starts?: Uint32Array, ends?: Uint32Array }} Tokens */

/** What stands in a place: FORMAT.md, TEMPLATE. */
const WHAT = ["id", "first", "second"];
/** For models without a template. @type {Place[]} */
const PLAIN = [
  { what: "first", type: 0, id: 0 },
  { what: "second", type: 1, id: 0 },
];

/**
 * The places for one text (false) or for two; ids only if the caller asks for them.
 * @param {import("./core.js").Core} core
 * @param {boolean} pair
 * @param {boolean} withIds
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
 * The ids of texts and of a template, the type of each, and their offsets; an id of the template has the offsets 0 to 0.
 * @param {Place[]} places
 * @param {Record<string, Tokens>} texts under the names of places
 */
export function filled(places, texts) {
  const parts = places.map(({ what, type, id }) => {
    const nowhere = { starts: new Uint32Array(1), ends: new Uint32Array(1) };
    const { ids, starts, ends } = texts[what] ?? { ids: Uint32Array.of(id), ...nowhere };
    return { ids, starts: starts ?? ids, ends: ends ?? ids, types: new Uint8Array(ids.length).fill(type) };
  });
  return {
    ids: joined(parts.map(({ ids }) => ids)),
    starts: joined(parts.map(({ starts }) => starts)),
    ends: joined(parts.map(({ ends }) => ends)),
    types: joined(parts.map(({ types }) => types)),
  };
}

/** White space, unlike \s of a regular expression, and U+0120, which stands for a space (FORMAT.md, TEMPLATE). */
const SPACE = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u0120]/;
/** In a trim: tokens stand for bytes, and only the space counts. */
const BYTES = 16;
/** Moves that leave the first token its only space: always, or if no ids surround the text. */
const [KEEP, KEEP_ALONE] = [2, 3];

/** Bytes as text, in which each byte that belongs to no character is one U+FFFD. @param {Uint8Array} bytes */
function textOf(bytes) {
  const decoder = newDecoder();
  const text = decoder.decode(bytes);
  // Several such bytes may have become one.
  return text.includes("\ufffd") ? charactersOf(bytes).map((each) => decoder.decode(each)).join("") : text;
}

/**
 * How many characters at the two ends of a text count as space.
 * @param {string} text
 * @param {RegExp} space
 */
function spacesOf(text, space) {
  let [leading, trailing] = [0, 0];
  while (leading < text.length && space.test(text[leading] ?? "")) leading++;
  while (trailing < text.length && space.test(text[text.length - 1 - trailing] ?? "")) trailing++;
  return { leading, trailing };
}

/** A text without what counts as space at its ends. @param {string} text */
export function trimmed(text) {
  const { leading, trailing } = spacesOf(text, SPACE);
  return text.slice(leading, Math.max(leading, text.length - trailing));
}

/**
 * Offsets without the white space of tokens, in place: FORMAT.md, TEMPLATE.
 * @param {Required<Tokens>} tokens those of a text
 * @param {string | Uint8Array} given the text
 * @param {number} trim
 * @param {boolean} around whether the caller asks for ids around texts
 * @param {import("./core.js").Core} core
 * @param {ReadonlyMap<number, string | null>} added added tokens: id to what `trimmed` makes of the text; null for one that may have any text
 */
export function trimOffsets({ ids, starts, ends }, given, trim, around, core, added) {
  const text = typeof given === "string" ? given : textOf(given);
  /** @type {Map<number, { leading: number, trailing: number }>} */
  const known = new Map();
  const moves = [trim & 3, (trim >> 2) & 3].filter((move) => move > 0);
  for (const [i, id] of ids.entries()) {
    let [start, end] = [starts[i] ?? 0, ends[i] ?? 0];
    const [found, own] = [text.slice(start, end), added.get(id)];
    // A model's token may share the id of an added token, usually unk_id.
    const isMatched = own === null || (own !== undefined && own === trimmed(found));
    let spaces = isMatched ? spacesOf(found, SPACE) : known.get(id);
    if (spaces === undefined) {
      spaces = spacesOf(textOf(core.tokenBytes(id) ?? new Uint8Array()), trim & BYTES ? / / : SPACE);
      known.set(id, spaces);
    }
    for (const move of moves) {
      const isFirst = start === 0 || (i === 0 && !(move === KEEP_ALONE && around));
      if (!(isFirst && spaces.leading === 1 && move >= KEEP)) {
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

/** Whether a pair of surrogates stands there. @param {string} text @param {number} at */
const isPair = (text, at) => at >= 0 && (text.codePointAt(at) ?? 0) > 0xffff;
