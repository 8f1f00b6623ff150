// A SCRIPT model at work: the pretokens that its rule cuts, the block and the index of each character, and the tokens made of these.

import { element } from "../show/element.js";
import { card, cell, named } from "./glyphs.js";

/** @typedef {import("../../package/index.js").Tokenizer} Tokenizer */
/** @typedef {import("../../package/index.js").TracedSegment} Segment */
/** @typedef {import("../../package/index.js").TracedUnit} Unit */
/** @typedef {import("../../package/index.js").Encoded} Encoded */

/**
 * Tell whether a SCRIPT model made segments; false for none.
 * @param {readonly Segment[]} segments
 * @returns {boolean}
 */
export const isScript = (segments) => segments[0]?.units[0]?.symbols !== undefined;

/**
 * Return how the model cuts, in words.
 * @param {Tokenizer} tokenizer
 * @returns {string}
 */
export function noteOnScript({ provenance: { pattern } }) {
  const rule = {
    script: "A pretoken ends where the script or the kind of the characters changes; in scripts with spaces, one space belongs to the word after it. ",
    none: "This model does not cut the text into pretokens. ",
  }[pattern ?? "none"];
  return `${rule ?? "A regular expression cuts the text into pretokens. "}Tokens are merged from these symbols, and no token crosses the end of a pretoken.`;
}

/**
 * Make the card of a pretoken: its characters with their symbols, and its tokens.
 * @param {Segment} piece
 * @param {Encoded} encoded the whole text
 * @returns {HTMLElement}
 */
export function pieceCard(piece, encoded) {
  const names = [...new Set(piece.units.flatMap(({ text, block }) => (text === " " && piece.units.length > 1 ? [] : block ?? [])))];
  const rows = [...piece.units.map(row), element("tr", "ahead", tokensOf(piece, encoded))];
  return card("script", named(piece.text.replace(/^ (?=.)/u, "")), names.join(", "), ["Character", "Block", "Index"], rows);
}

/**
 * Make the table row of a character.
 * @param {Unit} unit
 * @returns {HTMLElement}
 */
function row({ text, rule, symbols = [], block }) {
  if (rule === "bytes") {
    const bytes = element("td", "", "no block: written as bytes ", element("small", "", symbols.join(" ")));
    bytes.setAttribute("colspan", "2");
    return element("tr", "", cell(text), bytes);
  }
  // If normalizing made several characters of one, each has a pair.
  const [blocks, indices] = [0, 1].map((odd) => symbols.filter((_, i) => i % 2 === odd).join(" "));
  return element("tr", "", cell(text), element("td", "", block ?? "", " ", element("small", "", blocks)), element("td", "", indices));
}

/**
 * Make the cell with the tokens of a pretoken and their ids; of a part of a character, only the id.
 * @param {Segment} piece
 * @param {Encoded} encoded
 * @returns {HTMLElement}
 */
function tokensOf({ text, start, end }, { ids, starts, ends }) {
  const found = element("td", "", "tokens ");
  found.setAttribute("colspan", "3");
  ids.forEach((id, i) => {
    if (starts[i] < start || ends[i] > end) return;
    const isPart = ends[i - 1] > starts[i] || starts[i + 1] < ends[i];
    const face = isPart ? "" : named(text.slice(starts[i] - start, ends[i] - start));
    found.append(element("span", "stop", face), " ", element("small", "", String(id)), " ");
  });
  return found;
}
