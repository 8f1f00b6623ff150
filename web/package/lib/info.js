// What a tokenizer says about itself: its models and routes.

import { OF_MODEL, OF_ROUTE, OF_TOKENIZER } from "./header.js";
import { utf8 } from "./text.js";

/** What wwho.h does not name: FORMAT.md, MODEL; the action KEEP of a stage; and the decoder that needs all ids at once. */
const MODEL_KINDS = ["", "bpe", "greedy", "viterbi"];
const SYMBOLS = ["bytes", "units"];
const UNKNOWN = ["none", "spell", "bytes", "id"];
export const KEEP = 0;
export const WAITS = 2;

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
