// Where a text may be cut for a limit of tokens: between two tokens, but never inside a syllable or a character as a reader sees it.

import { WwhoError } from "./errors.js";

/** Characters that may continue a cluster or form pairs. After any other character, only that one matters (Unicode Standard Annex #29). */
const LEANING = /[\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\p{RI}\u200d]/u;
const FIRST_COMBINING_MARK = 0x300;
/** The number of UTF-16 units that are searched for clusters at a time. */
const WINDOW = 512;

/**
 * @typedef {object} Boundaries the places of a text between two tokens that lie inside no syllable
 * @property {number[]} tokens how many of the text's tokens lie before each place; ascending, the first 0
 * @property {number[]} places in UTF-16 units; ascending, the first 0, the last the text's length unless the search was limited
 */
/** What becomes of a syllable or character that alone has more tokens than a chunk may have. */
export const OVERSIZE = /** @type {const} */ (["split", "keep", "error"]);
/** More tokens than any text has. */
const NO_LIMIT = 0x7fffffff;

/** @typedef {(typeof OVERSIZE)[number]} Oversize */
/** @typedef {{ text: string, start: number, end: number, tokens: number }} Chunk `start` and `end` in UTF-16 units of the whole text; `tokens`
 * is how many tokens the chunk alone has */
/** @typedef {(text: string, limit: number) => number | false} CountWithin returns the count of a text's tokens, or false if there are more than `limit`; tokens of a template are in the count, but not compared with the limit */

/**
 * Return the longest beginning of `text` that ends at a place within its first `limit` tokens, and that has at most `limit` tokens when it
 * is encoded alone. It never ends inside a character as a reader sees it.
 * @param {string} text
 * @param {number} limit in tokens
 * @param {Boundaries} boundaries of the text, at least up to `limit` tokens: `tokens[i]` of its tokens lie before `places[i]`
 * @param {CountWithin} countWithin counts the tokens of a text that is encoded alone; false above a limit
 * @returns {string} "" if not even the first syllable fits
 */
export function longestStart(text, limit, { tokens, places }, countWithin) {
  const isEdge = characterEdges(text);
  for (let k = indexUpTo(tokens, limit); k > 0; k--) {
    const start = text.slice(0, places[k]);
    // A beginning may have more tokens alone than in the text, for example if it ends inside a contraction.
    if (isEdge(places[k]) && countWithin(start, limit) !== false) return start;
  }
  return "";
}

/**
 * Cut a text into chunks of at most `limit` tokens each, between two tokens, never inside a syllable or a character, and preferably at a
 * place that is good for a reader. Together the chunks cover the text; each begins where the one before ends, or earlier if they overlap.
 * @param {string} text
 * @param {{ limit: number, aside: string, oversize: Oversize }} most `limit` in tokens, of each chunk encoded alone; `aside` follows the limit in
 *   an error message; `oversize` is what becomes of a single syllable or character that has more
 * @param {number} overlap about how many tokens a chunk shares with the one before; fewer than `limit`
 * @param {Kind} prefer the best kind of place that a chunk should end at, such as "paragraph"
 * @param {Boundaries} boundaries of the whole text: `tokens[i]` of its tokens lie before `places[i]`
 * @param {CountWithin} countWithin counts the tokens of a text that is encoded alone; false above a limit
 * @returns {Chunk[]} empty for an empty text
 * @throws {WwhoError} LIMIT if a single syllable or character has more tokens than the limit, and that is to be an error
 */
export function chunks(text, { limit, aside, oversize }, overlap, prefer, { tokens, places }, countWithin) {
  const isEdge = characterEdges(text);
  const ends = boundariesByKind(text, places, prefer);
  const last = places.length - 1;

  /**
   * Return the chunk between two places, or undefined if it ends inside a character or has too many tokens.
   * @param {number} from the index of the place where it begins, in `places`
   * @param {number} k the index of the place where it ends, greater than `from`
   * @returns {{ k: number, chunk: Chunk } | undefined} `k` as given
   */
  const chunkBetween = (from, k) => {
    if (!isEdge(places[k])) return undefined;
    const [start, end] = [places[from], places[k]];
    const part = text.slice(start, end);
    const count = countWithin(part, limit);
    return count === false ? undefined : { k, chunk: { text: part, start, end, tokens: count } };
  };

  /**
   * Return the best chunk that begins at a place: the rest of the text if it fits, otherwise the longest one with the best kind of end that
   * uses at least half of the limit, otherwise the longest one.
   * @param {number} from the index of the place where it begins, in `places`
   * @param {number} after the index of a place that it must end after, so that it brings something new
   * @returns {{ k: number, chunk: Chunk } | undefined} `k` is the index of its end; undefined if nothing fits
   */
  const bestChunk = (from, after) => {
    const most = indexUpTo(tokens, tokens[from] + limit);
    const rest = most === last && chunkBetween(from, last);
    if (rest) return rest;
    // A worse end is taken rather than one that leaves half of the limit unused.
    const least = Math.max(after + 1, indexFrom(tokens, tokens[from] + limit / 2));
    for (const indices of ends) {
      for (let i = indexUpTo(indices, most); i >= 0 && indices[i] >= least; i--) {
        const found = chunkBetween(from, indices[i]);
        if (found) return found;
      }
    }
    for (let k = most; k > after; k--) {
      const found = chunkBetween(from, k);
      if (found) return found;
    }
    return undefined;
  };

  /**
   * Return where the next chunk begins: at most `overlap` tokens before the end of the last one, preferably at a good place that shares
   * at least half of the overlap.
   * @param {number} end the index of the place where the last chunk ends, in `places`
   * @returns {number} the index of a place; `end` itself without an overlap
   */
  const startBefore = (end) => {
    const least = indexFrom(tokens, tokens[end] - overlap);
    const most = indexUpTo(tokens, tokens[end] - overlap / 2);
    for (const indices of ends) {
      const i = indices[indexFrom(indices, least)];
      if (i <= most && i < end) return i;
    }
    return least;
  };

  /** @type {Chunk[]} */
  const result = [];
  for (let from = 0, end = 0; end < last;) {
    const found = bestChunk(from, end);
    if (found) {
      result.push(found.chunk);
      end = found.k;
      from = startBefore(end);
    } else if (from < end) {
      // Less of an overlap: with it there is no room for anything new, of which the least ends at the next place.
      let next = end + 1;
      while (!isEdge(places[next])) next++;
      from = Math.max(from + 1, Math.min(end, indexFrom(tokens, tokens[next] - limit)));
    } else {
      if (oversize === "error") throw new WwhoError("LIMIT", tooLongMessage(text.slice(places[from]), places[from], limit + aside));
      do end++;
      while (!isEdge(places[end]));
      for (let at = places[from], stop; at < places[end]; at = stop) {
        stop = oversize === "keep" ? places[end] : longestWithin(text, at, places[end], limit, countWithin);
        const part = text.slice(at, stop);
        result.push({ text: part, start: at, end: stop, tokens: /** @type {number} */ (countWithin(part, NO_LIMIT)) });
      }
      from = end;
    }
    while (from < end && !isEdge(places[from])) from++;
  }
  return result;
}

/**
 * Return the end of the longest part of a text from `first` on that has at most `limit` tokens. It is found by halving among the next four
 * code points for each token, so that each chunk takes time by its own length; at least one code point is taken, whatever it costs.
 * @param {string} text
 * @param {number} first in UTF-16 units
 * @param {number} last in UTF-16 units, more than `first`: the part ends there at the latest
 * @param {number} limit in tokens, 1 or more
 * @param {CountWithin} countWithin counts the tokens of a text that is encoded alone; false above a limit
 * @returns {number} in UTF-16 units
 */
function longestWithin(text, first, last, limit, countWithin) {
  const ends = [];
  for (let at = first; at < last && ends.length < 4 * limit; ends.push(at)) {
    at += /** @type {number} */ (text.codePointAt(at)) > 0xffff ? 2 : 1;
  }
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (countWithin(text.slice(first, ends[middle]), limit) === false) high = middle - 1;
    else low = middle;
  }
  return ends[low];
}

/**
 * Return the error message for a syllable or character that has more tokens than a chunk may have; its beginning is quoted.
 * @param {string} rest the text from the syllable on
 * @param {number} place where it begins, in UTF-16 units
 * @param {string} limit the limit in tokens, and what else is said about it
 * @returns {string}
 */
function tooLongMessage(rest, place, limit) {
  const start = JSON.stringify(rest.slice(0, 20));
  return (
    `the syllable or character at UTF-16 unit ${place} (${start}) has more tokens than the limit, ${limit}, ` +
    'and oversize is "error"; give a higher limit, or oversize "split" or "keep"'
  );
}

/**
 * Return the index of the last of ascending values that is at most `most`; -1 if none is.
 * @param {number[]} values
 * @param {number} most
 * @returns {number}
 */
function indexUpTo(values, most) {
  return indexFrom(values, most + 1) - 1;
}

/**
 * Return the index of the first of ascending values that is at least `least`, by binary search; the number of values if none is.
 * @param {number[]} values
 * @param {number} least
 * @returns {number}
 */
function indexFrom(values, least) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Return a segmenter that cuts a text into grapheme clusters, characters as a reader sees them.
 * @returns {Intl.Segmenter | undefined} undefined where there is no Intl.Segmenter
 */
export const graphemeSegmenter = () =>
  typeof Intl === "undefined" || !("Segmenter" in Intl) ? undefined : new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Return a function that tells whether a place of the text is between two characters as a reader sees them (grapheme clusters). Without
 * Intl.Segmenter, every place counts as one. The function remembers the stretch of text that it searched last, so ask in order of places.
 * @param {string} text
 * @returns {(place: number) => boolean} of a place in UTF-16 units; 0 and the end are edges
 */
function characterEdges(text) {
  const segmenter = graphemeSegmenter();
  if (!segmenter) return () => true;
  // A run of hostile length is searched once for all its places.
  let [start, end] = [0, 0];
  let edges = new Set();
  return (place) => {
    if (place === 0) return true;
    if (place <= start || place > end) {
      [start, end] = runAround(text, place);
      edges = clusterStarts(segmenter, text, start, end).add(text.length);
    }
    return edges.has(place);
  };
}

/**
 * Return every place from `start` to `end`, both included, where a grapheme cluster begins. The segmenter's time may grow with the square
 * of its text's length, so it gets the text in windows, each of which begins where a cluster does.
 * @param {Intl.Segmenter} segmenter of graphemes
 * @param {string} text
 * @param {number} start in UTF-16 units, itself the beginning of a cluster
 * @param {number} end in UTF-16 units
 * @returns {Set<number>} in UTF-16 units
 */
function clusterStarts(segmenter, text, start, end) {
  const found = new Set();
  for (let at = start, size = WINDOW; ;) {
    const stop = Math.min(end, at + size);
    let last = at;
    // Whether a cluster begins at a place depends on what is before it and on one character, of up to two units, after it.
    for (const { index } of segmenter.segment(text.slice(at, stop + 2))) {
      if (at + index <= stop) found.add((last = at + index));
    }
    if (stop === end) return found;
    size = last === at ? 2 * size : WINDOW;
    at = last;
  }
}

/**
 * Return the run of text around a place within which clusters can be found without the rest: it goes from one character that depends on
 * nothing before it to the next such character.
 * @param {string} text
 * @param {number} place in UTF-16 units, more than 0
 * @returns {[start: number, end: number]} in UTF-16 units; start < place <= end
 */
function runAround(text, place) {
  let [start, end] = [place - 1, place];
  while (start > 0 && leansBack(text, start)) start--;
  while (end < text.length && leansBack(text, end)) end++;
  return [start, end];
}

/**
 * Tell whether a cluster that contains this UTF-16 unit may have begun earlier: the unit is the second half of a surrogate pair, a
 * combining mark, a joiner, or another character that may continue a cluster.
 * @param {string} text
 * @param {number} at in UTF-16 units
 * @returns {boolean}
 */
function leansBack(text, at) {
  const unit = text.charCodeAt(at);
  if (unit < FIRST_COMBINING_MARK) return false;
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
 * Return what ends at a place of the text, as an index of KINDS: 0 for a paragraph, which also ends at the end of the text, to 4 where
 * only a token does. Only the LOOK units before the place and the one after it are read.
 * @param {string} text
 * @param {number} place in UTF-16 units, more than 0
 * @returns {number}
 */
function boundaryAt(text, place) {
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
 * Sort places of a text by the boundaries at them: return, for each kind from `prefer` to "word", the places where this kind or a better
 * one ends.
 * @param {string} text
 * @param {readonly number[]} places in UTF-16 units; the first, which is 0, is never an end
 * @param {Kind} prefer the best kind that is told apart; better ones count as this one
 * @returns {number[][]} a list for each kind, with ascending indices in `places`; no list at all for "token"
 */
function boundariesByKind(text, places, prefer) {
  const best = KINDS.indexOf(prefer);
  /** @type {number[][]} */
  const ends = KINDS.slice(best, TOKEN).map(() => []);
  if (ends.length === 0) return ends;
  for (let i = 1; i < places.length; i++) {
    for (let kind = Math.max(boundaryAt(text, places[i]), best); kind < TOKEN; kind++) ends[kind - best].push(i);
  }
  return ends;
}
