// js-tiktoken's class over our encodings: its methods, its defaults, and its results. README.md says where they differ.

import { argumentError, isIterable, requireString } from "../arguments.js";
import { WwhoError } from "../errors.js";
import { encodingName } from "../openai/names.js";
import { listOf } from "../parts.js";
import { refuseSpelled } from "./spelled.js";

/** @typedef {import("../tokenizer.js").BaseTokenizer} Tokenizer */

/** Where a ranks object has the function that loads its tokenizer; the same in modules of both kinds. */
const LOAD = /* @__PURE__ */ Symbol.for("wwho.load");
/** Models that OpenAI's tiktoken gives another encoding than js-tiktoken 1.0.21 does. */
const DISPUTED = new Map([
  ["davinci-002", "p50k_base"],
  ["babbage-002", "r50k_base"],
]);
/** Encodings of OpenAI's models that js-tiktoken does not have. */
const MISSING = new Set(["o200k_harmony"]);
/** Names of js-tiktoken's that OpenAI does not have. */
const OTHER_NAMES = new Map([["gpt-35-turbo", "cl100k_base"]]);

/**
 * Return what stands for a file of ranks: only the class here reads it.
 * @param {string} name of the encoding
 * @param {() => Tokenizer} load
 */
export function ranksOf(name, load) {
  /** Reject a field that our encodings do not have. @param {string} field */
  const refuse = (field) => {
    throw new WwhoError("ARGUMENT", `the ranks of ${name} have no ${field} here; give them to Tiktoken of wwho/compat/js-tiktoken/lite as they are, or use js-tiktoken's`);
  };
  return {
    [LOAD]: load,
    get special_tokens() {
      return Object.fromEntries(load().specialTokens);
    },
    get pat_str() {
      return refuse("pat_str");
    },
    get bpe_ranks() {
      return refuse("bpe_ranks");
    },
  };
}

/** An encoding with js-tiktoken's methods. */
export class Tiktoken {
  #tokenizer;

  /**
   * @param {any} ranks of wwho/compat/js-tiktoken/ranks/NAME
   * @param {Record<string, number>} [extendedSpecialTokens] ids by texts
   * @throws {WwhoError} ARGUMENT for js-tiktoken's own ranks, and for an id that another token has
   */
  constructor(ranks, extendedSpecialTokens) {
    // In CommonJS, a module is an object that has the default export.
    const load = ranks?.[LOAD] ?? ranks?.default?.[LOAD];
    if (typeof load !== "function") throw argumentError("ranks", ranks, 'the default export of wwho/compat/js-tiktoken/ranks/NAME, such as "o200k_base"');
    const tokenizer = load();
    this.#tokenizer = extendedSpecialTokens && Object.keys(extendedSpecialTokens).length > 0 ? tokenizer.withSpecialTokens(extendedSpecialTokens, { sharesIds: true }) : tokenizer;
  }

  /**
   * Return the ids of a text. Text that spells a special token is an error, unless the call allows it or disallows none.
   * @param {string} text
   * @param {readonly string[] | "all"} [allowedSpecial]
   * @param {readonly string[] | "all"} [disallowedSpecial]
   * @returns {number[]}
   * @throws {WwhoError} ARGUMENT; SPECIAL_TOKEN for a text with one that is disallowed
   */
  encode(text, allowedSpecial = [], disallowedSpecial = "all") {
    requireString(text);
    const tokenizer = this.#tokenizer;
    const all = [...tokenizer.specialTokens.keys()];
    const allowed = new Set(allowedSpecial === "all" ? all : namesIn(allowedSpecial, "allowedSpecial"));
    const disallowed = disallowedSpecial === "all" ? all.filter((name) => !allowed.has(name)) : namesIn(disallowedSpecial, "disallowedSpecial");
    refuseSpelled(text, disallowed, (token) => `The text contains a special token that is not allowed: ${token}`);
    const known = all.filter((name) => allowed.has(name));
    return listOf(/** @type {Uint32Array} */ (tokenizer.encode(text, known.length > 0 ? { allowedSpecial: known } : undefined)));
  }

  /**
   * Return the text of ids; broken UTF-8 becomes U+FFFD.
   * @param {Iterable<number>} tokens
   * @returns {string}
   * @throws {WwhoError} TOKEN for an id without a token, which js-tiktoken leaves out
   */
  decode(tokens) {
    return this.#tokenizer.decode(tokens);
  }
}

/**
 * Return the names that a caller gives, once it is sure that they are a list.
 * @param {any} names
 * @param {string} what the argument's name
 * @returns {string[]}
 * @throws {WwhoError} ARGUMENT
 */
function namesIn(names, what) {
  if (!isIterable(names)) throw argumentError(what, names, 'a list of special tokens, or "all"');
  return [...names];
}

/**
 * Return the ranks of an encoding by its name.
 * @template T
 * @param {Readonly<Record<string, T>>} all by name
 * @param {unknown} name
 * @returns {T}
 * @throws {WwhoError} ARGUMENT for another name
 */
export function findRanks(all, name) {
  if (typeof name === "string" && Object.hasOwn(all, name)) return all[name];
  throw argumentError("the encoding", name, `one of js-tiktoken's, ${Object.keys(all).join(", ")}; others are in wwho`);
}

/**
 * Return the name of a model's encoding.
 * @param {string} model also names that are newer than js-tiktoken
 * @returns {string}
 * @throws {WwhoError} ARGUMENT for an unknown model, for one whose encoding js-tiktoken does not have, and for two models for which js-tiktoken and
 *   OpenAI's tiktoken name different encodings
 */
export function getEncodingNameForModel(model) {
  const theirs = DISPUTED.get(model);
  if (theirs !== undefined) {
    throw argumentError("model", model, `another: its encoding is ${theirs} in js-tiktoken, ${encodingName(model)} in OpenAI's tiktoken; call getEncoding with the one that you mean`);
  }
  const name = OTHER_NAMES.get(model) ?? encodingName(model);
  if (MISSING.has(name)) throw argumentError("model", model, `another: js-tiktoken does not have its encoding, ${name}; call getEncoding of wwho with that name`);
  return name;
}
