// From a text to the tokens that the page shows.

/**
 * @typedef {object} Token
 * @property {number} id
 * @property {number} start in UTF-16 units; of a character that it holds only in part, where that begins
 * @property {number} end
 * @property {"base" | "syllables" | "fallback"} kind `fallback`: of the base, for a part of a syllable that is not in the vocabulary
 * @property {Uint8Array} [bytes] where they are not those of its text: it cuts a character
 */

/** @typedef {import("../../package/index.js").Tokenizer} Tokenizer */
/** @typedef {{ ids: ArrayLike<number>, starts: ArrayLike<number>, ends: ArrayLike<number> }} Encoded places in UTF-16 units */
/**
 * A text with its tokens, or a message of a chat.
 * @typedef {object} Block
 * @property {string} [role]
 * @property {string} text
 * @property {number[]} places at which a token may begin without cutting a syllable or a character
 * @property {number[]} syllables those of them at which a syllable begins
 * @property {(Token[] | undefined)[]} rows tokens, by row
 */

/** @param {Tokenizer} tokenizer */
export const knowsSyllables = (tokenizer) => tokenizer.info.routes.some(({ sgpe }) => sgpe);

/**
 * @param {string} text
 * @param {(Tokenizer | undefined)[]} tokenizers by row
 * @param {(Encoded | undefined)[]} encoded the text by each of them
 * @returns {Block}
 */
export function describeText(text, tokenizers, encoded) {
  const known = tokenizers.map((each) => (each && knowsSyllables(each) ? unitsOf(each, text) : undefined));
  const units = known.find(Boolean) ?? [{ start: 0, end: text.length, text, sgpe: false }];
  const rows = tokenizers.map((each, row) => {
    const found = encoded[row];
    return each && found && describeTokens(each, found, known[row] ?? []);
  });
  return { text, ...boundaries(units, text.length), rows };
}

/**
 * @param {Tokenizer} tokenizer
 * @param {Encoded} encoded a text
 * @param {Unit[]} units of the text, by this tokenizer
 * @returns {Token[]}
 */
function describeTokens(tokenizer, { ids, starts, ends }, units) {
  let place = 0;
  return Array.from(ids, (id, i) => {
    const [start, end] = [starts[i], ends[i]];
    while (place + 1 < units.length && units[place].end <= start) place++;
    const cutsCharacter = (i > 0 && ends[i - 1] > start) || (i + 1 < ids.length && starts[i + 1] < end);
    return {
      id,
      start,
      end,
      kind: !units[place]?.sgpe ? "base" : id < tokenizer.info.nBase ? "fallback" : "syllables",
      ...(cutsCharacter && { bytes: tokenizer.tokenBytes(id) }),
    };
  });
}

/** @typedef {{ start: number, end: number, text: string, sgpe: boolean }} Unit */

/**
 * The units of a script's segments, and the other segments as they are, in order, without gaps; places in UTF-16 units.
 * @param {Tokenizer} tokenizer
 * @param {string} text
 * @returns {Unit[]}
 */
export function unitsOf(tokenizer, text) {
  /** @param {import("../../package/index.js").Segment} segment @returns {Unit[]} */
  const unitsIn = ({ start, end, text: all, units }) => {
    if (units.length === 0) return [{ start, end, text: all, sgpe: false }];
    let at = start;
    return units.map((unit) => ({ start: at, end: (at += unit.length), text: unit, sgpe: true }));
  };
  return tokenizer.segment(text).flatMap(unitsIn);
}

/** What a reader sees as one character; older engines than its makers know nothing of it. */
const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * Where a token may begin or end without cutting what a reader sees as one: a syllable where a tokenizer knows the script, a
 * grapheme cluster elsewhere.
 * @param {Unit[]} units
 * @param {number} length of the text
 * @returns {{ places: number[], syllables: number[] }} in order, from 0 to the end; and those of them at which a syllable begins
 */
export function boundaries(units, length) {
  const places = [];
  const syllables = [];
  for (const { start, text, sgpe } of units) {
    if (!sgpe) {
      for (const { index } of graphemes.segment(text)) places.push(start + index);
      continue;
    }
    if (text.startsWith(" ") && text.length > 1) places.push(start);
    const first = text.startsWith(" ") && text.length > 1 ? start + 1 : start;
    places.push(first);
    syllables.push(first);
  }
  return { places: [...places, length], syllables };
}
