// What tokens cost.

import { argumentError, quoteValue, requireKnown } from "../arguments.js";
import { WwhoError } from "../errors.js";
import { date } from "../openai-models.js";
import { encodingName, factsOf } from "./names.js";

/** @typedef {{ input: number, cached: number, cacheWrite: number, output: number }} Amounts in tokens; `cached` and `cacheWrite` are parts of `input` */

const OWN = ["input", "cached", "cacheWrite", "output"];
const OPTIONS = new Set(["batch"]);
/**
 * The fields of OpenAI's own usage and what each says, by its path. `undefined`: it is a part of another or a sum, and has no price of its
 * own. What is not here has a price that is not known.
 * @type {Readonly<Record<string, string | undefined>>}
 */
const PUBLISHED = {
  prompt_tokens: "input",
  input_tokens: "input",
  completion_tokens: "output",
  output_tokens: "output",
  total_tokens: undefined,
  "prompt_tokens_details.cached_tokens": "cached",
  "input_tokens_details.cached_tokens": "cached",
  "prompt_tokens_details.cache_write_tokens": "cacheWrite",
  "input_tokens_details.cache_write_tokens": "cacheWrite",
  "input_tokens_details.cache_write_tokens_details": undefined,
  "prompt_tokens_details.text_tokens": undefined,
  "prompt_tokens_details.image_tokens": undefined,
  "completion_tokens_details.text_tokens": undefined,
  "completion_tokens_details.reasoning_tokens": undefined,
  "completion_tokens_details.accepted_prediction_tokens": undefined,
  "completion_tokens_details.rejected_prediction_tokens": undefined,
  "output_tokens_details.reasoning_tokens": undefined,
};

/**
 * Return the amounts that a usage has: in our names, or as OpenAI's answers have it.
 * @param {any} usage
 * @returns {Amounts} what is left out is 0
 * @throws {WwhoError} ARGUMENT for unknown fields, for tokens whose price is not known, such as audio's, and for wrong numbers
 */
function amountsIn(usage) {
  if (typeof usage !== "object" || usage === null) throw argumentError("usage", usage, "an object, such as { input: 1000, output: 200 } or the usage of an answer");
  const amounts = { input: 0, cached: 0, cacheWrite: 0, output: 0 };
  /** Take the amount of one field. */
  const take = (/** @type {string} */ path, /** @type {any} */ value) => {
    if (value === undefined || value === null) return;
    const isPublished = Object.hasOwn(PUBLISHED, path);
    const said = OWN.includes(path) ? path : isPublished ? PUBLISHED[path] : undefined;
    if (said === undefined && (isPublished || value === 0)) return;
    if (said === undefined) throw new WwhoError("ARGUMENT", `usage has a field ${quoteValue(path)}, whose price is not known; expected ${[...OWN, ...Object.keys(PUBLISHED)].join(", ")}`);
    if (!(typeof value === "number" && value >= 0)) throw argumentError(path, value, "a number of tokens, 0 or more");
    const known = /** @type {keyof Amounts} */ (said);
    if (amounts[known] !== 0) throw new WwhoError("ARGUMENT", `usage has ${known} twice, as ${amounts[known]} and as ${value}; leave one out`);
    amounts[known] = value;
  };
  for (const [name, value] of Object.entries(usage)) {
    if (/_details$/.test(name) && typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [part, count] of Object.entries(value)) take(`${name}.${part}`, count);
    } else take(name, value);
  }
  const { input, cached, cacheWrite } = amounts;
  if (cached + cacheWrite > input) throw argumentError("cached", cached, `at most input, which is ${input}: it is a part of it`);
  return amounts;
}

/**
 * Return what tokens cost, in dollars, at the model's standard rates or those of the Batch interface; a call with much input may have
 * higher ones.
 * @param {string} model by its exact name
 * @param {any} usage
 * @param {{ batch?: boolean }} [options]
 * @returns {number}
 * @throws {WwhoError} ARGUMENT for wrong numbers, an unknown model, or one whose price is not known
 */
export function estimateCost(model, usage, options = {}) {
  requireKnown(options, OPTIONS);
  const { batch = false } = options;
  if (typeof batch !== "boolean") throw argumentError("batch", batch, "true or false");
  const { input, cached, cacheWrite, output } = amountsIn(usage);
  encodingName(model); // or its error
  const price = factsOf(model)?.price;
  const standard = batch ? price?.batch : price;
  if (standard === undefined) {
    const what = batch ? "the price of a batch with" : "the price of";
    throw new WwhoError("ARGUMENT", `${what} ${quoteValue(model)} was not known on ${date}; compute the cost yourself`);
  }
  const rates = standard.long && input > standard.long.above ? standard.long : standard;
  const { input: each, cached: eachCached = each, cacheWrite: eachWritten = each, output: eachOutput = 0 } = rates;
  return ((input - cached - cacheWrite) * each + cached * eachCached + cacheWrite * eachWritten + output * eachOutput) / 1e6;
}
