// What a news text costs in each language, measured by tools/gen_premium.py. It is loaded when the user scrolls to it.

import { SHIPPED } from "../data/models.js";
import { ENCODINGS, LANGUAGES, LINES } from "../data/premium.js";
import { element } from "./element.js";
import { count } from "./format.js";
import { barCell, labelOf } from "./premium.js";

/**
 * Return the element with an id.
 * @param {string} id
 * @returns {any}
 */
const find = (id) => document.getElementById(id);

/** Fill the table of languages: the tokens of each as a multiple of the English ones, the costliest first. */
export function showLanguages() {
  const [english] = LANGUAGES;
  const ratios = (/** @type {number[]} */ tokens) => tokens.map((number, i) => number / english.tokens[i]);
  const rows = LANGUAGES.slice(1).sort((a, b) => b.tokens[0] - a.tokens[0]);
  const most = Math.max(...rows.flatMap(({ tokens }) => ratios(tokens)));
  find("languages-lines").textContent = count(LINES);
  find("language-heads").append(...ENCODINGS.map((name) => headOf(SHIPPED[name]?.known ?? name)));
  find("language-rows").replaceChildren(
    ...rows.map((language) => element("tr", "", labelOf(language), ...ratios(language.tokens).map((ratio) => barCell(ratio, most)))),
  );
}

/**
 * Make the head of a column.
 * @param {string} text
 * @returns {HTMLElement}
 */
function headOf(text) {
  const head = element("th", "", text);
  head.setAttribute("scope", "col");
  return head;
}
