// Good places to cut a text for a reader: the end of a paragraph, otherwise of a sentence, a line or a word.

/** From the best place to the worst; between two tokens there is always one. */
export const KINDS = /** @type {const} */ (["paragraph", "sentence", "line", "word", "token"]);

/** @typedef {(typeof KINDS)[number]} Kind */

const [PARAGRAPH, SENTENCE, LINE, WORD, TOKEN] = [0, 1, 2, 3, 4];
/** At most this many UTF-16 units before a place decide about it, so that any text takes linear time. */
const LOOK = 16;

const SPACE = /\s/;
const NEWLINE = /[\n\r\u2028\u2029]/;
const BLANK_LINE = /(?:\n[^\S\n]*\n|\r[^\S\n\r]*\r|\u2029)\s*$/;
/** A terminator, what closes after it, and spaces. */
const SENTENCE_END = /\p{Sentence_Terminal}[\p{Pe}\p{Pf}"']*\s*$/u;
/** A terminator that ends a sentence without a space after it. */
const FULL_WIDTH_END = /[。．！？｡]["'」』）】》”’]*$/;

/**
 * What ends at a place, as a number of KINDS.
 * @param {string} text
 * @param {number} place more than 0
 */
function kindAt(text, place) {
  const next = text[place];
  if (next === undefined) return PARAGRAPH;
  const before = text.slice(Math.max(0, place - LOOK), place);
  const last = before[before.length - 1];
  if (!SPACE.test(next) && !SPACE.test(last)) return FULL_WIDTH_END.test(before) ? SENTENCE : TOKEN;
  const isAfterLine = NEWLINE.test(last) && !NEWLINE.test(next);
  if (isAfterLine && BLANK_LINE.test(before)) return PARAGRAPH;
  if (!NEWLINE.test(next) && SENTENCE_END.test(before)) return SENTENCE;
  return isAfterLine ? LINE : WORD;
}

/**
 * The numbers of the places where something of a kind, or of a better kind, ends.
 * @param {string} text
 * @param {readonly number[]} places in UTF-16 units, the first 0
 * @param {Kind} prefer the best kind that counts
 * @returns {number[][]} for each kind from `prefer` to words, ascending
 */
export function endsIn(text, places, prefer) {
  const best = KINDS.indexOf(prefer);
  /** @type {number[][]} */
  const ends = KINDS.slice(best, TOKEN).map(() => []);
  if (ends.length === 0) return ends;
  for (let i = 1; i < places.length; i++) {
    for (let kind = Math.max(kindAt(text, places[i]), best); kind < TOKEN; kind++) ends[kind - best].push(i);
  }
  return ends;
}
