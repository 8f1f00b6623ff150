// The count of a text that is being edited: the text is kept in parts between cuts, and only the parts that an edit touches are
// counted again.

const PART = 2048; // UTF-16 units, at least, where there are cuts
/** What decides about a cut reaches this far: one character before it, two behind it, of two units each. */
const BEFORE = 2;
const BEHIND = 4;

/** @typedef {{ length: number, count: number }} Part in UTF-16 units, in tokens */

export class Running {
  #tokenizer;
  #cuts;
  #text = "";
  /** @type {Part[]} */
  #parts = [];

  /**
   * @param {{ countTokens(text: string): number }} tokenizer
   * @param {import("./cuts.js").Cuts} cuts of that tokenizer
   */
  constructor(tokenizer, cuts) {
    this.#tokenizer = tokenizer;
    this.#cuts = cuts;
  }

  /** @param {string} text @returns {number} its tokens */
  update(text) {
    const head = sameHead(this.#text, text);
    const tail = sameTail(this.#text, text, head);
    const [first, start] = this.#keptHead(head);
    const [last, end] = this.#keptTail(text.length, tail, first, start);
    this.#parts.splice(first, last - first, ...this.#countParts(text, start, end));
    this.#text = text;
    return this.#parts.reduce((sum, { count }) => sum + count, 0);
  }

  /** How many parts at the head stay, and where they end. @param {number} head units that are the same */
  #keptHead(head) {
    let [i, end] = [0, 0];
    while (i < this.#parts.length && end + this.#parts[i].length + BEHIND <= head) end += this.#parts[i++].length;
    return [i, end];
  }

  /**
   * From which part on they stay, and where that begins in the new text.
   * @param {number} length of the new text
   * @param {number} tail units that are the same
   * @param {number} first @param {number} start no part and no place before these
   */
  #keptTail(length, tail, first, start) {
    let [i, at] = [this.#parts.length, length];
    while (i > first && at - this.#parts[i - 1].length - BEFORE >= Math.max(length - tail, start)) {
      at -= this.#parts[--i].length;
    }
    return [i, at];
  }

  /** @param {string} text @param {number} start @param {number} end @returns {Part[]} */
  #countParts(text, start, end) {
    const parts = [];
    while (start < end) {
      const stop = Math.min(this.#cuts.nextCut(text, start + PART), end);
      parts.push({ length: stop - start, count: this.#tokenizer.countTokens(text.slice(start, stop)) });
      start = stop;
    }
    return parts;
  }
}

const BLOCK = 4096; // UTF-16 units compared at once: engines compare strings faster than a loop does

/** Units that two texts begin with. @param {string} a @param {string} b */
function sameHead(a, b) {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same + BLOCK <= most && a.slice(same, same + BLOCK) === b.slice(same, same + BLOCK)) same += BLOCK;
  while (same < most && a.charCodeAt(same) === b.charCodeAt(same)) same++;
  return same;
}

/** Units that two texts end with, behind their common head. @param {string} a @param {string} b @param {number} head */
function sameTail(a, b, head) {
  const most = Math.min(a.length, b.length) - head;
  const block = (/** @type {string} */ text) => text.slice(text.length - same - BLOCK, text.length - same);
  let same = 0;
  while (same + BLOCK <= most && block(a) === block(b)) same += BLOCK;
  while (same < most && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same++;
  return same;
}
