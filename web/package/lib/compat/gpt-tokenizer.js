// gpt-tokenizer's functions over our encodings: its names, its defaults, and its results. README.md says where they differ.

import { argumentError, isIterable, requireIterable, requireKnown, requireString } from "../arguments.js";
import { newDecoder } from "../decoding.js";
import { WwhoError } from "../errors.js";
import { itemsOf } from "../items.js";
import { listOf } from "../parts.js";
import { COUNT, chatFunction, refuseToLoad } from "../openai/chats.js";
import { encodingOfChats } from "../openai/names.js";
import { chatIds } from "./gpt-chats.js";
import { EndOfPrompt, EndOfText, FimMiddle, FimPrefix, FimSuffix, ImEnd, ImSep, ImStart } from "./special-names.js";
import { refuseSpelled } from "./spelled.js";

/** @typedef {import("../tokenizer.js").BaseTokenizer} Tokenizer */
/** @typedef {{ allowedSpecial?: ReadonlySet<string> | "all", disallowedSpecial?: ReadonlySet<string> | "all" }} EncodeOptions */
/** @typedef {EncodeOptions & { primeWithAssistantResponse?: string }} ChatOptions */
/** @typedef {{ allowed: ReadonlySet<string>, refused: readonly string[] }} Specials which special tokens are found, and which are errors */
/** @typedef {string | Iterable<import("./gpt-chats.js").ChatMessage>} Input */

const ENCODE_OPTIONS = new Set(["allowedSpecial", "disallowedSpecial"]);
const CHAT_OPTIONS = new Set([...ENCODE_OPTIONS, "primeWithAssistantResponse"]);
/** The fields of a request that are counted. */
const REQUEST = new Set(["messages", "tools", "tool_choice", "functions", "function_call"]);
const FIM = [FimPrefix, FimMiddle, FimSuffix];
const IM = [ImStart, ImEnd, ImSep];

/** Return texts with ids that count up from the first. @param {number} first @param {readonly string[]} texts @returns {[string, number][]} */
const withNumbers = (first, texts) => texts.map((text, i) => [text, first + i]);

/**
 * gpt-tokenizer's special tokens, of which some have ids of its own, and how many tokens it has. Those of o200k_harmony are ours, but one
 * id has two texts there.
 * @type {Readonly<Record<string, { size: number, tokens?: readonly [string, number][] }>>}
 */
const FACTS = {
  cl100k_base: { size: 100_264, tokens: [...withNumbers(100_257, [EndOfText, ...FIM]), ...withNumbers(100_264, IM), [EndOfPrompt, 100_276]] },
  gpt2: { size: 50_257, tokens: [[EndOfText, 50_256]] },
  o200k_base: { size: 200_006, tokens: withNumbers(199_999, [EndOfText, ...FIM, ...IM, EndOfPrompt]) },
  o200k_harmony: { size: 201_089 },
  p50k_base: { size: 50_281, tokens: [[EndOfText, 50_256]] },
  p50k_edit: { size: 50_284, tokens: [[EndOfText, 50_256], ...withNumbers(50_281, FIM)] },
  r50k_base: { size: 50_257, tokens: [[EndOfText, 50_256]] },
};

/**
 * Return the functions that gpt-tokenizer exports for an encoding, or for a model.
 * @param {() => Tokenizer} load opens the encoding, at the first call that needs it
 * @param {string} encoding its name
 * @param {string} [model] the name of the model
 */
export function gptFunctions(load, encoding, model) {
  const { size, tokens } = FACTS[encoding];
  /** @type {Map<string, number> | undefined} */
  let ids;
  const specials = () => (ids ??= new Map(tokens ?? load().specialTokens));
  /** @type {Map<number, string> | undefined} */
  let texts;
  const specialTexts = () => (texts ??= new Map([...specials()].map(([text, id]) => [id, text])));

  /**
   * Return what the options of a call mean: gpt-tokenizer refuses all special tokens that are not allowed, but none if the call names any
   * that are disallowed.
   * @param {EncodeOptions | null} [options]
   * @returns {Specials}
   * @throws {WwhoError} ARGUMENT
   */
  const readOptions = (options) => {
    requireKnown(options ?? {}, ENCODE_OPTIONS);
    const allowedSpecial = namesIn(options, "allowedSpecial");
    const disallowedSpecial = namesIn(options, "disallowedSpecial");
    const all = () => [...specials().keys()];
    if (allowedSpecial === "all" || allowedSpecial?.has("all")) {
      if (disallowedSpecial === "all") throw new WwhoError("ARGUMENT", 'allowedSpecial and disallowedSpecial cannot both be set to "all".');
      const disallowed = disallowedSpecial ?? new Set();
      return { allowed: new Set(all().filter((text) => !disallowed.has(text))), refused: disallowed.has("all") ? all().filter((text) => disallowed.has(text)) : [] };
    }
    const allowed = allowedSpecial ?? new Set();
    const disallowsAll = disallowedSpecial === undefined || disallowedSpecial === "all" || disallowedSpecial.has("all");
    return { allowed, refused: disallowsAll ? all().filter((text) => !allowed.has(text)) : [] };
  };

  /**
   * Cut a text into the special tokens that it begins with, where alone gpt-tokenizer finds them, and the rest.
   * @param {string} text
   * @param {EncodeOptions | null} [options]
   * @returns {{ first: number[], rest: string }} the ids of the special tokens
   * @throws {WwhoError} ARGUMENT; SPECIAL_TOKEN for a text with one that is refused
   */
  const cut = (text, options) => {
    requireString(text);
    // All special tokens begin so, and most texts have none.
    const mayHave = text.includes("<|");
    if ((options === undefined || options === null) && !mayHave) return { first: [], rest: text };
    const { allowed, refused } = readOptions(options);
    if (!mayHave || (allowed.size === 0 && refused.length === 0)) return { first: [], rest: text };
    refuseSpelled(text, refused, (token) => `Disallowed special token found: ${token}`);
    const first = [];
    let at = 0;
    for (;;) {
      const found = [...specials()].find(([token]) => allowed.has(token) && text.startsWith(token, at));
      if (!found) return { first, rest: text.slice(at) };
      first.push(found[1]);
      at += found[0].length;
    }
  };

  const api = {
    modelName: model,
    vocabularySize: size,

    /** Return the ids of a text. @param {string} text @param {EncodeOptions} [options] @returns {number[]} */
    encode(text, options) {
      const { first, rest } = cut(text, options);
      const ids = listOf(/** @type {Uint32Array} */ (load().encode(rest))); // quicker than the option
      return first.length > 0 ? first.concat(ids) : ids;
    },

    /** Yield the ids of each pretoken; return how many the last one has. @param {string} text @param {EncodeOptions} [options] */
    *encodeGenerator(text, options) {
      const { first, rest } = cut(text, options);
      for (const id of first) yield [id];
      const { ids: all, starts, unitEnds } = /** @type {{ ids: Uint32Array, starts: Uint32Array, unitEnds: Uint32Array }} */ (load().encodeWithOffsets(rest, { units: true }));
      let [from, i] = [0, 0];
      for (const end of unitEnds) {
        for (from = i; i < all.length && starts[i] < end; ) i++;
        yield listOf(all.subarray(from, i));
      }
      return unitEnds.length > 0 ? i - from : Math.min(first.length, 1);
    },

    /** Return the number of ids of a text, or of a chat of the model. @param {Input} input @param {EncodeOptions} [options] @returns {number} */
    countTokens(input, options) {
      if (typeof input !== "string") return api.encodeChat(input, undefined, options).length;
      const { first, rest } = cut(input, options);
      return first.length + load().countTokens(rest);
    },

    /**
     * Return the number of ids of a text or a chat, or false if there are more than `limit`.
     * @param {Input} input
     * @param {number} limit in tokens
     * @param {EncodeOptions} [options]
     * @returns {number | false}
     */
    isWithinTokenLimit(input, limit, options) {
      if (typeof limit !== "number" || Number.isNaN(limit)) throw argumentError("the limit", limit, "a number of tokens");
      if (typeof input !== "string") {
        const count = api.encodeChat(input, undefined, options).length;
        return count <= limit && count;
      }
      const { first, rest } = cut(input, options);
      const left = limit - first.length;
      if (left < 0) return first.length + rest.length === 0 ? 0 : false;
      const count = load().isWithinTokenLimit(rest, left);
      return count === false ? false : first.length + count;
    },

    /**
     * Yield the ids of a chat, some at a time.
     * @param {Iterable<import("./gpt-chats.js").ChatMessage>} chat
     * @param {string} [name] of the model
     * @param {ChatOptions} [options]
     */
    *encodeChatGenerator(chat, name = model, options) {
      if (!name) throw new WwhoError("ARGUMENT", "Model name must be provided either during initialization or passed in to the method.");
      encodingOfChats(name);
      requireKnown(options ?? {}, CHAT_OPTIONS);
      if (!isIterable(chat)) throw argumentError("the chat", chat, "a list of { role, content }");
      yield* chatIds(chat, name, options, { specials: specials(), encode: api.encode, encodeGenerator: api.encodeGenerator });
    },

    /**
     * Return the ids of a chat.
     * @param {Iterable<import("./gpt-chats.js").ChatMessage>} chat
     * @param {string} [name] of the model
     * @param {ChatOptions} [options]
     * @returns {number[]}
     */
    encodeChat(chat, name = model, options) {
      return [...api.encodeChatGenerator(chat, name, options)].flat();
    },

    /**
     * Return the number of tokens of a request with tools, as countChat of wwho/openai counts them.
     * @param {any} request whose fields countChat takes as options
     * @returns {number}
     * @throws {WwhoError} ARGUMENT for another field, such as `temperature`
     */
    countChatCompletionTokens(request) {
      requireKnown(request, REQUEST, "the request");
      const { messages, ...rest } = request;
      return countRequest(messages, /** @type {string} */ (model), { ...rest, tokenizer: load() });
    },

    /** Return the text of ids. @param {Iterable<number>} given @returns {string} */
    decode(given) {
      requireIterable(given);
      const ids = Array.from(given);
      const own = specialTexts();
      return ids.some((id) => own.has(id)) ? [...api.decodeGenerator(ids)].join("") : load().decode(ids);
    },

    /** Yield the text token by token, in whole characters. @param {Iterable<number>} given */
    *decodeGenerator(given) {
      requireIterable(given);
      const { add, end } = decoder();
      for (const id of given) {
        const text = add(id);
        if (text) yield text;
      }
      const rest = end();
      if (rest) yield rest;
    },

    /** Yield the text of ids that come one by one. @param {AsyncIterable<number>} given */
    async *decodeAsyncGenerator(given) {
      const { add, end } = decoder();
      for await (const id of itemsOf(given)) {
        const text = add(id);
        if (text) yield text;
      }
      const rest = end();
      if (rest) yield rest;
    },

    /** Return the text of ids that come one by one. @param {AsyncIterable<number>} given @returns {Promise<string>} */
    async decodeAsync(given) {
      let all = "";
      for await (const text of api.decodeAsyncGenerator(given)) all += text;
      return all;
    },

    /** Do nothing: the core's cache has a fixed size, and results do not depend on it. */
    setMergeCacheSize() {},

    /** Do nothing, as setMergeCacheSize. */
    clearMergeCache() {},

    /**
     * Return what tokens cost at the prices of a specification in gpt-tokenizer's form.
     * @param {number} count
     * @param {{ name?: string, price_data?: Record<string, Record<string, number>> }} [spec] with prices for a million tokens
     */
    estimateCost(count, spec) {
      if (spec === undefined && model !== undefined) {
        throw new WwhoError("ARGUMENT", `there is no modelSpec; gpt-tokenizer's prices are not here; give them as the second argument, or use estimateCost(${JSON.stringify(model)}, usage) of wwho/openai, with OpenAI's`);
      }
      if (spec === undefined) throw new WwhoError("ARGUMENT", "Model spec must be provided either during initialization or passed in to the method.");
      if (!spec.price_data) throw new WwhoError("ARGUMENT", `No cost information available for model: ${spec.name}`);
      return costs(count, spec.price_data);
    },
  };

  /** Return functions that decode ids one by one: `add` gives the text that is complete with one more, `end` the rest. */
  const decoder = () => {
    const utf8 = newDecoder();
    const add = (/** @type {number} */ id) => {
      const special = specialTexts().get(id);
      return special === undefined ? utf8.decode(load().tokenBytes(id), { stream: true }) : utf8.decode() + special;
    };
    return { add, end: () => utf8.decode() };
  };

  return api;
}

/**
 * Return the special tokens that an option names.
 * @param {any} options
 * @param {"allowedSpecial" | "disallowedSpecial"} option
 * @returns {ReadonlySet<string> | "all" | undefined} undefined if the option is left out, or null
 * @throws {WwhoError} ARGUMENT for a list, and for everything else that gpt-tokenizer does not take
 */
function namesIn(options, option) {
  const names = options?.[option] ?? undefined;
  if (names === undefined || names === "all" || (isIterable(names) && typeof /** @type {any} */ (names).has === "function")) return names;
  throw argumentError(option, names, 'a Set of special tokens, or "all"');
}

const countRequest = /* @__PURE__ */ chatFunction(COUNT, refuseToLoad);

const RATES = ["input", "output", "cached_input", "cached_output"];

/**
 * Return the cost of tokens at each rate, undefined for those that there are not.
 * @param {number} count
 * @param {Record<string, Record<string, number>>} prices for a million tokens, of "main" and "batch"
 */
function costs(count, prices) {
  const kinds = ["main", "batch"].filter((kind) => prices[kind]);
  const cost = (/** @type {number | undefined} */ rate) => rate && rate * (count / 1_000_000);
  return Object.fromEntries(kinds.map((kind) => [kind, Object.fromEntries(RATES.map((rate) => [rate, cost(prices[kind][rate])]))]));
}
