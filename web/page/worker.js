// The page's Worker: both tokenizers and the text that is being edited. It answers each message once, in order.

import { Tokenizer, init } from "../index.js";
import { Cuts } from "./cuts.js";
import { describeTokens, syllablesOf } from "./describe.js";
import { PARALLEL } from "./parallel.js";
import { Running } from "./running.js";

const SHOWN = 1600; // UTF-16 units that are described, and some more up to the next cut
const MOST_TOKENS = 6000; // this many can be laid out
const MARGIN = 200; // at their end, where a caret makes the stretch move on

/**
 * @typedef {object} Side
 * @property {Tokenizer} tokenizer
 * @property {Cuts} cuts
 * @property {Running} running
 */

/** @typedef {import("./describe.js").Encoded} Encoded */

/** @type {(Side | undefined)[]} */
const sides = [undefined, undefined];
let answered = Promise.resolve();

/** @type {Record<string, (data: any) => unknown>} */
const TASKS = { model: openModel, text: readText, ids: encodeText };

self.addEventListener("message", ({ data }) => {
  answered = answered.then(() => answer(data));
});

/** @param {any} data */
async function answer(data) {
  const { job, kind } = data;
  try {
    self.postMessage({ job, result: await TASKS[kind](data) });
  } catch (error) {
    self.postMessage({ job, error: /** @type {Error} */ (error).message });
  }
}

/** @param {{ side: number, blob: Uint8Array<ArrayBuffer> }} model */
async function openModel({ side, blob }) {
  await init();
  const tokenizer = await Tokenizer.load(blob);
  const cuts = new Cuts(blob);
  sides[side]?.tokenizer.free();
  sides[side] = { tokenizer, cuts, running: new Running(tokenizer, cuts) };
  return {
    sgpe: tokenizer.info.routes.some(({ sgpe }) => sgpe),
    premium: PARALLEL.map(({ text }) => tokenizer.countTokens(text)),
  };
}

/** @param {{ text: string, at: number }} task `at`: the place that is looked at, in UTF-16 units */
function readText({ text, at }) {
  const counts = sides.map((side) => side?.running.update(text));
  const whole = stretch(text, at);
  const encoded = sides.map((side) => side?.tokenizer.encodeWithOffsets(text.slice(whole.start, whole.end)));
  const piece = narrower(encoded, text.slice(whole.start, whole.end), at - whole.start);
  const start = whole.start + piece.start;
  const part = text.slice(start, whole.start + piece.end);
  const syllables = syllablesIn(part);
  const tokens = sides.map((side, i) => side && describeTokens(side.tokenizer, part, within(encoded[i], piece), syllables));
  const shown = Math.min(...tokens.map((all) => all?.[MOST_TOKENS]?.start ?? part.length));
  return {
    counts,
    characters: codePoints(text),
    units: text.length,
    start,
    end: start + shown,
    part: part.slice(0, shown),
    tokens: tokens.map((all) => all?.filter((token) => token.start < shown)),
  };
}

/** Where the stretch that was shown last begins: it stays while what is looked at lies well inside. */
let shownFrom = 0;

/**
 * What is shown of a text: whole between cuts of both tokenizers, so that its tokens are those of the whole text.
 * @param {string} text @param {number} at
 */
function stretch(text, at) {
  if (text.length <= SHOWN) return { start: 0, end: text.length };
  const cuts = sides.flatMap((side) => (side ? [side.cuts] : []));
  const isCut = (/** @type {number} */ place) => place === 0 || cuts.every((each) => each.isCut(text, place));
  const stays = at >= shownFrom && at < shownFrom + SHOWN - MARGIN && isCut(shownFrom);
  if (!stays) shownFrom = Math.max(0, Math.min(at - SHOWN / 2, text.length - SHOWN));
  while (!isCut(shownFrom)) shownFrom--;
  let end = Math.min(text.length, shownFrom + SHOWN);
  while (end < text.length && !isCut(end)) end++;
  return { start: shownFrom, end };
}

/** @param {string} text */
const syllablesIn = (text) => syllablesOf(text, sides.flatMap((side) => (side ? [side.tokenizer] : [])));

/**
 * A word without an end has no cuts. Of such a stretch, what is around a place, from and to where both tokenizers begin a token,
 * and a syllable if they ever do both.
 * @param {(Encoded | undefined)[]} encoded the stretch
 * @param {string} text of the stretch @param {number} at the place in it
 */
function narrower(encoded, text, at) {
  const { length } = text;
  if (length <= 2 * SHOWN) return { start: 0, end: length };
  const [first, ...others] = encoded.flatMap((side) => (side ? [beginnings(side)] : []));
  const both = [...(first ?? [])].filter((place) => others.every((each) => each.has(place)));
  const { ends } = syllablesIn(text);
  const whole = both.filter((place) => ends.has(place));
  const common = whole.length > 1 ? whole : both;
  const half = SHOWN / 2;
  const from = Math.floor(Math.max(0, at - MARGIN) / half) * half - half; // stays for some keys
  const start = common.findLast((place) => place <= from) ?? 0;
  return { start, end: common.find((place) => place >= start + SHOWN) ?? length };
}

/** Where tokens begin with a whole character. @param {Encoded} encoded */
function beginnings({ starts, ends }) {
  return new Set(Array.from(starts).filter((start, i) => i === 0 || ends[i - 1] <= start));
}

/**
 * The tokens of a piece of the text that was encoded.
 * @param {Encoded | undefined} encoded @param {{ start: number, end: number }} piece
 * @returns {Encoded}
 */
function within(encoded, { start, end }) {
  const { ids, starts, ends } = encoded ?? { ids: [], starts: [], ends: [] };
  const kept = Array.from(starts, (_, i) => i).filter((i) => starts[i] >= start && starts[i] < end);
  return { ids: kept.map((i) => ids[i]), starts: kept.map((i) => starts[i] - start), ends: kept.map((i) => ends[i] - start) };
}

/** @param {string} text */
const codePoints = (text) => text.length - (text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0);

/** @param {{ text: string }} task @returns {(number[] | undefined)[]} the ids of the whole text */
function encodeText({ text }) {
  return sides.map((side) => side && Array.from(side.tokenizer.encode(text)));
}
