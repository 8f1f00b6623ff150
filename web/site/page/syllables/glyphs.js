// How the cards of this page show characters.

import { element } from "../show/element.js";
import { nameOf } from "../show/markup.js";

const MARK = /^\p{M}/u;
/** Except line ends, and characters that shape the letters next to them. */
const UNSEEN = /(?![\t\r\n\u200c\u200d])[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
const NAMES = new Map([
  [" ", "space"],
  ["\n", "↵"],
  ["\t", "tab"],
  ["\u200d", "ZWJ"],
  ["\u200c", "ZWNJ"],
]);

/**
 * Make an element that shows a character; a combining mark stands on a dotted circle.
 * @param {string} text one character, or several that are one
 * @returns {HTMLElement}
 */
export const glyph = (text) => element("span", NAMES.has(text) ? "glyph chip" : "glyph", named(MARK.test(text) ? `◌${text}` : text));

/**
 * Make a table cell with a character and its code points.
 * @param {string} text one character, or several that are one
 * @returns {HTMLElement}
 */
export function cell(text) {
  const codes = Array.from(text, (each) => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
  return element("td", "", glyph(text), " ", element("small", "", codes.join(" ")));
}

/**
 * Return a text with names for characters that are invisible or change the direction of text.
 * @param {string} text
 * @returns {string}
 */
export function named(text) {
  const shown = NAMES.get(text) ?? (text.trim() === "" ? text.replaceAll("\n", "↵").replaceAll(" ", "␣") : text);
  return shown.replace(UNSEEN, (character) => `[${nameOf(character)}]`);
}

/**
 * Make a card: its subject, a line about it, and a table.
 * @param {string} kind the class of the element
 * @param {string} face the subject
 * @param {string} line
 * @param {readonly string[]} heads of the table's columns
 * @param {readonly Node[]} rows table rows
 * @returns {HTMLElement}
 */
export function card(kind, face, line, heads, rows) {
  const names = heads.map((name) => {
    const head = element("th", "", name);
    head.setAttribute("scope", "col");
    return head;
  });
  return element(
    "li",
    kind,
    element("p", "unit-face", face),
    element("p", "unit-rule", line),
    element("table", "steps", element("thead", "", element("tr", "", ...names)), element("tbody", "", ...rows)),
  );
}
