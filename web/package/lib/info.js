// What a tokenizer says about itself: its models, its routes, and where they came from.

import { utf8 } from "./decoding.js";
import { WwhoError, hex } from "./errors.js";
import { OF_MODEL, OF_ROUTE, OF_STEP, OF_TOKENIZER } from "./header.js";

// What wwho.h does not name (FORMAT.md, MODEL): kinds of models, what they merge, and what becomes of text that they do not know.
const MODEL_KINDS = ["", "bpe", "greedy", "viterbi"];
const SYMBOLS = ["bytes", "units"];
const UNKNOWN = ["none", "spell", "bytes", "id"];
/** The kind of a step that cuts (FORMAT.md, STEPS). */
export const CUT = 6;
/** The action of a cut that keeps a match (FORMAT.md, STEPS). */
export const KEEP = 0;
/** The kind of decoder that needs all ids at once (FORMAT.md, DECODER). */
export const WAITS = 2;

/**
 * Return the steps of a tokenizer (FORMAT.md, STEPS), in the order of their numbers. Only a cut has actions.
 * @param {import("./core.js").Core} core
 * @returns {{ kind: number, automaton: number | null, actions: number[] }[]}
 */
export function listSteps(core) {
  const { n_steps: nSteps } = core.info(OF_TOKENIZER);
  return Array.from({ length: nSteps ?? 0 }, (_, i) => {
    const { kind, automaton } = core.info(OF_STEP, i);
    return { kind: kind ?? 0, automaton, actions: core.listFrom(OF_STEP, i, "actions") };
  });
}

/**
 * Return what the core says about its tokenizer: numbers of ids and merges, models and routes. Its
 * `unkId` is that of the first model that has one, or null.
 * @param {import("./core.js").Core} core
 * @returns `Info` of index.d.ts, a new object, frozen with all that is in it
 */
export function describe(core) {
  const numbers = core.info(OF_TOKENIZER);
  /** Return the indices of a list of this length; null counts as 0. */
  const indices = (/** @type {number | null} */ length) => Array.from({ length: length ?? 0 }, (_, i) => i);
  const models = indices(numbers.n_models).map((i) => {
    const model = core.info(OF_MODEL, i);
    return Object.freeze({
      kind: MODEL_KINDS[model.kind ?? 0],
      symbols: SYMBOLS[model.symbols ?? 0],
      unknown: UNKNOWN[model.unknown ?? 0],
      firstId: /** @type {number} */ (model.first_id),
      nIds: /** @type {number} */ (model.n_ids),
      nSymbols: /** @type {number} */ (model.n_symbols),
      nMerges: /** @type {number} */ (model.n_merges),
      nSuperwords: /** @type {number} */ (model.n_superwords),
      spaceId: model.space_id,
      unkId: model.unk_id,
    });
  });
  const routes = indices(numbers.n_routes).map((i) => {
    const { model, units } = core.info(OF_ROUTE, i);
    return Object.freeze({ name: utf8(core.routeName(i)), model: /** @type {number} */ (model), hasUnits: units !== null });
  });
  return Object.freeze({
    nVocab: /** @type {number} */ (numbers.n_vocab),
    unkId: models.find(({ unkId }) => unkId !== null)?.unkId ?? null,
    maxTokenBytes: /** @type {number} */ (numbers.max_token_bytes),
    models: Object.freeze(models),
    routes: Object.freeze(routes),
  });
}

/**
 * Read where a model came from: the JSON of its section, which the core does not check (FORMAT.md, PROVENANCE).
 * @param {Uint8Array} bytes the section
 * @returns {Record<string, string>} texts by their keys, such as `name` and `license`
 * @throws {WwhoError} PROVENANCE if it is not the compact JSON of an object of texts with sorted keys
 */
export function readProvenance(bytes) {
  const text = utf8(bytes);
  const found = parseJson(bytes);
  if (!isObjectOfTexts(found) || compactJson(found) !== text) {
    const start = JSON.stringify(text.slice(0, 40));
    throw new WwhoError(
      "PROVENANCE",
      `not a valid .wwho file (PROVENANCE): its provenance begins with ${start}, expected a compact JSON object ` +
        "of strings with sorted keys; write it again",
    );
  }
  return found;
}

/**
 * Return the value of JSON in UTF-8; undefined if the bytes are not UTF-8, or not JSON.
 * @param {Uint8Array} bytes
 * @returns {unknown}
 */
function parseJson(bytes) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/**
 * Tell whether a value of JSON is an object in which each value is a text.
 * @param {any} value
 * @returns {value is Record<string, string>}
 */
function isObjectOfTexts(value) {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject && Object.values(value).every((text) => typeof text === "string");
}

/**
 * Return an object of texts as the only JSON that a file may have for it: without white space, its keys in the order of their UTF-8.
 * @param {Record<string, string>} texts
 * @returns {string}
 */
function compactJson(texts) {
  const pairs = Object.entries(texts).map(([key, text]) => ({
    order: hex(new TextEncoder().encode(key)),
    json: `${JSON.stringify(key)}:${JSON.stringify(text)}`,
  }));
  pairs.sort((a, b) => (a.order < b.order ? -1 : 1));
  return `{${pairs.map(({ json }) => json).join(",")}}`;
}
