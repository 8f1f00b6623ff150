// Which pair makes each token of a BPE: the one of its merges that remains when the token's own text is merged (py/wwho/assemble/bpe.py).

import { mixHash } from "./import-vocabulary.js";

/** @typedef {import("./import-vocabulary.js").Vocabulary} Vocabulary */
/** @typedef {import("./import-vocabulary.js").Merges} Merges */

/** The rank of two tokens that do not merge. */
const NEVER = 0x7fffffff;
/** In place of a place: no merge makes the token as far as was tried, or none does. */
const [UNTRIED, UNMADE] = [-1, -2];

/** The ranks of merges: their places in the list. Of a pair that comes twice, the last place counts. */
class Ranks {
  /** Whether a pair comes twice. */
  haveTwice = false;
  #table;
  #lefts;
  #rights;

  /** @param {Merges} merges */
  constructor({ lefts, rights }) {
    this.#lefts = lefts;
    this.#rights = rights;
    this.#table = new Int32Array(2 ** (33 - Math.clz32(lefts.length)));
    for (let place = 0; place < lefts.length; place++) {
      const slot = this.#slot(lefts[place], rights[place]);
      if (this.#table[slot]) this.haveTwice = true;
      this.#table[slot] = place + 1;
    }
  }

  /**
   * Return the slot of the table where a pair stands, or the empty one where it would stand.
   * @param {number} left the number of the left token
   * @param {number} right that of the right one
   * @returns {number}
   */
  #slot(left, right) {
    const mask = this.#table.length - 1;
    for (let slot = mixHash(Math.imul(left, 0x9e3779b1) ^ right) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#table[slot] - 1;
      if (place < 0 || (this.#lefts[place] === left && this.#rights[place] === right)) return slot;
    }
  }

  /**
   * Return the rank of two tokens, the last place of their pair in the list, or NEVER.
   * @param {number} left the number of the left token
   * @param {number} right that of the right one
   * @returns {number}
   */
  of(left, right) {
    const place = this.#table[this.#slot(left, right)] - 1;
    return place < 0 ? NEVER : place;
  }
}

/**
 * Return for each token the place of the merge that makes it from its own text; a negative number if none does. A token has one such
 * merge at most, whichever others of the list would make its text.
 * @param {Vocabulary} vocabulary of which all 256 bytes are tokens
 * @param {Merges} merges in order of rank
 * @returns {Int32Array} places in the list, by the numbers of tokens
 */
export function livePairs(vocabulary, merges) {
  const { lefts, rights, wholes } = merges;
  const ranks = new Ranks(merges);
  const made = new Int32Array(vocabulary.size).fill(UNTRIED);
  for (let place = 0; place < lefts.length; place++) {
    const left = lefts[place];
    const right = rights[place];
    const whole = wholes[place];
    if (made[whole] >= 0 || !isMade(left) || !isMade(right) || (ranks.haveTwice && ranks.of(left, right) !== place)) continue;
    if (meets(left, right)) made[whole] = place;
  }
  for (let place = 0; place < wholes.length; place++) {
    // A part has a higher rank: longer runs of spaces come first in some files.
    const whole = wholes[place];
    if (made[whole] === UNTRIED) made[whole] = lastMerge(vocabulary, merges, ranks, whole);
  }
  return made;

  /** @param {number} token */
  function isMade(token) {
    return made[token] >= 0 || vocabulary.length(token) === 1;
  }

  /**
   * Return whether two tokens come to stand side by side when their texts are merged: no two of the tokens that meet at the border
   * between them, from the last to the first, merge before one of them merges with its other neighbour.
   * @param {number} left
   * @param {number} right
   */
  function meets(left, right) {
    let [ofLeft, ofRight] = [made[left], made[right]];
    while (ofLeft >= 0 || ofRight >= 0) {
      if (ofRight < ofLeft) {
        const end = ofLeft;
        left = rights[end];
        ofLeft = made[left];
        if (ranks.of(left, right) < end) return false;
      } else {
        const end = ofRight;
        right = lefts[end];
        ofRight = made[right];
        if (ranks.of(left, right) <= end) return false;
      }
    }
    return true;
  }
}

/**
 * Merge the text of a token from its bytes, lowest rank first, then leftmost, and return the place of the merge that completes it; UNMADE
 * if none does. It takes quadratic time.
 * @param {Vocabulary} vocabulary of which all 256 bytes are tokens
 * @param {Merges} merges
 * @param {Ranks} ranks of these merges
 * @param {number} token its number; it has two bytes or more
 * @returns {number}
 */
function lastMerge(vocabulary, { wholes }, ranks, token) {
  const parts = Array.from(vocabulary.text(token).slice(), (byte) => vocabulary.tokenOf([byte]));
  const found = parts.slice(1).map((part, i) => ranks.of(parts[i], part));
  for (;;) {
    let at = 0;
    for (let i = 1; i < found.length; i++) if (found[i] < found[at]) at = i;
    const lowest = found[at];
    if (lowest === NEVER) return UNMADE;
    if (parts.length === 2) return lowest;
    parts.splice(at, 2, wholes[lowest]);
    found.splice(at, 1);
    if (at > 0) found[at - 1] = ranks.of(parts[at - 1], parts[at]);
    if (at < found.length) found[at] = ranks.of(parts[at], parts[at + 1]);
  }
}
