// The card with the details of the token that is pointed at or focused.

import { bytesOf, element, hexOf, visible } from "./tokens.js";

const KINDS = {
  base: "Base BPE",
  sgpe: "Whole syllables",
  spelled: "Part of a spelled-out syllable",
};
const GAP = 8; // CSS pixels between token and card, and card and edge

/** @param {import("./describe.js").Token} token @returns {[string, string | Node][]} */
function rows(token) {
  const bytes = bytesOf(token);
  /** @type {[string, string | Node][]} */
  const shown = [
    ["Id", String(token.id)],
    ["Kind", token.kind === "base" ? KINDS.base : `${KINDS[token.kind]}, ${token.route}`],
    [bytes.length === 1 ? "1 byte" : `${bytes.length} bytes`, element("code", "", hexOf(bytes))],
  ];
  if (token.bytes) {
    shown.push(["Cuts", `a character: ${token.text.trim()}`]);
  } else if (token.tornStart || token.tornEnd) {
    shown.push(["Cuts", "a syllable"]);
  }
  if (token.units.length > 0) {
    const units = token.units.map((unit) => element("span", "unit", unit.trimStart() || "space"));
    const name = token.kind === "spelled" ? "Spells" : units.length === 1 ? "Syllable" : "Syllables";
    shown.push([name, element("span", "units-of", ...units)]);
  }
  return shown;
}

/** One card for the page, beside the token; on a narrow screen at its foot (see the style sheet). */
export class Card {
  #node;
  /** @type {HTMLElement | undefined} */
  #span;

  /** @param {HTMLElement} node */
  constructor(node) {
    this.#node = node;
    addEventListener("scroll", () => this.#place(), { capture: true, passive: true });
  }

  /**
   * @param {import("./describe.js").Token | undefined} token none: hide the card
   * @param {HTMLElement | undefined} span
   */
  show(token, span) {
    this.#span?.classList.remove("looked-at");
    this.#span = span;
    this.#node.hidden = !token;
    if (!token || !span) return;
    span.classList.add("looked-at");
    const facts = element("dl", "");
    for (const [name, value] of rows(token)) {
      facts.append(element("dt", "", name), element("dd", "", value));
    }
    this.#node.replaceChildren(element("p", `face ${token.kind}`, ...visible(token)), facts);
    this.#place();
  }

  /** Below the token, or above it where there is no room. */
  #place() {
    const token = this.#span?.getClientRects()[0];
    if (!token) return;
    const { offsetWidth: width, offsetHeight: height } = this.#node;
    const left = Math.max(GAP, Math.min(token.left, document.documentElement.clientWidth - width - GAP));
    const below = token.bottom + GAP;
    const top = below + height > innerHeight - GAP ? Math.max(GAP, token.top - GAP - height) : below;
    this.#node.style.setProperty("--left", `${left}px`);
    this.#node.style.setProperty("--top", `${top}px`);
  }
}
