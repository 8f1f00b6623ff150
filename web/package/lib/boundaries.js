// Where a text may be cut for a limit of tokens: between two tokens, but never inside a syllable or a character as a reader sees it.

import { WwhoError } from "./errors.js";

/** Characters that may continue a cluster or form pairs. After any other character, only that one matters (Unicode Standard Annex #29). */
const LEANING = /[\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\p{RI}\u200d]/u;
const FIRST_MARK = 0x300;
/** The number of UTF-16 units that are searched for clusters at a time. */
const WINDOW = 512;

/**
 * @typedef {object} Boundaries
 * @property {number[]} tokens how many of the text's tokens lie before each place; ascending
 * @property {number[]} places in UTF-16 units; ascending, the first 0
 */
/** @typedef {{ text: string, start: number, end: number, tokens: number }} Chunk */
/** @typedef {(text: string, limit: number) => number | false} Within the count of tokens, or false beyond the limit; tokens of a template are in the count, not in the limit */

/**
 * The longest beginning of `text` that ends at a place within the first `limit` tokens and, encoded alone, has at most `limit` tokens.
 * @param {string} text
 * @param {number} limit
 * @param {Boundaries} boundaries of more than `limit` tokens of the text
 * @param {Within} within
 */
export function longestStart(text, limit, { tokens, places }, within) {
  const isBetween = characterEdges(text);
  for (let k = lastUpTo(tokens, limit); k > 0; k--) {
    const start = text.slice(0, places[k]);
    // A beginning may have more tokens alone than in the text, for example if it ends inside a contraction.
    if (isBetween(places[k]) && within(start, limit) !== false) return start;
  }
  return "";
}

/**
 * @param {string} text
 * @param {{ limit: number, aside: string }} most and what an error adds to the number
 * @param {number} overlap
 * @param {Kind} prefer what a chunk should end with
 * @param {Boundaries} boundaries of the whole text
 * @param {Within} within
 * @returns {Chunk[]}
 * @throws {WwhoError} LIMIT
 */
export function chunks(text, { limit, aside }, overlap, prefer, { tokens, places }, within) {
  const isBetween = characterEdges(text);
  const ends = endsIn(text, places, prefer);
  const last = places.length - 1;

  /** The chunk from place number `from` to number `k`, if it keeps to the limit. @param {number} from @param {number} k */
  const chunkOf = (from, k) => {
    if (!isBetween(places[k])) return undefined;
    const [start, end] = [places[from], places[k]];
    const part = text.slice(start, end);
    const count = within(part, limit);
    return count === false ? undefined : { k, chunk: { text: part, start, end, tokens: count } };
  };

  /** The best chunk from place number `from` that ends after `after`. @param {number} from @param {number} after */
  const best = (from, after) => {
    const most = lastUpTo(tokens, tokens[from] + limit);
    const rest = most === last && chunkOf(from, last);
    if (rest) return rest;
    // A worse end is taken rather than one that leaves half of the limit unused.
    const least = Math.max(after + 1, firstFrom(tokens, tokens[from] + limit / 2));
    for (const kind of ends) {
      for (let i = lastUpTo(kind, most); i >= 0 && kind[i] >= least; i--) {
        const found = chunkOf(from, kind[i]);
        if (found) return found;
      }
    }
    for (let k = most; k > after; k--) {
      const found = chunkOf(from, k);
      if (found) return found;
    }
    return undefined;
  };

  /** Where the next chunk begins, after one that ends at place number `end`: preferably after another good end. @param {number} end */
  const startBefore = (end) => {
    const least = firstFrom(tokens, tokens[end] - overlap);
    const most = lastUpTo(tokens, tokens[end] - overlap / 2);
    for (const kind of ends) {
      const i = kind[firstFrom(kind, least)];
      if (i <= most && i < end) return i;
    }
    return least;
  };

  /** @type {Chunk[]} */
  const result = [];
  for (let from = 0, end = 0; end < last;) {
    const found = best(from, end);
    if (found) {
      result.push(found.chunk);
      end = found.k;
      from = startBefore(end);
    } else if (from < end) {
      // Less of an overlap: with it there is no room for anything new, of which the least ends at the next place.
      let next = end + 1;
      while (!isBetween(places[next])) next++;
      from = Math.max(from + 1, Math.min(end, firstFrom(tokens, tokens[next] - limit)));
    } else {
      throw new WwhoError("LIMIT", tooLong(text.slice(places[from]), places[from], limit + aside));
    }
    while (from < end && !isBetween(places[from])) from++;
  }
  return result;
}

/** @param {string} rest @param {number} place @param {string} limit */
function tooLong(rest, place, limit) {
  const shown = JSON.stringify(rest.slice(0, 20));
  return (
    `the syllable or character at UTF-16 unit ${place} (${shown}) has more tokens than the limit, ${limit}, ` +
    "and is never cut; give a higher limit"
  );
}

/** Number of the last of ascending values that is at most `most`. @param {number[]} values @param {number} most */
function lastUpTo(values, most) {
  return firstFrom(values, most + 1) - 1;
}

/** Number of the first of ascending values that is at least `least`; all of them: none is. @param {number[]} values @param {number} least */
function firstFrom(values, least) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Whether a place is between two characters as a reader sees them (grapheme clusters), if the runtime can tell.
 * @param {string} text
 * @returns {(place: number) => boolean}
 */
function characterEdges(text) {
  if (typeof Intl === "undefined" || !("Segmenter" in Intl)) return () => true;
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  // A run of hostile length is looked through once for all its places.
  let [start, end] = [0, 0];
  let edges = new Set();
  return (place) => {
    if (place === 0) return true;
    if (place <= start || place > end) {
      [start, end] = runAround(text, place);
      edges = edgesIn(segmenter, text, start, end).add(text.length);
    }
    return edges.has(place);
  };
}

/**
 * The places where a cluster begins, from one of them on.
 * @param {Intl.Segmenter} segmenter whose time may grow with the square of its text's length: it gets windows of it
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @returns {Set<number>} all from `start` to `end`
 */
function edgesIn(segmenter, text, start, end) {
  const edges = new Set();
  for (let at = start, size = WINDOW; ;) {
    const stop = Math.min(end, at + size);
    let last = at;
    // A place is decided by what is before it and the one character, of up to two units, behind it.
    for (const { index } of segmenter.segment(text.slice(at, stop + 2))) {
      if (at + index <= stop) edges.add((last = at + index));
    }
    if (stop === end) return edges;
    size = last === at ? 2 * size : WINDOW;
    at = last;
  }
}

/**
 * From one character that needs nothing of what is before it to the next, around a place.
 * @param {string} text
 * @param {number} place more than 0
 * @returns {[start: number, end: number]} in UTF-16 units; start < place <= end
 */
function runAround(text, place) {
  let [start, end] = [place - 1, place];
  while (start > 0 && leansBack(text, start)) start--;
  while (end < text.length && leansBack(text, end)) end++;
  return [start, end];
}

/**
 * Whether this UTF-16 unit is the second half of a character, or what may follow depends on more than its character.
 * @param {string} text
 * @param {number} at
 */
function leansBack(text, at) {
  const unit = text.charCodeAt(at);
  if (unit < FIRST_MARK) return false;
  return (unit & 0xfc00) === 0xdc00 || LEANING.test(String.fromCodePoint(/** @type {number} */ (text.codePointAt(at))));
}

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
