// Token premium: the tokens of a sentence as a multiple of the tokens that it needs in English, with the same tokenizer.

import { PARALLEL } from "../data/parallel.js";
import { element } from "./element.js";
import { times } from "./format.js";

/**
 * Return the element with an id.
 * @param {string} id
 * @returns {any}
 */
const find = (id) => document.getElementById(id);

/**
 * Fill the table of the parallel sentences: the tokens of each language as a multiple of those of the first, English, by row.
 * @param {({ label: string, premium: number[] } | undefined)[]} rows `premium`: tokens of each sentence; undefined: the column has dashes
 */
export function showPremium(rows) {
  const ratios = rows.map((row) => row?.premium.map((tokens) => tokens / row.premium[0]));
  const most = Math.max(...ratios.flatMap((each) => each ?? []));
  rows.forEach((row, i) => (find(`premium-${i}`).textContent = row?.label ?? "–"));
  find("premium").replaceChildren(
    ...PARALLEL.map((language, i) =>
      element("tr", "", labelOf(language), ...ratios.map((each) => (each ? barCell(each[i], most) : element("td", "", "–")))),
    ),
  );
}

/**
 * Make the head of a language's row: its own name, and the English one.
 * @param {{ lang: string, name: string, own: string }} language
 * @returns {HTMLElement}
 */
export function labelOf({ lang, name, own }) {
  const label = element("th", "", element("span", "", own), name === own ? "" : element("small", "", name));
  label.setAttribute("scope", "row");
  label.children[0].setAttribute("lang", lang);
  return label;
}

/**
 * Make a table cell with a number and a bar.
 * @param {number} ratio
 * @param {number} most the ratio of a bar of the full width
 * @returns {HTMLElement}
 */
export function barCell(ratio, most) {
  const bar = element("span", "bar");
  bar.setAttribute("aria-hidden", "true");
  bar.style.setProperty("--share", String(ratio / most));
  return element("td", "", element("span", "measure", bar, element("span", "value", times(ratio))));
}

/** Show the parallel sentences. */
export function showSentences() {
  find("sentences").replaceChildren(
    ...PARALLEL.map(({ lang, name, text }) => {
      const sentence = element("dd", "", text);
      sentence.lang = lang;
      sentence.dir = "auto";
      return element("div", "", element("dt", "", name), sentence);
    }),
  );
}
