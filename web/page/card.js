// The card with the details of the token that is pointed at or focused.

import { hexOf } from "./format.js";
import { bytesOf, cannotPoint, element, visible } from "./tokens.js";

const KINDS = {
  base: "Base BPE",
  sgpe: "Whole syllables",
  spelled: "Part of a spelled-out syllable",
};
const GAP = 8; // CSS pixels between token and card, and card and edge
const NEAR = 160; // CSS pixels from a token to the end of its panel

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
    shown.push(["Cuts", `a ${token.tornStart || token.tornEnd}`]);
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
  #choose;
  /** @type {HTMLElement | undefined} */
  #span;

  /**
   * @param {HTMLElement} node
   * @param {(token: import("./describe.js").Token) => void} choose called by the button, where nothing can point
   */
  constructor(node, choose) {
    this.#node = node;
    this.#choose = choose;
    addEventListener("scroll", () => this.#place(), { capture: true, passive: true });
    node.addEventListener("mousedown", (event) => event.preventDefault()); // the token keeps the focus, and so the card is shown
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
    const face = element("p", `face ${token.kind}`, ...visible(token));
    face.dir = "auto";
    this.#node.replaceChildren(face, facts, ...(cannotPoint.matches ? [this.#button(token)] : []));
    this.#node.setAttribute("role", cannotPoint.matches ? "group" : "tooltip");
    this.#place();
  }

  /** @param {import("./describe.js").Token} token */
  #button(token) {
    const button = element("button", "", "How its syllables are found");
    button.setAttribute("type", "button");
    button.addEventListener("click", () => {
      this.show(undefined, undefined);
      this.#choose(token);
    });
    return button;
  }

  /** Below the whole panel where its end is near: to read on, nothing should be in the way. Else above the token, or below it. */
  #place() {
    const token = this.#span?.getClientRects()[0];
    const panel = this.#span?.closest(".tokens")?.getBoundingClientRect();
    if (!token || !panel) return;
    const { offsetWidth: width, offsetHeight: height } = this.#node;
    const left = Math.max(GAP, Math.min(token.left, document.documentElement.clientWidth - width - GAP));
    const places = [token.top - GAP - height, token.bottom + GAP];
    if (panel.bottom - token.bottom < NEAR) places.unshift(panel.bottom + GAP);
    const top = places.find((place) => place >= GAP && place + height <= innerHeight - GAP) ?? GAP;
    this.#node.style.setProperty("--left", `${left}px`);
    this.#node.style.setProperty("--top", `${top}px`);
  }
}
