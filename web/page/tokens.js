// One panel of tokens: inline spans side by side, so that the browser shapes the text as if there were none; a listbox with
// roving focus, so that every token can be reached by keyboard. A token that begins or ends inside a syllable is set apart: there
// the shaping is broken on purpose, since that is what the tokenizer did. What is left of it, marks or bytes, keeps the direction
// of its script (the style sheet puts a mark of that direction around it), so that lines of Hebrew and Arabic stay in order.

import { hexOf } from "./format.js";

/** @typedef {import("./describe.js").Token} Token */

const INVISIBLE = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{FE00}-\u{FE0F}]+$/u;
const RIGHT_TO_LEFT = /^[^\p{L}]*?[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const LEFT_TO_RIGHT = /[\p{L}\p{M}]/u;
const NAMES = new Map([
  [0x200d, "ZWJ"],
  [0x200c, "ZWNJ"],
  [0xfeff, "BOM"],
  [0x9, "TAB"],
]);

/** What is shown for a character that cannot be seen. @param {string} character */
export function nameOf(character) {
  const code = character.codePointAt(0) ?? 0;
  return NAMES.get(code) ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** @param {Token} token */
export const bytesOf = (token) => token.bytes ?? new TextEncoder().encode(token.text);

/**
 * @param {string} tag
 * @param {string} className
 * @param {...(string | Node)} children
 */
export function element(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

/**
 * Whole characters as text and the bytes of broken ones in hexadecimal.
 * @param {Uint8Array} bytes of a token of well-formed text: only its ends can be broken
 * @returns {(string | Node)[]}
 */
function splitParts(bytes) {
  let start = 0;
  while (start < bytes.length && (bytes[start] & 0xc0) === 0x80) start++;
  let end = bytes.length;
  let lead = end - 1;
  while (lead > start && (bytes[lead] & 0xc0) === 0x80) lead--;
  const size = bytes[lead] >= 0xf0 ? 4 : bytes[lead] >= 0xe0 ? 3 : bytes[lead] >= 0xc0 ? 2 : 1;
  if (lead >= start && lead + size > end) end = lead;
  const chips = (/** @type {Uint8Array} */ part) => (part.length ? [chip(hexOf(part))] : []);
  return [
    ...chips(bytes.subarray(0, start)),
    new TextDecoder().decode(bytes.subarray(start, end)),
    ...chips(bytes.subarray(Math.max(end, start))),
  ];
}

/** With a direction of its own, so that its letters and digits do not count in that of the line. @param {string} text */
function chip(text) {
  const node = element("span", "chip", text);
  node.dir = "ltr";
  return node;
}

/**
 * What stands in a token's span.
 * @param {Token} token
 * @returns {(string | Node)[]}
 */
export function visible(token) {
  if (token.bytes) {
    return splitParts(token.bytes);
  }
  if (/[\r\n]/.test(token.text)) {
    return token.text
      .split(/(\r\n|\r|\n)/)
      .flatMap((part) => (/[\r\n]/.test(part) ? [element("span", "newline", "↵"), "\n"] : [part]));
  }
  if (INVISIBLE.test(token.text)) {
    return [chip(Array.from(token.text, nameOf).join(" "))];
  }
  return [token.text];
}

/** @param {Token} a @param {Token} b */
const same = (a, b) =>
  a.id === b.id &&
  a.kind === b.kind &&
  a.text === b.text &&
  a.tornStart === b.tornStart &&
  a.tornEnd === b.tornEnd;

/** @param {Token[]} a @param {Token[]} b */
const sameLine = (a, b) => a.length === b.length && a.every((token, i) => same(token, b[i]));

/**
 * How many elements two lists have in common at the head, and behind it at the tail.
 * @template T
 * @param {T[]} a @param {T[]} b
 * @param {(a: T, b: T) => boolean} equal
 */
function common(a, b, equal) {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && equal(a[head], b[head])) head++;
  let tail = 0;
  while (tail < most - head && equal(a[a.length - 1 - tail], b[b.length - 1 - tail])) tail++;
  return { head, tail };
}

/** Tokens by the lines they stand in, so that the browser lays out only a line that changed. @param {Token[]} tokens */
function linesOf(tokens) {
  /** @type {Token[][]} */
  const lines = [];
  let open = false;
  for (const token of tokens) {
    if (!open) lines.push([]);
    lines[lines.length - 1].push(token);
    open = !token.text.endsWith("\n");
  }
  return lines;
}

/** Shows tokens in a box and tells which one is looked at and which one chosen. */
export class TokenPanel {
  /** @type {Token[][]} */
  #lines = [];
  /** @type {WeakMap<Element, Token>} */
  #tokens = new WeakMap();
  #box;
  #look;
  #choose;

  /**
   * @param {HTMLElement} box
   * @param {(token: Token | undefined, span: HTMLElement | undefined) => void} look called as tokens are pointed at or focused
   * @param {(token: Token) => void} choose called as one is clicked, or Enter is pressed on it
   */
  constructor(box, look, choose) {
    this.#box = box;
    this.#look = look;
    this.#choose = choose;
    box.addEventListener("pointerover", (event) => this.#lookAt(event.target));
    box.addEventListener("pointerleave", () => this.#lookAt(document.activeElement));
    box.addEventListener("focusin", (event) => this.#lookAt(event.target));
    box.addEventListener("focusout", () => look(undefined, undefined));
    box.addEventListener("click", (event) => this.#click(spanAt(event.target)));
    box.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show these tokens; lines and spans that stay the same are left alone. @param {Token[]} tokens */
  show(tokens) {
    const lines = linesOf(tokens);
    const { head, tail } = common(this.#lines, lines, sameLine);
    const gone = this.#lines.slice(head, this.#lines.length - tail);
    const fresh = lines.slice(head, lines.length - tail);
    if (gone.length === 1 && fresh.length === 1) this.#change(this.#box.children[head], gone[0], fresh[0]);
    else this.#replace(head, gone.length, fresh);
    this.#lines = lines;
    this.#box.hidden = tokens.length === 0;
    // An empty listbox is an error to a screen reader.
    if (tokens.length > 0) this.#box.setAttribute("role", "listbox");
    else this.#box.removeAttribute("role");
    const spans = /** @type {NodeListOf<HTMLElement>} */ (this.#box.querySelectorAll(".token"));
    if (spans.length > 0 && !this.#box.querySelector('[tabindex="0"]')) spans[0].tabIndex = 0;
    tokens.forEach((token, i) => this.#tokens.set(spans[i], token)); // places have moved
  }

  /** @param {number} head @param {number} gone lines @param {Token[][]} fresh */
  #replace(head, gone, fresh) {
    for (let i = 0; i < gone; i++) this.#box.children[head].remove();
    const part = document.createDocumentFragment();
    for (const tokens of fresh) {
      const line = element("div", "line", ...tokens.map(spanOf));
      line.setAttribute("role", "none");
      line.dir = "auto";
      part.append(line);
    }
    this.#box.insertBefore(part, this.#box.children[head] ?? null);
  }

  /** @param {Element} line @param {Token[]} old @param {Token[]} tokens */
  #change(line, old, tokens) {
    const { head, tail } = common(old, tokens, same);
    for (let i = head; i < old.length - tail; i++) line.children[head].remove();
    const part = document.createDocumentFragment();
    part.append(...tokens.slice(head, tokens.length - tail).map(spanOf));
    line.insertBefore(part, line.children[head] ?? null);
  }

  /** @param {EventTarget | null} target */
  #lookAt(target) {
    const span = spanAt(target);
    this.#look(span && this.#tokens.get(span), span);
  }

  /** Make a token the one that Tab leads to. @param {HTMLElement | undefined} span */
  #focus(span) {
    if (!span) return;
    for (const other of this.#box.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
    span.tabIndex = 0;
    span.focus();
  }

  /** A finger cannot point, so it only looks; the card has a button for more. @param {HTMLElement | undefined} span */
  #click(span) {
    const selection = getSelection();
    if (!span || (selection && !selection.isCollapsed && this.#box.contains(selection.anchorNode))) return; // it is to be copied
    if (cannotPoint.matches) this.#focus(span);
    else this.#pick(span);
  }

  /** @param {HTMLElement} span */
  #pick(span) {
    this.#focus(span);
    for (const other of document.querySelectorAll('.token[aria-selected="true"]')) other.setAttribute("aria-selected", "false");
    span.setAttribute("aria-selected", "true");
    const token = this.#tokens.get(span);
    if (token) this.#choose(token);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const span = spanAt(event.target);
    if (!span || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") return this.#look(undefined, undefined);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.#pick(span);
    }
    const spans = /** @type {HTMLElement[]} */ ([...this.#box.querySelectorAll(".token")]);
    const at = spans.indexOf(span);
    // Of the first line, since an arrow that means another way in the next line leads back and forth.
    const right = getComputedStyle(this.#box.children[0]).direction === "rtl" ? -1 : 1;
    /** @type {Record<string, () => number>} */
    const moves = {
      ArrowRight: () => at + right,
      ArrowLeft: () => at - right,
      ArrowDown: () => below(spans, at, 1),
      ArrowUp: () => below(spans, at, -1),
      Home: () => 0,
      End: () => spans.length - 1,
    };
    const to = moves[event.key]?.();
    if (to === undefined) return;
    event.preventDefault();
    this.#focus(spans[Math.max(0, Math.min(to, spans.length - 1))]);
  }
}

/** Whether there are only fingers, and nothing that hovers. */
export const cannotPoint = matchMedia("(hover: none)");

/** @param {EventTarget | null} target @returns {HTMLElement | undefined} */
function spanAt(target) {
  return /** @type {HTMLElement | undefined} */ (target instanceof Element ? (target.closest(".token") ?? undefined) : undefined);
}

/** The token nearest below (step 1) or above (step -1) token `at`. @param {HTMLElement[]} spans @param {number} at @param {number} step */
function below(spans, at, step) {
  const here = spans[at].getClientRects()[0];
  let best = at;
  let nearest = Infinity;
  let line;
  for (let i = at + step; spans[i]; i += step) {
    const rect = spans[i].getClientRects()[0];
    if (!rect || Math.abs(rect.top - here.top) < here.height / 2) continue;
    line ??= rect.top;
    if (Math.abs(rect.top - line) > here.height / 2) break;
    const distance = Math.abs(rect.left - here.left);
    if (distance < nearest) [best, nearest] = [i, distance];
  }
  return best;
}

/** What every token's span is a copy of: cheaper than setting each attribute thousands of times. */
const BLANK = element("span", "token");
for (const [name, value] of [
  ["role", "option"],
  ["aria-selected", "false"],
  ["aria-describedby", "card"],
  ["tabindex", "-1"],
]) {
  BLANK.setAttribute(name, value);
}

/** The direction of its script, if it has one. @param {string} text @returns {string[]} */
const directionOf = (text) => (RIGHT_TO_LEFT.test(text) ? ["rtl"] : LEFT_TO_RIGHT.test(text) ? ["ltr"] : []);

/** @param {Token} token */
function spanOf(token) {
  const span = /** @type {HTMLElement} */ (BLANK.cloneNode());
  span.className = `token ${token.kind}${token.tornStart ? " torn-start" : ""}${token.tornEnd ? " torn-end" : ""}`;
  if (token.tornStart || token.tornEnd) span.classList.add("torn", ...directionOf(token.text));
  span.append(...visible(token));
  // White space alone is no name to a screen reader.
  if (span.textContent?.trim() === "") span.setAttribute("aria-label", token.text.length === 1 ? "space" : `${token.text.length} spaces`);
  return span;
}
