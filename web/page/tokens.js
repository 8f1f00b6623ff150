// One panel of tokens: inline spans side by side, so that the browser shapes the text as if there were none; a listbox with
// roving focus, so that every token can be reached by keyboard.

/** @typedef {import("./describe.js").Token} Token */

const INVISIBLE = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{FE00}-\u{FE0F}]+$/u;
const NAMES = new Map([
  [0x200d, "ZWJ"],
  [0x200c, "ZWNJ"],
  [0xfeff, "BOM"],
  [0x9, "TAB"],
]);

/** @param {Uint8Array} bytes */
export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");

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
  const chip = (/** @type {Uint8Array} */ part) => (part.length ? [element("span", "chip", hexOf(part))] : []);
  return [
    ...chip(bytes.subarray(0, start)),
    new TextDecoder().decode(bytes.subarray(start, end)),
    ...chip(bytes.subarray(Math.max(end, start))),
  ];
}

/**
 * What stands in a token's span.
 * @param {Token} token
 * @returns {(string | Node)[]}
 */
export function visible(token) {
  if (token.split) {
    return splitParts(token.bytes);
  }
  if (/[\r\n]/.test(token.text)) {
    return token.text
      .split(/(\r\n|\r|\n)/)
      .flatMap((part) => (/[\r\n]/.test(part) ? [element("span", "newline", "↵"), "\n"] : [part]));
  }
  if (INVISIBLE.test(token.text)) {
    const names = Array.from(token.text, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return NAMES.get(code) ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    });
    return [element("span", "chip", names.join(" "))];
  }
  return [token.text];
}

/** @param {Token} a @param {Token} b */
const same = (a, b) => a.id === b.id && a.kind === b.kind && a.text === b.text;

/** Shows tokens in a box and tells which one is looked at. */
export class TokenPanel {
  /** @type {Token[]} */
  #tokens = [];
  /** @type {HTMLElement[]} */
  #spans = [];
  #box;
  #look;

  /**
   * @param {HTMLElement} box
   * @param {(token: Token | undefined, span: HTMLElement | undefined) => void} look called as tokens are pointed at or focused
   */
  constructor(box, look) {
    this.#box = box;
    this.#look = look;
    box.addEventListener("pointerover", (event) => this.#lookAt(event.target));
    box.addEventListener("pointerleave", () => this.#lookAt(document.activeElement));
    box.addEventListener("focusin", (event) => this.#lookAt(event.target));
    box.addEventListener("focusout", () => look(undefined, undefined));
    box.addEventListener("click", (event) => this.#focus(this.#indexOf(event.target)));
    box.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show these tokens; spans that stay the same at both ends are left alone. @param {Token[]} tokens */
  show(tokens) {
    const old = this.#tokens;
    const most = Math.min(old.length, tokens.length);
    let head = 0;
    while (head < most && same(old[head], tokens[head])) head++;
    let tail = 0;
    while (tail < most - head && same(old[old.length - 1 - tail], tokens[tokens.length - 1 - tail])) tail++;
    const fresh = tokens.slice(head, tokens.length - tail).map(spanOf);
    const gone = this.#spans.splice(head, old.length - tail - head, ...fresh);
    for (const span of gone) span.remove();
    const part = document.createDocumentFragment();
    part.append(...fresh);
    this.#box.insertBefore(part, this.#spans[head + fresh.length] ?? null);
    this.#tokens = tokens;
    this.#shade(head);
    if (!this.#box.querySelector('[tabindex="0"]')) this.#spans[0]?.setAttribute("tabindex", "0");
  }

  /** Neighbours of one kind take turns between two shades. @param {number} from */
  #shade(from) {
    for (let i = from; i < this.#spans.length; i++) {
      const shade = i % 2 === 0 ? "a" : "b";
      if (this.#spans[i].dataset.shade === shade) continue;
      this.#spans[i].dataset.shade = shade;
    }
  }

  /** @param {EventTarget | null} target */
  #indexOf(target) {
    const span = target instanceof Element ? target.closest(".token") : null;
    return span ? this.#spans.indexOf(/** @type {HTMLElement} */ (span)) : -1;
  }

  /** @param {EventTarget | null} target */
  #lookAt(target) {
    const i = this.#indexOf(target);
    this.#look(this.#tokens[i], this.#spans[i]);
  }

  /** @param {number} index */
  #focus(index) {
    const span = this.#spans[index];
    if (!span) return;
    for (const other of this.#box.querySelectorAll('[tabindex="0"]')) {
      other.setAttribute("tabindex", "-1");
      other.setAttribute("aria-selected", "false");
    }
    span.tabIndex = 0;
    span.setAttribute("aria-selected", "true");
    span.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const at = this.#indexOf(event.target);
    if (at < 0) return;
    if (event.key === "Escape") return this.#look(undefined, undefined);
    const to = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: this.#below(at, 1),
      ArrowUp: this.#below(at, -1),
      Home: 0,
      End: this.#spans.length - 1,
    }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#focus(Math.max(0, Math.min(to, this.#spans.length - 1)));
  }

  /** The token nearest below (step 1) or above (step -1) token `at`. @param {number} at @param {number} step */
  #below(at, step) {
    const here = this.#spans[at].getClientRects()[0];
    let best = at;
    let line = 0;
    for (let i = at + step; this.#spans[i]; i += step) {
      const rect = this.#spans[i].getClientRects()[0];
      if (!rect || Math.abs(rect.top - here.top) < here.height / 2) continue;
      line ||= rect.top;
      if (Math.abs(rect.top - line) > here.height / 2) break;
      if (
        best === at ||
        Math.abs(rect.left - here.left) < Math.abs(this.#spans[best].getClientRects()[0].left - here.left)
      )
        best = i;
    }
    return best;
  }
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

/** @param {Token} token */
function spanOf(token) {
  const span = /** @type {HTMLElement} */ (BLANK.cloneNode());
  span.classList.add(token.kind);
  span.append(...visible(token));
  return span;
}
