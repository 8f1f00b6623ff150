// The rows of tokens, one below the other: the same text, cut by each tokenizer. Pointing at a token, or moving to it with the
// arrow keys, marks its characters in all rows.

import { count, tokens as tokensOf } from "./format.js";
import { lineHTML, linesOf } from "./markup.js";
import { cutsIn } from "./pieces.js";

/** @typedef {import("../tokens.js").Block} Block */
/** @typedef {import("./markup.js").View} View */
/** @typedef {{ block: Block, at: number }} Place of a token: the block, and where in the block's tokens of the row */
/** @typedef {{ box: HTMLElement, note: HTMLElement, lines: string[], places: Place[], focus: number }} Row `focus`: the token the arrow keys are at */

const MARK = "looked-at";
/** The selector of the elements of a row that stand for a token. */
const TOKENS = ".token, .knives > i";

export class Rows {
  /** @type {Row[]} */
  #rows;
  /** @type {Block[]} */
  #blocks = [];
  /** @type {View} */
  #view = "text";
  #look;

  /**
   * @param {{ box: HTMLElement, note: HTMLElement }[]} rows
   * @param {(found: { row: number, place: Place, element: Element, byKey: boolean } | undefined) => void} look called when a token, or
   *   none, becomes the current one
   */
  constructor(rows, look) {
    this.#look = look;
    this.#rows = rows.map(({ box, note }) => ({ box, note, lines: [box.innerHTML], places: [], focus: 0 }));
    this.#rows.forEach(({ box }, row) => {
      const at = (/** @type {Event} */ event) => this.#elements(row).indexOf(/** @type {Element} */ (event.target).closest(TOKENS) ?? box);
      box.addEventListener("pointerover", (event) => this.#lookAt(row, at(event)));
      box.addEventListener("pointerleave", () => this.#lookAt(row, -1));
      box.addEventListener("click", (event) => {
        if (at(event) < 0) return;
        this.#rows[row].focus = at(event);
        this.#lookAt(row, at(event));
      });
      box.addEventListener("blur", () => this.#lookAt(row, -1));
      box.addEventListener("focus", () => box.matches(":focus-visible") && this.#lookAt(row, this.#rows[row].focus, true));
      box.addEventListener("keydown", (event) => this.#key(row, event));
    });
  }

  /**
   * Show the tokens of blocks in all rows; no token is the current one then.
   * @param {Block[]} blocks
   * @param {View} view
   * @param {string} where "" if this is the whole text
   */
  show(blocks, view, where) {
    this.#lookAt(0, -1);
    this.#blocks = blocks;
    this.#view = view;
    this.#rows.forEach((row, i) => {
      /** @type {string[]} */
      const lines = [];
      row.places = [];
      row.focus = 0;
      for (const block of blocks) {
        const tokens = block.rows[i];
        if (!tokens) continue;
        const { html, owners } = linesOf(block, tokens, view);
        if (block.role) lines.push(marksHTML(block === blocks[0], block.role));
        lines.push(...html.filter(Boolean).map((line) => lineHTML(line, view)));
        row.places.push(...owners.map((at) => ({ block, at })));
      }
      if (lines.length > 0 && blocks[0].role) lines.push(marksHTML(false, "assistant"));
      put(row.box, row.lines, lines);
      row.lines = lines;
      row.box.hidden = lines.length === 0;
      row.note.textContent = row.places.length > 0 ? cutsIn(blocks, i) + where : "";
    });
  }

  /**
   * Return the elements of a row that stand for tokens, in order.
   * @param {number} row
   * @returns {Element[]}
   */
  #elements(row) {
    return [...this.#rows[row].box.querySelectorAll(TOKENS)];
  }

  /**
   * Make a token the current one: mark its characters in all rows, and tell of it.
   * @param {number} row
   * @param {number} at the index among the row's elements that stand for tokens; -1 for none
   * @param {boolean} [byKey] whether the user moved to it with a key
   */
  #lookAt(row, at, byKey = false) {
    const place = this.#rows[row].places[at];
    CSS.highlights?.delete(MARK);
    for (const marked of document.querySelectorAll(`.${MARK}`)) marked.classList.remove(MARK);
    if (!place) return this.#look(undefined);
    const { start, end } = tokenAt(place, row);
    if (this.#view === "text") this.#markText(place.block, start, end);
    else this.#markTokens(place.block, start, end);
    const element = this.#elements(row)[at];
    element.classList.add(MARK);
    this.#look({ row, place, element, byKey });
  }

  /**
   * Mark characters of a block in all rows that show text; a browser without highlights marks none.
   * @param {Block} block
   * @param {number} start in UTF-16 units of the block
   * @param {number} end in UTF-16 units of the block
   */
  #markText(block, start, end) {
    if (!CSS.highlights) return; // an older browser shows the token alone
    const before = this.#blocks.slice(0, this.#blocks.indexOf(block)).reduce((sum, { text }) => sum + text.length, 0);
    const ranges = this.#rows.flatMap(({ box, lines }) => (lines.length > 0 ? [rangeIn(box, before + start, before + end)] : []));
    CSS.highlights.set(MARK, new Highlight(...ranges));
  }

  /**
   * Mark the tokens of all rows that have any of some characters of a block, and unmark all others.
   * @param {Block} block
   * @param {number} start in UTF-16 units of the block
   * @param {number} end in UTF-16 units of the block
   */
  #markTokens(block, start, end) {
    this.#rows.forEach(({ places }, row) => {
      this.#elements(row).forEach((element, i) => {
        const other = tokenAt(places[i], row);
        element.classList.toggle(MARK, places[i].block === block && other.start < end && other.end > start);
      });
    });
  }

  /**
   * Move to another token of a row with an arrow key, Home or End; Escape leaves it.
   * @param {number} row
   * @param {KeyboardEvent} event
   */
  #key(row, event) {
    const { box, places } = this.#rows[row];
    if (event.altKey || event.ctrlKey || event.metaKey || places.length === 0) return;
    if (event.key === "Escape") return this.#lookAt(row, -1);
    // The direction of the first line, because arrows that change their direction in the next line would lead back and forth.
    const right = getComputedStyle(box.firstElementChild ?? box).direction === "rtl" ? -1 : 1;
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: right, ArrowLeft: -right, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    let to = this.#rows[row].focus + steps[event.key];
    // A token that is partly in a cut syllable has several elements, which follow one another.
    const isHere = (/** @type {number} */ i) => places[i]?.at === places[this.#rows[row].focus].at && places[i]?.block === places[this.#rows[row].focus].block;
    while (isHere(to)) to += Math.sign(steps[event.key]);
    const at = Math.max(0, Math.min(to, places.length - 1));
    this.#rows[row].focus = at;
    this.#elements(row)[at].scrollIntoView({ block: "nearest" });
    this.#lookAt(row, at, true);
  }
}

/**
 * Return the line of HTML that shows the special tokens before a message of a chat, and its role, which is a token, too. The style sheet
 * shows them: they are no text of the user's.
 * @param {boolean} isFirst whether no other message ends before it
 * @param {string} role
 */
const marksHTML = (isFirst, role) => `<p class="role" data-role="${isFirst ? "" : "&lt;|im_end|&gt;"}&lt;|im_start|&gt;${role}&lt;|im_sep|&gt;"></p>`;

/**
 * Return the token at a place of a row; there must be one.
 * @param {Place} place
 * @param {number} row
 * @returns {import("./pieces.js").Token}
 */
export const tokenAt = ({ block, at }, row) => /** @type {import("./pieces.js").Token[]} */ (block.rows[row])[at];

/**
 * Put lines into a box, and leave unchanged lines at its beginning and end alone.
 * @param {HTMLElement} box
 * @param {string[]} old the lines that it has, as HTML
 * @param {string[]} lines as HTML, an element each
 */
function put(box, old, lines) {
  if (old.length === 1 && box.innerHTML === lines.join("")) return; // what index.html came with
  if (old.length !== box.children.length) box.replaceChildren();
  const kept = box.children.length === 0 ? [] : old;
  const most = Math.min(kept.length, lines.length);
  let head = 0;
  while (head < most && kept[head] === lines[head]) head++;
  let tail = 0;
  while (tail < most - head && kept[kept.length - 1 - tail] === lines[lines.length - 1 - tail]) tail++;
  for (let i = head; i < kept.length - tail; i++) box.children[head].remove();
  const fresh = lines.slice(head, lines.length - tail).join("");
  if (head < box.children.length) box.children[head].insertAdjacentHTML("beforebegin", fresh);
  else box.insertAdjacentHTML("beforeend", fresh);
}

/**
 * Return the range of the characters of a box from one place to another, in UTF-16 units.
 * @param {Element} box
 * @param {number} start
 * @param {number} end
 * @returns {Range}
 */
function rangeIn(box, start, end) {
  const range = new Range();
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  let before = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { length } = /** @type {Text} */ (node);
    if (before <= start && start < before + length) range.setStart(node, start - before);
    before += length;
    if (end <= before) {
      range.setEnd(node, length - (before - end));
      break;
    }
  }
  return range;
}

/**
 * Return the description of a token for screen readers.
 * @param {Place} place
 * @param {number} row
 * @returns {string}
 */
export function spoken(place, row) {
  const { block, at } = place;
  const { id, start, end } = tokenAt(place, row);
  return `${block.text.slice(start, end).trim() || "space"}, token ${count(at + 1)} of ${tokensOf(block.rows[row]?.length ?? 0)}, id ${id}`;
}
