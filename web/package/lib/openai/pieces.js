// The pieces of a chat as a model reads it: texts, marks between them, and costs without a known text. They are counted or encoded here.

import { WwhoError } from "../errors.js";

/** @typedef {{ cost: 1, mark: string }} Mark a token such as <|im_start|> */
/** @typedef {{ cost: number, of: string }} Cost a number of tokens that is known, or estimated, without their ids; it may be negative */
/** @typedef {string | Mark | Cost} Piece a text is encoded alone, and what spells a special token in it is ordinary text */

/**
 * Ids of marks. Those of o200k_harmony are OpenAI's. OpenAI has not published those of the others: they are gpt-tokenizer's, and no
 * tokenizer here decodes them.
 * @type {Readonly<Record<string, Readonly<Record<string, number>>>>}
 */
const IDS = {
  cl100k_base: { "<|im_start|>": 100264, "<|im_end|>": 100265, "<|im_sep|>": 100266 },
  o200k_base: { "<|im_start|>": 200003, "<|im_end|>": 200004, "<|im_sep|>": 200005 },
  o200k_harmony: { "<|constrain|>": 200003, "<|channel|>": 200005, "<|start|>": 200006, "<|end|>": 200007, "<|message|>": 200008 },
};

/**
 * Return the piece for a mark.
 * @param {string} mark
 * @returns {Mark}
 */
export const markOf = (mark) => ({ cost: 1, mark });

/** Tell whether a piece is a text. @param {Piece} piece @returns {piece is string} */
const isText = (piece) => typeof piece === "string";

/**
 * Call a function with the results of a tokenizer for some texts: at once, or, if the tokenizer is in a Worker, when all are there.
 * @template R, T
 * @param {readonly string[]} texts
 * @param {(text: string) => any} ask the tokenizer
 * @param {(results: R[]) => T} use
 * @returns {T | Promise<T>} what `use` returns
 */
function whenAnswered(texts, ask, use) {
  const results = texts.map(ask);
  return results.some((result) => typeof result?.then === "function") ? Promise.all(results).then(use) : use(results);
}

/**
 * Count lists of pieces, and call a function with the counts, one for each list.
 * @template T
 * @param {readonly Piece[][]} lists
 * @param {any} tokenizer one here or in a Worker
 * @param {(counts: number[]) => T} use
 * @returns {T | Promise<T>} what `use` returns; a promise if the tokenizer is in a Worker
 */
export function countPieces(lists, tokenizer, use) {
  const texts = lists.flatMap((pieces) => pieces.filter(isText));
  return whenAnswered(texts, (text) => tokenizer.countTokens(text), (/** @type {number[]} */ counts) => {
    const next = counts.values();
    const costOf = (/** @type {Piece} */ piece) => (isText(piece) ? Number(next.next().value) : piece.cost);
    return use(lists.map((pieces) => pieces.reduce((sum, piece) => sum + costOf(piece), 0)));
  });
}

/**
 * Return the ids of pieces.
 * @param {readonly Piece[]} pieces
 * @param {string} encoding whose marks they have
 * @param {any} tokenizer one here or in a Worker
 * @returns {Uint32Array | Promise<Uint32Array>}
 * @throws {WwhoError} ARGUMENT for a piece whose ids are not known
 */
export function encodePieces(pieces, encoding, tokenizer) {
  const unknown = pieces.find((piece) => !isText(piece) && "of" in piece);
  if (unknown) {
    const { of } = /** @type {Cost} */ (unknown);
    throw new WwhoError("ARGUMENT", `the chat has ${of}, whose ids OpenAI has not published; count it with countChat, or leave it out`);
  }
  return whenAnswered(pieces.filter(isText), (text) => tokenizer.encode(text), (/** @type {Uint32Array[]} */ found) => {
    const next = found.values();
    return Uint32Array.from(pieces.flatMap((piece) => [...(isText(piece) ? next.next().value ?? [] : [IDS[encoding][/** @type {Mark} */ (piece).mark]])]));
  });
}
