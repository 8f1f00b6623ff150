// What a tokenizer says about itself: its models, its routes, and where they came from.

import { utf8 } from "./decoding.js";
import { WwhoError, hex } from "./errors.js";
import { OF_MODEL, OF_ROUTE, OF_STEP, OF_TOKENIZER } from "./header.js";

/** What wwho.h does not name: FORMAT.md, MODEL; the kind CUT of a step and its action KEEP; and the decoder that needs all ids at once. */
const MODEL_KINDS = ["", "bpe", "greedy", "viterbi"];
const SYMBOLS = ["bytes", "units"];
const UNKNOWN = ["none", "spell", "bytes", "id"];
export const CUT = 6;
export const KEEP = 0;
export const WAITS = 2;

/**
 * The steps of a tokenizer (FORMAT.md, STEPS), in the order of their numbers. Only a CUT has actions.
 * @param {import("./core.js").Core} core
 * @returns {{ kind: number, automaton: number | null, actions: number[] }[]}
 */
export function listSteps(core) {
  const { n_steps: nSteps } = core.info(OF_TOKENIZER);
  return Array.from({ length: nSteps ?? 0 }, (_, i) => {
    const { kind, automaton } = core.info(OF_STEP, i);
    return { kind: kind ?? 0, automaton, actions: core.list(OF_STEP, i, "actions") };
  });
}

/** @param {import("./core.js").Core} core */
export function describe(core) {
  const numbers = core.info(OF_TOKENIZER);
  const list = (/** @type {number | null} */ length) => Array.from({ length: length ?? 0 }, (_, i) => i);
  const models = list(numbers.n_models).map((i) => {
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
  const routes = list(numbers.n_routes).map((i) => {
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
 * Where a model came from: the JSON of its section, which the core does not read (FORMAT.md, PROVENANCE).
 * @param {Uint8Array} bytes the section
 * @returns {Record<string, string>}
 * @throws {WwhoError} PROVENANCE
 */
export function readProvenance(bytes) {
  const text = utf8(bytes);
  const found = parsed(bytes);
  if (!isTexts(found) || compact(found) !== text) {
    const start = JSON.stringify(text.slice(0, 40));
    throw new WwhoError(
      "PROVENANCE",
      `not a valid .wwho file (PROVENANCE): its provenance begins with ${start}, expected a compact JSON object ` +
        "of strings with sorted keys; write it again",
    );
  }
  return found;
}

/** @param {Uint8Array} bytes @returns {unknown} undefined if they are not UTF-8, or not JSON */
function parsed(bytes) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** @param {any} value @returns {value is Record<string, string>} */
function isTexts(value) {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject && Object.values(value).every((text) => typeof text === "string");
}

/** The canonical form of an object of strings, with keys in the order of their UTF-8. @param {Record<string, string>} texts */
function compact(texts) {
  const pairs = Object.entries(texts).map(([key, text]) => ({
    order: hex(new TextEncoder().encode(key)),
    json: `${JSON.stringify(key)}:${JSON.stringify(text)}`,
  }));
  pairs.sort((a, b) => (a.order < b.order ? -1 : 1));
  return `{${pairs.map(({ json }) => json).join(",")}}`;
}
