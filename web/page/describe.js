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
 * @property {boolean} tornStart whether it begins inside a syllable
 * @property {boolean} tornEnd whether it ends inside one
 */

/** @typedef {import("../index.js").Tokenizer} Tokenizer */

/**
 * @param {Tokenizer} tokenizer
 * @param {string} text
 * @param {Set<number>} whole where syllables end, see syllableEnds
 * @returns {Token[]}
 */
export function describeTokens(tokenizer, text, whole) {
  const { ids, starts, ends } = tokenizer.encodeWithOffsets(text);
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
    return {
      id,
      text: text.slice(start, end),
      start,
      kind: !sgpe ? "base" : id < tokenizer.info.nBase ? "spelled" : "sgpe",
      route,
      units,
      ...((cutStart || cutEnd) && { bytes: tokenizer.tokenBytes(id) }),
      tornStart: cutStart || !whole.has(start),
      tornEnd: cutEnd || !whole.has(end),
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
 * Where a token may begin or end without cutting a syllable: the ends of syllables where a tokenizer knows the script, those of
 * grapheme clusters elsewhere.
 * @param {string} text
 * @param {Tokenizer[]} tokenizers
 * @returns {Set<number>} UTF-16 units
 */
export function syllableEnds(text, tokenizers) {
  const ends = new Set([0, text.length]);
  const knowing = tokenizers.find(({ info }) => info.routes.some(({ sgpe }) => sgpe));
  for (const { start, end, text: part, sgpe } of knowing ? unitPlaces(knowing, text) : [whole(text)]) {
    ends.add(start).add(end);
    if (sgpe && part.startsWith(" ")) ends.add(start + 1);
    if (sgpe) continue;
    for (const { index } of graphemes.segment(part)) ends.add(start + index);
  }
  return ends;
}

/** @param {string} text a text without syllables */
const whole = (text) => ({ start: 0, end: text.length, text, sgpe: false });
