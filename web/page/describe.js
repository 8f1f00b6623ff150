// From a text to the tokens that the page shows.

/**
 * @typedef {object} Token
 * @property {number} id
 * @property {string} text the characters it touches, also those it holds only in part
 * @property {number} start in UTF-16 units
 * @property {"base" | "sgpe" | "spelled"} kind
 * @property {string} route
 * @property {string[]} units syllables it holds, or, spelled out, the one it is a part of
 * @property {Uint8Array} [bytes] where they are not those of its text: it cuts a character
 * @property {Inside} tornStart what it begins inside of
 * @property {Inside} tornEnd what it ends inside of
 */

/** @typedef {"" | "syllable" | "character"} Inside `character`: what a reader sees as one, of a script without syllables */

/** @typedef {import("../index.js").Tokenizer} Tokenizer */
/** @typedef {{ ids: ArrayLike<number>, starts: ArrayLike<number>, ends: ArrayLike<number> }} Encoded places in UTF-16 units */

/**
 * @param {Tokenizer} tokenizer
 * @param {string} text
 * @param {Encoded} encoded the text, as it is or as a part of a longer one
 * @param {Syllables} syllables of the text
 * @returns {Token[]}
 */
export function describeTokens(tokenizer, text, { ids, starts, ends }, syllables) {
  const places = unitPlaces(tokenizer, text);
  let place = 0;
  return Array.from(ids, (id, i) => {
    const [start, end] = [starts[i], ends[i]];
    while (places[place].end <= start) place++;
    const { route, sgpe } = places[place];
    const units = [];
    for (let p = place; sgpe && p < places.length && places[p].start < end; p++) units.push(places[p].text);
    const cutStart = i > 0 && ends[i - 1] > start;
    const cutEnd = i + 1 < ids.length && starts[i + 1] < end;
    /** @param {boolean} cut through bytes of a character @param {number} at @returns {Inside} */
    const inside = (cut, at) => (!cut && syllables.ends.has(at) ? "" : syllables.inside[at] ? "syllable" : "character");
    return {
      id,
      text: text.slice(start, end),
      start,
      kind: !sgpe ? "base" : id < tokenizer.info.nBase ? "spelled" : "sgpe",
      route,
      units,
      ...((cutStart || cutEnd) && { bytes: tokenizer.tokenBytes(id) }),
      tornStart: inside(cutStart, start),
      tornEnd: inside(cutEnd, cutEnd ? starts[i + 1] : end),
    };
  });
}

/**
 * The units of SGPE segments and the other segments as they are, in order, without gaps; UTF-16 units.
 * @param {Tokenizer} tokenizer
 * @param {string} text
 */
function unitPlaces(tokenizer, text) {
  return tokenizer.segment(text).flatMap(({ route, start, end, text: all, units }) => {
    if (units.length === 0) {
      return [{ start, end, text: all, route, sgpe: false }];
    }
    let at = start;
    return units.map((unit) => ({ start: at, end: (at += unit.length), text: unit, route, sgpe: true }));
  });
}

/** What a reader sees as one character; older engines than its makers know nothing of it. */
const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * @typedef {object} Syllables
 * @property {Set<number>} ends where a token may begin or end without cutting one, in UTF-16 units
 * @property {Uint8Array} inside 1 for the units that lie in a syllable, 0 elsewhere
 */

/**
 * Syllables where a tokenizer knows the script, grapheme clusters elsewhere.
 * @param {string} text
 * @param {Tokenizer[]} tokenizers
 * @returns {Syllables}
 */
export function syllablesOf(text, tokenizers) {
  const ends = new Set([0, text.length]);
  const inside = new Uint8Array(text.length);
  const knowing = tokenizers.find(({ info }) => info.routes.some(({ sgpe }) => sgpe));
  for (const { start, end, text: part, sgpe } of knowing ? unitPlaces(knowing, text) : [whole(text)]) {
    ends.add(start).add(end);
    if (sgpe && part.startsWith(" ")) ends.add(start + 1);
    if (sgpe) inside.fill(1, start, end);
    else for (const { index } of graphemes.segment(part)) ends.add(start + index);
  }
  return { ends, inside };
}

/** @param {string} text a text without syllables */
const whole = (text) => ({ start: 0, end: text.length, text, sgpe: false });
