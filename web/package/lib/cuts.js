// Where a text may be cut so that the tokens of its parts are the tokens of the whole, whatever comes after it.
//
// The answer is the artifact's own: it follows from the automata (FORMAT.md, sections 3 to 5 and 9), for whatever scripts and
// pretokenizers they were compiled from. A place between the characters a and b, with c behind b, is safe if, from every state
// that the router can be in after a,
//   - it ends a segment before b; or
//   - after b and c it stands where it would stand had the text begun with b, in a segment of a base route, and the scanner of
//     that route ends a piece before b from every state that it can be in after a;
// and if router and scanner, where the text ends instead, end the same segment and a piece there. Then what is left of the place is
// read the same whether the text ends there or goes on, and what is right of it as if it were all. With superwords, phrases must not
// be cut either: no place between an SGPE segment and a space.
//
// Only classes of characters count, so each triple of classes is decided once.

import { readScanners } from "./artifact.js";

/** @typedef {import("./artifact.js").Automaton} Automaton */

const START = 1;
const SPACE = 0x20;
/** What a lone surrogate becomes. */
const REPLACEMENT = 0xfffd;

export class Cuts {
  #classOf;
  #nClasses;
  /** @type {Walks | null} */
  #router;
  /** Of each route: its scanner, or null where it is SGPE's, or has no such one. @type {(Walks | null)[]} */
  #scanners;
  #superwords;
  /** By triple of classes: 1 safe, 2 not, 0 not asked yet. */
  #known;

  /** @param {Uint8Array} blob a file that the core has opened */
  constructor(blob) {
    const { classOf, nClasses, automata, router, routes, superwords } = readScanners(blob);
    this.#classOf = classOf;
    this.#nClasses = nClasses;
    this.#router = router === null ? null : new Walks(automata[router]);
    this.#scanners = routes.map(({ sgpe, scanner }) => (sgpe || scanner === null ? null : new Walks(automata[scanner])));
    this.#superwords = superwords;
    this.#known = new Uint8Array(nClasses ** 3);
  }

  /**
   * The last safe place at or before `to`, looked for from the end.
   * @param {Uint8Array | string} text UTF-8 or a string; nothing beyond it is known
   * @param {number} from the place must be after it
   * @param {number} to
   * @param {(place: number) => boolean} [refused] places that are out of question for another reason
   * @returns {number} in bytes or UTF-16 units; `from` where there is none
   */
  last(text, from, to, refused) {
    /** @type {{ at: (text: any, at: number) => number, before: (text: any, at: number) => number, length: (c: number) => number }} */
    const { at, before, length } = typeof text === "string" ? UTF16 : UTF8;
    let [b, c] = [-1, -1];
    for (let place = to; place > from;) {
      if (b < 0) {
        b = at(text, place);
        c = b < 0 ? -1 : at(text, place + length(b));
      }
      const a = before(text, place);
      if (a >= 0 && b >= 0 && c >= 0 && this.isSafe(a, b, c) && !refused?.(place)) return place;
      // Each character is read once: a text without places is looked through to its beginning.
      place -= a < 0 ? 1 : length(a);
      c = b;
      b = a;
    }
    return from;
  }

  /** @param {number} a @param {number} b @param {number} c code points */
  isSafe(a, b, c) {
    if (b === SPACE && this.#superwords && !this.#neverSgpe(a)) return false;
    const x = this.#classOf(a);
    const y = this.#classOf(b);
    const z = this.#classOf(c);
    const key = (x * this.#nClasses + y) * this.#nClasses + z;
    if (this.#known[key] === 0) this.#known[key] = this.#areSafe(x, y, z) ? 1 : 2;
    return this.#known[key] === 1;
  }

  /** Whether no segment that ends with this character is of an SGPE route. @param {number} a */
  #neverSgpe(a) {
    const router = this.#router;
    if (router === null) return true;
    const states = router.after(this.#classOf(a));
    return states.every((state) => router.marksFrom(state).every((mark) => this.#scanners[mark - 1] !== null));
  }

  /** @param {number} a @param {number} b @param {number} c classes */
  #areSafe(a, b, c) {
    const router = this.#router;
    if (router === null) return this.#endsPiece(1, a, b);
    const fresh = router.step(START, b);
    const ahead = router.step(fresh.next, c);
    return router.after(a).every((state) => {
      const [first, last] = [router.step(state, b), router.end(state)];
      if (first.next === 0) return first.mark !== 0 && first.mark === last;
      const { mark, next } = router.step(first.next, c);
      const same = next === ahead.next && (mark === ahead.mark || (ahead.mark === 0 && next !== 0));
      const marks = mark === 0 ? [] : [mark];
      if (next !== 0) marks.push(...router.marksFrom(next));
      return same && marks.every((route) => route === last && this.#endsPiece(route, a, b));
    });
  }

  /** Whether the scanner of a route ends a piece between a and b. @param {number} route from 1 @param {number} a @param {number} b */
  #endsPiece(route, a, b) {
    const scanner = this.#scanners[route - 1];
    return (
      scanner !== null &&
      scanner.after(a).every((state) => {
        const { mark, next } = scanner.step(state, b);
        return mark !== 0 && next === 0 && scanner.end(state) !== 0;
      })
    );
  }
}

/** An automaton, and what can be said of all ways through it. */
class Walks {
  #automaton;
  /** @type {number[]} */
  #states;
  /** @type {Map<number, number[]>} */
  #after = new Map();
  /** @type {Map<number, number[]>} */
  #marks = new Map();

  /** @param {Automaton} automaton */
  constructor(automaton) {
    this.#automaton = automaton;
    this.#states = this.#reachable(START);
  }

  /** @param {number} state @param {number} cls */
  step(state, cls) {
    return this.#entry(state, this.#automaton.column[cls]);
  }

  /** The mark where the text ends in this state. @param {number} state */
  end(state) {
    return this.#entry(state, 0).mark;
  }

  /** The states after a character of a class, whatever came before it. @param {number} cls @returns {number[]} */
  after(cls) {
    const known = this.#after.get(cls);
    if (known) return known;
    const states = [...new Set(this.#states.map((state) => this.step(state, cls).next))].filter((next) => next !== 0);
    this.#after.set(cls, states);
    return states;
  }

  /** The marks on all ways from a state. @param {number} state @returns {number[]} */
  marksFrom(state) {
    const known = this.#marks.get(state);
    if (known) return known;
    const marks = new Set();
    for (const each of this.#reachable(state)) {
      for (let column = 0; column < this.#automaton.nColumns; column++) marks.add(this.#entry(each, column).mark);
    }
    marks.delete(0);
    this.#marks.set(state, [...marks]);
    return [...marks];
  }

  /** @param {number} state @param {number} column */
  #entry(state, column) {
    const entry = this.#automaton.table[state * this.#automaton.nColumns + column];
    const next = entry % this.#automaton.nStates;
    return { mark: (entry - next) / this.#automaton.nStates, next };
  }

  /** @param {number} from */
  #reachable(from) {
    const seen = new Set([from]);
    for (const state of seen) {
      for (let column = 1; column < this.#automaton.nColumns; column++) {
        const { next } = this.#entry(state, column);
        if (next !== 0) seen.add(next);
      }
    }
    return [...seen];
  }
}

/** @param {number} codePoint */
const utf8Length = (codePoint) => (codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4);

/** @param {number} byte */
const isContinuation = (byte) => (byte & 0xc0) === 0x80;

/** The code point whose well-formed sequence begins at `at`; -1: none, or not all of it is there. @param {Uint8Array} bytes @param {number} at */
function codePointAt(bytes, at) {
  const first = bytes[at];
  if (first < 0x80) return first;
  const more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (!(first >= 0xc2 && first <= 0xf4)) return -1;
  let codePoint = first & (0x3f >> more);
  for (let i = 1; i <= more; i++) {
    if (!isContinuation(bytes[at + i])) return -1;
    codePoint = (codePoint << 6) | (bytes[at + i] & 0x3f);
  }
  const surrogate = codePoint >= 0xd800 && codePoint < 0xe000;
  return codePoint > 0x10ffff || surrogate || utf8Length(codePoint) !== more + 1 ? -1 : codePoint;
}

/** The code point whose well-formed sequence ends at `at`, or -1. @param {Uint8Array} bytes @param {number} at */
function codePointBefore(bytes, at) {
  let start = at - 1;
  while (start > at - 4 && start > 0 && isContinuation(bytes[start])) start--;
  const codePoint = codePointAt(bytes, start);
  return codePoint >= 0 && start + utf8Length(codePoint) === at ? codePoint : -1;
}

/** How characters are read from bytes; -1 is none, or only a part. */
const UTF8 = { at: codePointAt, before: codePointBefore, length: utf8Length };

/** The same from a string, whose lone surrogates become U+FFFD; -1 also for the second half of a pair. */
const UTF16 = {
  /** @param {string} text @param {number} at */
  at(text, at) {
    const unit = text.charCodeAt(at);
    if ((unit & 0xf800) !== 0xd800) return Number.isNaN(unit) ? -1 : unit;
    const other = text.charCodeAt(isLow(unit) ? at - 1 : at + 1);
    if (isLow(unit)) return isHigh(other) ? -1 : REPLACEMENT;
    return isLow(other) ? ((unit & 0x3ff) << 10) + (other & 0x3ff) + 0x10000 : REPLACEMENT;
  },
  /** @param {string} text @param {number} at */
  before(text, at) {
    const pair = UTF16.at(text, at - 2);
    if (pair > 0xffff) return pair;
    const one = UTF16.at(text, at - 1);
    return one > 0xffff ? -1 : one; // within a pair
  },
  /** @param {number} codePoint */
  length: (codePoint) => (codePoint > 0xffff ? 2 : 1),
};

/** @param {number} unit */
const isHigh = (unit) => (unit & 0xfc00) === 0xd800;
/** @param {number} unit */
const isLow = (unit) => (unit & 0xfc00) === 0xdc00;
