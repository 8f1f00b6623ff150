// Where the colours of a row begin and end. Each token is a piece of the text. But if tokens cut a syllable or a character, it is one
// piece with all of them, so that the browser can still display it.

import { count, counted } from "./format.js";

/** @typedef {import("../tokens.js").Token} Token */
/** @typedef {{ text: string, start: number, tokens: number[], cut: boolean }} Piece `tokens`: their places in the row */

/**
 * Cut a text into the pieces that a row shows.
 * @param {string} text
 * @param {readonly Token[]} tokens of the text, in order
 * @param {readonly number[]} places at which a token may begin without cutting anything, from 0 to the end
 * @returns {Piece[]} in order, without gaps
 */
export function piecesOf(text, tokens, places) {
  /** @type {Piece[]} */
  const pieces = [];
  let [first, at] = [0, 0];
  /** Add pieces for the tokens up to a place, as they are. @param {number} to */
  const whole = (to) => {
    while (at < to) {
      const end = Math.min(tokens[first].end, to);
      pieces.push({ text: text.slice(at, end), start: at, tokens: [first], cut: false });
      at = end;
      if (tokens[first].end <= to) first++;
    }
  };
  for (const [from, to] of cutsOf(tokens, places)) {
    whole(from);
    const parts = [];
    for (let i = first; i < tokens.length && tokens[i].start < to; i++) parts.push(i);
    pieces.push({ text: text.slice(from, to), start: from, tokens: parts, cut: true });
    at = to;
    while (first < tokens.length && tokens[first].end <= to) first++;
  }
  whole(tokens.at(-1)?.end ?? 0);
  return pieces;
}

/**
 * Find the syllables and characters inside which a token begins.
 * @param {readonly Token[]} tokens of a row, in order
 * @param {readonly number[]} places where a token may begin without cutting anything, from 0 to the end
 * @returns {[number, number][]} from where to where, in UTF-16 units, in order
 */
export function cutsOf(tokens, places) {
  /** @type {[number, number][]} */
  const cuts = [];
  let k = 0; // the last place that is not after the token's beginning
  for (let i = 1; i < tokens.length; i++) {
    const { start } = tokens[i];
    while (k + 1 < places.length && places[k + 1] <= start) k++;
    const clean = places[k] === start && tokens[i - 1].end <= start;
    if (!clean && cuts.at(-1)?.[0] !== places[k]) cuts.push([places[k], places[k + 1]]);
  }
  return cuts;
}

/**
 * Return in words how many syllables and characters a row cuts.
 * @param {readonly import("../tokens.js").Block[]} blocks
 * @param {number} row
 * @returns {string} such as "cuts 2 of 9 syllables and 1 character", or "cuts nothing"
 */
export function cutsIn(blocks, row) {
  let [syllables, cut, characters] = [0, 0, 0];
  for (const block of blocks) {
    const known = new Set(block.syllables);
    const cuts = cutsOf(block.rows[row] ?? [], block.places);
    const inside = cuts.filter(([from]) => known.has(from)).length;
    syllables += known.size;
    cut += inside;
    characters += cuts.length - inside;
  }
  const found = [
    ...(cut > 0 ? [`${count(cut)} of ${count(syllables)} syllables`] : []),
    ...(characters > 0 ? [counted(characters, "character")] : []),
  ];
  return found.length > 0 ? `cuts ${found.join(" and ")}` : "cuts nothing";
}
