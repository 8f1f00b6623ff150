// The page's Worker: the tokenizers of the three rows, and the text that is being edited. It answers each message once, in order.
//
// A short text is encoded once by each tokenizer, and cut into syllables once. A long one is counted in parts, of which only those
// that changed are counted again, and the stretch that is shown is encoded beside that.

import { Tokenizer, init } from "../../package/index.js";
import { PARALLEL } from "../data/parallel.js";
import { framing } from "./chat.js";
import { Cuts } from "./cuts.js";
import { Running } from "./running.js";
import { boundaries, describeText, knowsSyllables, unitsOf } from "./tokens.js";

const SHOWN = 1600; // UTF-16 units that are described, and some more up to the next cut
const MARGIN = 200; // at their end, where a caret makes the stretch move on

/**
 * @typedef {object} Side
 * @property {Tokenizer} tokenizer
 * @property {Cuts} cuts
 * @property {Running} running
 */

/** @typedef {import("./tokens.js").Encoded} Encoded */
/** @typedef {import("./chat.js").Message} Message */

/** By row. @type {(Side | undefined)[]} */
const sides = [undefined, undefined, undefined];
let answered = Promise.resolve();

/** @type {Record<string, (data: any) => unknown>} */
const TASKS = { model: openModel, text: readText, chat: readChat, ids: encodeText };

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

/** @param {{ row: number, blob: Uint8Array<ArrayBuffer> }} model */
async function openModel({ row, blob }) {
  await init();
  const tokenizer = await Tokenizer.load(blob);
  const cuts = new Cuts(blob);
  sides[row]?.tokenizer.free();
  sides[row] = { tokenizer, cuts, running: new Running(tokenizer, cuts) };
  return { premium: PARALLEL.map(({ text }) => tokenizer.countTokens(text)) };
}

/** @template T @param {(side: Side, row: number) => T} make @returns {(T | undefined)[]} by row; nothing for one without a tokenizer */
const perRow = (make) => sides.map((side, row) => side && make(side, row));

/** @param {{ text: string, at: number }} task `at`: the place that is looked at, in UTF-16 units */
function readText({ text, at }) {
  const whole = stretch(text, at);
  const part = text.slice(whole.start, whole.end);
  const encoded = perRow(({ tokenizer }) => tokenizer.encodeWithOffsets(part));
  const all = part.length === text.length;
  const counts = perRow(({ running }, row) => (all ? encoded[row]?.ids.length : running.update(text)));
  const piece = narrower(encoded, part, at - whole.start);
  const block = describe(part.slice(piece.start, piece.end), encoded.map((side) => side && within(side, piece)));
  return { counts, characters: codePoints(text), units: text.length, start: whole.start + piece.start, blocks: [block] };
}

/** @param {{ messages: Message[] }} task */
async function readChat({ messages }) {
  const counts = await Promise.all(perRow(({ tokenizer }) => framing(tokenizer, messages)));
  let shown = 0;
  const blocks = messages.map(({ role, content }) => {
    const text = content.slice(0, Math.max(0, SHOWN - shown)); // what comes after is counted all the same
    shown += text.length;
    const encoded = perRow(({ tokenizer }) => tokenizer.encodeWithOffsets(content));
    encoded.forEach((side, row) => side && (counts[row] = (counts[row] ?? 0) + side.ids.length));
    return { role, ...describe(text, encoded.map((side) => side && within(side, { start: 0, end: text.length }))) };
  });
  const all = messages.map(({ content }) => content).join("");
  return { counts, characters: codePoints(all), units: shown, start: 0, blocks };
}

/** @param {string} text @param {(Encoded | undefined)[]} encoded by row */
const describe = (text, encoded) => describeText(text, perRow(({ tokenizer }) => tokenizer), encoded);

/** Where the stretch that was shown last begins: it stays while what is looked at lies well inside. */
let shownFrom = 0;

/**
 * What is shown of a text: whole between cuts of all the tokenizers, so that its tokens are those of the whole text.
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

/**
 * A word without an end has no cuts. Of such a stretch, what is around a place, from and to where all the tokenizers begin a
 * token, and a syllable if they ever do both.
 * @param {(Encoded | undefined)[]} encoded the stretch
 * @param {string} text of the stretch @param {number} at the place in it
 */
function narrower(encoded, text, at) {
  const { length } = text;
  if (length <= 2 * SHOWN) return { start: 0, end: length };
  const [first, ...others] = encoded.flatMap((side) => (side ? [beginnings(side)] : []));
  const both = [...(first ?? [])].filter((place) => others.every((each) => each.has(place)));
  const knowing = sides.find((side) => side && knowsSyllables(side.tokenizer));
  const clean = new Set(knowing && boundaries(unitsOf(knowing.tokenizer, text), length).places);
  const whole = both.filter((place) => clean.has(place));
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

/** The tokens of a piece of the text that was encoded. @param {Encoded} encoded @param {{ start: number, end: number }} piece @returns {Encoded} */
function within({ ids, starts, ends }, { start, end }) {
  const kept = Array.from(starts, (_, i) => i).filter((i) => starts[i] >= start && ends[i] <= end);
  return { ids: kept.map((i) => ids[i]), starts: kept.map((i) => starts[i] - start), ends: kept.map((i) => ends[i] - start) };
}

/** @param {string} text */
const codePoints = (text) => text.length - (text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0);

/** @param {{ texts: string[] }} task @returns {(number[][] | undefined)[]} the ids of each whole text, by row */
function encodeText({ texts }) {
  return perRow(({ tokenizer }) => texts.map((text) => Array.from(tokenizer.encode(text))));
}
