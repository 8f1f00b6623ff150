// Token premium: the tokens of a sentence as a multiple of what it needs in English, with the same tokenizer.

import { times } from "./format.js";
import { PARALLEL } from "./parallel.js";
import { element } from "./tokens.js";

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);

/** @param {{ name: string, premium: number[] }[]} opened both tokenizers; `premium`: tokens per language */
export function showPremium(opened) {
  const ratios = opened.map(({ premium }) => premium.map((tokens) => tokens / premium[0]));
  const most = Math.max(...ratios.flat());
  opened.forEach(({ name }, i) => (find(`premium-${"ab"[i]}`).textContent = name));
  find("premium").replaceChildren(
    ...PARALLEL.map(({ lang, name, own }, i) => {
      const label = element("th", "", element("span", "", own), name === own ? "" : element("small", "", name));
      label.setAttribute("scope", "row");
      label.children[0].setAttribute("lang", lang);
      return element("tr", "", label, ...ratios.map((each, side) => barCell(each[i], most, side)));
    }),
  );
  const sinhala = PARALLEL.findIndex(({ lang }) => lang === "si");
  find("premium-summary").textContent =
    `In Sinhala they take ${opened.map(({ name }, i) => `${times(ratios[i][sinhala])} times as many with ${name}`).join(", ")}.`;
}

/** @param {number} ratio @param {number} most @param {number} side */
function barCell(ratio, most, side) {
  const bar = element("span", side === 0 ? "bar ours" : "bar");
  bar.setAttribute("aria-hidden", "true");
  bar.style.setProperty("--share", String(ratio / most));
  return element("td", "", element("span", "measure", bar, element("span", "value", times(ratio))));
}

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
