// The names of models: the encoding of each, and errors that say what to do about other names.

import { argumentError, quoteValue } from "../arguments.js";
import { WwhoError } from "../errors.js";
import { date, models, others, prefixes, providers } from "../openai-models.js";

/** @typedef {import("../errors.js").WwhoError} Error */
/** @typedef {{ input: number, cached?: number, cacheWrite?: number, output?: number }} Rates */
/** @typedef {Rates & { long?: Rates & { above: number } }} Price */
/** @typedef {Price & { batch?: Price }} Prices */
/** @typedef {{ encoding: string, context?: number, output?: number, chat?: boolean, price?: Prices, image?: readonly number[] }} Model */

/** @type {Readonly<Record<string, Model>>} */
const FACTS = models;
const ENCODINGS_OF_CHATS = new Set(["cl100k_base", "o200k_base", "o200k_harmony"]);
const MOST_SHOWN = 5;

/**
 * Return the name that OpenAI has for a model: without the provider before it.
 * @param {unknown} model such as "openai/gpt-4o" or "azure/gpt-4o"
 * @returns {string} such as "gpt-4o"
 * @throws {Error} ARGUMENT for no string
 */
export function bareName(model) {
  if (typeof model !== "string") throw argumentError("model", model, 'the name of a model, such as "gpt-4o"');
  const provider = providers.find((each) => model.startsWith(each));
  return provider === undefined ? model : model.slice(provider.length);
}

/**
 * Return what is known of a model by its exact name.
 * @param {string} model also with its provider, "openai/gpt-4o"
 * @returns {Model | undefined}
 */
export function factsOf(model) {
  const name = bareName(model);
  return Object.hasOwn(FACTS, name) ? FACTS[name] : undefined;
}

/**
 * Return the encoding of a model: by its name, otherwise by the prefix with which dated and fine-tuned names begin.
 * @param {string} model such as "gpt-4o-2024-08-06" or "openai/gpt-4o"
 * @returns {string} such as "o200k_base"
 * @throws {Error} ARGUMENT for an unknown model; the message has names that are alike, or says how to count for other companies' models
 */
export function encodingName(model) {
  const name = bareName(model);
  const known = factsOf(model)?.encoding ?? Object.entries(prefixes).find(([start]) => name.startsWith(start))?.[1];
  if (known !== undefined) return known;
  const words = name.toLowerCase().split(/[/:]/);
  const other = others.find((each) => words.some((word) => word.startsWith(each)));
  if (other !== undefined) {
    throw argumentError("model", model, "one of OpenAI's; import the model's own tokenizer with wwho/import, and count its chats with wwho/chat");
  }
  const near = similarNames(name).map((each) => JSON.stringify(each));
  throw argumentError("model", model, `a model known on ${date}, such as ${near.join(", ")}; if you know its encoding, call getEncoding`);
}

/**
 * Return the encoding of a model that takes chats.
 * @param {string} model
 * @returns {string}
 * @throws {Error} ARGUMENT for an unknown model, and for one without chats
 */
export function encodingOfChats(model) {
  const encoding = encodingName(model);
  const facts = factsOf(model);
  if (ENCODINGS_OF_CHATS.has(encoding) && (facts === undefined || facts.chat)) return encoding;
  throw argumentError("model", model, 'one that takes chats, such as "gpt-4o"');
}

/**
 * Return the most tokens of a chat with a model, its answer included.
 * @param {string} model
 * @returns {number}
 * @throws {Error} ARGUMENT if it is not known
 */
export function contextOf(model) {
  const context = factsOf(model)?.context;
  if (context !== undefined) return context;
  throw new WwhoError("ARGUMENT", `the context of ${quoteValue(model)} was not known on ${date}; give the option limit`);
}

/**
 * Return the names of models that are most similar to a name, for an error message: those that share the most pairs of neighbouring
 * letters and digits with it, in proportion to the pairs of both.
 * @param {string} name
 * @returns {string[]} at most five, the most similar first
 */
function similarNames(name) {
  /** Return the pairs of neighbouring letters and digits in a name. */
  const pairs = (/** @type {string} */ text) => {
    const letters = text.toLowerCase().replace(/[^a-z0-9]/g, "");
    return new Set(Array.from(letters, (_, i) => letters.slice(i, i + 2)));
  };
  const given = pairs(name);
  /** Return how many pairs two names share, as a part of all pairs in both. */
  const likeness = (/** @type {string} */ other) => {
    const theirs = pairs(other);
    return [...theirs].filter((pair) => given.has(pair)).length / (given.size + theirs.size);
  };
  return Object.keys(models)
    .map((other) => ({ other, value: likeness(other) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, MOST_SHOWN)
    .map(({ other }) => other);
}
