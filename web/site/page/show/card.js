// The card with the details of the current token: next to it, or at the bottom of a narrow screen (see the style sheet).

import { element } from "./element.js";
import { counted, hexOf } from "./format.js";
import { bytesOf, visible } from "./markup.js";
import { cutsOf } from "./pieces.js";
import { tokenAt } from "./rows.js";

/** @typedef {import("./rows.js").Place} Place */

const KINDS = { base: "of the base vocabulary", syllables: "whole syllables", fallback: "of the base vocabulary, for a rare syllable" };
const SYMBOL = 0xf5; // the least first byte of a symbol of SCRIPT, two bytes long; no text has it
const GAP = 8; // CSS pixels between token and card, and card and edge

/**
 * Return the lines of the card for a token: a name and a value each. "Cuts" is there only if the token cuts something.
 * @param {Place} place
 * @param {number} row
 * @returns {[string, string | Node][]}
 */
function facts(place, row) {
  const { block } = place;
  const token = tokenAt(place, row);
  const bytes = bytesOf(token, block);
  const cuts = cutsOf(block.rows[row] ?? [], block.places).filter(([from, to]) => from < token.end && to > token.start);
  const texts = cuts.map(([from, to]) => block.text.slice(from, to)).join(" and ");
  return [
    ["Id", String(token.id)],
    [bytes[0] >= SYMBOL ? counted(bytes.length / 2, "symbol") : counted(bytes.length, "byte"), element("code", "", hexOf(bytes))],
    ["Kind", KINDS[token.kind]],
    ...(cuts.length > 0 ? /** @type {[string, string][]} */ ([["Cuts", texts]]) : []),
  ];
}

export class Card {
  #node;

  /** @param {HTMLElement} node */
  constructor(node) {
    this.#node = node;
    // Beside a token that has moved away it would tell of another.
    addEventListener("scroll", () => (node.hidden = true), { capture: true, passive: true });
  }

  /** Hide the card. */
  hide() {
    this.#node.hidden = true;
  }

  /**
   * Show the card for a token, next to its element.
   * @param {Place} place
   * @param {number} row
   * @param {Element} token the element beside which it stands
   */
  show(place, row, token) {
    const { start, end } = tokenAt(place, row);
    const face = element("p", "face");
    face.dir = "auto";
    face.innerHTML = visible(place.block.text.slice(start, end));
    const list = element("dl", "");
    for (const [name, value] of facts(place, row)) list.append(element("dt", "", name), element("dd", "", value));
    this.#node.replaceChildren(face, list);
    this.#node.hidden = false;
    this.#place(token.getClientRects()[0]);
  }

  /**
   * Place the card below the token, or beside it if there is no room, so that the other rows stay visible.
   * @param {DOMRect | undefined} token
   */
  #place(token) {
    if (!token) return;
    const { offsetWidth: width, offsetHeight: height } = this.#node;
    const edge = document.documentElement.clientWidth - width - GAP;
    const below = token.bottom + GAP + height <= innerHeight;
    const beside = token.right + GAP <= edge ? token.right + GAP : token.left - GAP - width;
    const left = Math.max(GAP, Math.min(below ? token.left : beside, edge));
    const top = below ? token.bottom + GAP : Math.max(GAP, innerHeight - GAP - height);
    this.#node.style.setProperty("--left", `${left}px`);
    this.#node.style.setProperty("--top", `${top}px`);
  }
}
