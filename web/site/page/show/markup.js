// The HTML of a row. The browser makes it at every key press, and tools/gen_page.mjs makes what index.html shows before any script
// runs. It contains every character of the text once, so that a row can be read and copied.

import { hexOf } from "./format.js";
import { piecesOf } from "./pieces.js";

/** @typedef {import("../tokens.js").Token} Token */
/** @typedef {import("../tokens.js").Block} Block */
/** @typedef {"text" | "ids" | "bytes"} View */

const COLOURS = 4;
const INVISIBLE = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{FE00}-\u{FE0F}]+$/u;
const NEWLINES = /(\r\n|\r|\n)/;
const NAMES = new Map([
  [0x200d, "ZWJ"],
  [0x200c, "ZWNJ"],
  [0xfeff, "BOM"],
  [0x9, "TAB"],
]);
/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;", "\u00a0": "&nbsp;", "\0": "\u2400" };

/**
 * Return the name that is shown for an invisible character, such as ZWJ or U+200E.
 * @param {string} character
 * @returns {string}
 */
export function nameOf(character) {
  const code = character.codePointAt(0) ?? 0;
  return NAMES.get(code) ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * Return a text as HTML.
 * @param {string} text
 * @returns {string}
 */
const escaped = (text) => text.replace(/[&<>\r\u00a0\0]/g, (character) => ENTITIES[character]);

/**
 * Return a text as HTML in which the style sheet shows line breaks, and the names of invisible characters if the text has no others.
 * @param {string} text
 * @returns {string}
 */
export function visible(text) {
  if (NEWLINES.test(text)) {
    return text
      .split(NEWLINES)
      .map((part) => (NEWLINES.test(part) ? `<span class="newline">${escaped(part)}</span>` : escaped(part)))
      .join("");
  }
  if (!INVISIBLE.test(text)) return escaped(text);
  return `<span class="unseen" data-name="${Array.from(text, nameOf).join(" ")}">${escaped(text)}</span>`;
}

/**
 * Return the bytes of a token.
 * @param {Token} token
 * @param {Block} block it stands in
 * @returns {Uint8Array}
 */
export const bytesOf = (token, block) => token.bytes ?? new TextEncoder().encode(block.text.slice(token.start, token.end));

/**
 * Return the HTML lines of a block in one row. The elements `.token` and `.knives > i` stand for tokens, in order.
 * @param {Block} block
 * @param {readonly Token[]} tokens
 * @param {View} view
 * @returns {{ html: string[], owners: number[] }} `owners`: for each such element the place of its token in the row
 */
export function linesOf(block, tokens, view) {
  const pieces = piecesOf(block.text, tokens, block.places);
  return view === "text" ? textLines(pieces, tokens) : numberLines(block, pieces, tokens, view);
}

/**
 * Return the HTML lines of a block that shows its text; a line ends after a token that ends with a line feed.
 * @param {readonly import("./pieces.js").Piece[]} pieces
 * @param {readonly Token[]} tokens of the row
 * @returns {{ html: string[], owners: number[] }} as linesOf
 */
function textLines(pieces, tokens) {
  const html = [""];
  let last = "";
  for (const { text, start, tokens: parts, cut } of pieces) {
    // Of the piece: the line is long, and would be joined at each access to its end.
    if (last.endsWith("\n</span></span>")) html.push("");
    last = cut ? cutHTML(text, start, parts, tokens) : tokenHTML(tokens[parts[0]], parts[0], start, visible(text));
    html[html.length - 1] += last;
  }
  return { html, owners: pieces.flatMap((piece) => piece.tokens) };
}

/**
 * Return the HTML of a token, or of the part of it in a piece; the class `on` says that it continues a token of the piece before.
 * @param {Token} token
 * @param {number} at its place in the row
 * @param {number} begin of the piece, in UTF-16 units
 * @param {string} inner HTML
 * @returns {string}
 */
const tokenHTML = ({ kind, start }, at, begin, inner) => `<span class="token c${at % COLOURS} ${kind}${start < begin ? " on" : ""}">${inner}</span>`;

/**
 * Return the HTML of a piece that tokens cut, with a knife for each of its tokens; the class `on` says that one began before the piece.
 * @param {string} text of the piece
 * @param {number} start of the piece, in UTF-16 units
 * @param {readonly number[]} parts the places of its tokens in the row
 * @param {readonly Token[]} tokens of the row
 * @returns {string}
 */
function cutHTML(text, start, parts, tokens) {
  const knives = parts.map((part) => (tokens[part].start < start ? '<i class="on"></i>' : "<i></i>"));
  return `<span class="cut">${visible(text)}<span class="knives">${knives.join("")}</span></span>`;
}

/**
 * Return the HTML of a block that shows ids or bytes, as one line.
 * @param {Block} block
 * @param {readonly import("./pieces.js").Piece[]} pieces
 * @param {readonly Token[]} tokens of the row
 * @param {View} view "ids" or "bytes"
 * @returns {{ html: string[], owners: number[] }} as linesOf
 */
function numberLines(block, pieces, tokens, view) {
  const cut = new Set(pieces.flatMap((piece) => (piece.cut ? piece.tokens : [])));
  const html = tokens.map((token, at) => {
    const inner = view === "ids" ? String(token.id) : hexOf(bytesOf(token, block));
    return `<span class="token number ${cut.has(at) ? "cut" : `c${at % COLOURS} ${token.kind}`}">${inner}</span>`;
  });
  return { html: [html.join("\n")], owners: tokens.map((_, at) => at) };
}

/**
 * Return the element of a line, as HTML.
 * @param {string} line HTML
 * @param {View} view
 * @returns {string}
 */
export const lineHTML = (line, view) => `<div class="line${view === "text" ? "" : " numbers"}" dir="${view === "text" ? "auto" : "ltr"}">${line}</div>`;
