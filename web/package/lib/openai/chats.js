// Chats in tokens: how many, which ids, and which messages fit. The entries load encodings; openai-models.js has the facts.

import { argumentError, isIterable, requireKnown, tokenLimit } from "../arguments.js";
import { WwhoError } from "../errors.js";
import { newestThatFit } from "./fitting.js";
import { imageTokens } from "./images.js";
import { formOf, messagePieces } from "./messages.js";
import { bareName, contextOf, encodingName, encodingOfChats } from "./names.js";
import { countPieces, encodePieces } from "./pieces.js";
import { messageOf } from "./responses.js";
import { choicePieces, toolPieces, toolsIn } from "./tools.js";

/** @typedef {import("./pieces.js").Piece} Piece */
/** @typedef {{ given: any[], messages: Piece[][], once: Piece[], answer: Piece[], encoding: string, model: string }} Plan the messages as they were given; their pieces; those of what comes once, tools and their choice; those of the beginning of the answer */
/** @typedef {{ options: readonly string[], use: (plan: Plan, tokenizer: any, options: any) => any }} Method its own options, and what it does */
/** @typedef {(name: any, options?: any) => Promise<any>} GetEncoding */

/** The options of all methods: the fields of a request that cost tokens, and how they are counted. */
const OPTIONS = ["tokenizer", "tools", "tool_choice", "functions", "function_call", "imageSize"];
const KEPT_ROLES = ["system", "developer"];

/**
 * Return a chat as the model reads it.
 * @param {Iterable<any>} messages in OpenAI's form: of Chat Completions, or items of Responses
 * @param {string} model
 * @param {any} options
 * @param {readonly string[]} own options of the method
 * @returns {Plan}
 * @throws {WwhoError} ARGUMENT for an unknown model or one without chats, and for what cannot be counted
 */
function planChat(messages, model, options, own) {
  requireKnown(options, new Set([...OPTIONS, ...own]));
  const { imageSize } = options;
  if (imageSize !== undefined && typeof imageSize !== "function") {
    throw argumentError("imageSize", imageSize, "a function that returns { width, height } for a URL");
  }
  const encoding = encodingOfChats(model);
  if (!isIterable(messages)) throw argumentError("messages", messages, "a list of { role, content }");
  const given = [...messages];
  const list = given.map(messageOf);
  const tools = toolsIn(options);
  const form = formOf(bareName(model), encoding);
  const countImage = (/** @type {unknown} */ url, /** @type {unknown} */ detail) => imageTokens(url, detail, model, imageSize);
  const system = list.findIndex((message) => message?.role === "system");
  // The harmony format has its own place for tools.
  const padded = tools.length > 0 && form.kind === "message" ? system : -1;
  return {
    given,
    messages: list.map((message, i) => messagePieces(message, form, i === padded, countImage)),
    once: [...toolPieces(tools, system >= 0), ...choicePieces(options)],
    answer: form.answer,
    encoding,
    model,
  };
}

/**
 * Return the limit that options give a chat: their `limit`, or the model's context, without the tokens of the answer that they reserve.
 * @param {Plan} plan
 * @param {{ limit?: number, reserve?: number }} options
 * @returns {number}
 */
function roomIn({ model }, { limit, reserve = 0 }) {
  const most = limit === undefined ? contextOf(model) : tokenLimit(limit, "limit", 0);
  return most - tokenLimit(reserve, "reserve", 0);
}

/** @type {Method} */
export const COUNT = {
  options: [],
  use: ({ messages, once, answer }, tokenizer) => countPieces([[...messages.flat(), ...once, ...answer]], tokenizer, ([count]) => count),
};

/** @type {Method} */
export const COUNT_EACH = {
  options: [],
  // With the answer, so that there is a text to ask the tokenizer for.
  use: ({ messages, answer }, tokenizer) => countPieces([...messages, answer], tokenizer, (counts) => counts.slice(0, -1)),
};

/** @type {Method} */
export const IS_WITHIN = {
  options: ["limit", "reserve"],
  use: (plan, tokenizer, options) => {
    const room = roomIn(plan, options);
    const { messages, once, answer } = plan;
    return countPieces([[...messages.flat(), ...once, ...answer]], tokenizer, ([count]) => (count <= room ? count : false));
  },
};

/** @type {Method} */
export const ENCODE = {
  options: [],
  use: ({ messages, once, answer, encoding }, tokenizer) => encodePieces([...messages.flat(), ...once, ...answer], encoding, tokenizer),
};

/** @type {Method} */
export const FIT = {
  options: ["limit", "reserve", "keep"],
  use: (plan, tokenizer, options) => {
    const { keep = KEPT_ROLES } = options;
    const kept = new Set(isIterable(keep) ? keep : [undefined]);
    if ([...kept].some((role) => typeof role !== "string")) throw argumentError("keep", keep, 'a list of roles, such as ["system"]');
    const room = roomIn(plan, options);
    return countPieces([...plan.messages, [...plan.once, ...plan.answer]], tokenizer, (counts) => {
      const once = counts.at(-1) ?? 0;
      const { stays, tokens, missing } = newestThatFit(plan.given, counts.slice(0, -1), room - once, kept);
      if (missing > 0) {
        throw new WwhoError("LIMIT", `the messages that must stay, those with the roles ${[...kept].join(", ")} and the newest, have ${room + missing} tokens with what belongs to them; expected at most ${room}; shorten them, or raise the limit`);
      }
      return { messages: plan.given.filter((_, i) => stays[i]), counts: counts.slice(0, -1).filter((_, i) => stays[i]), tokens: tokens + once };
    });
  },
};

/**
 * Make a function of wwho/openai from a method. With the option `tokenizer` it works at once, without it when the encoding is loaded.
 * @param {Method} method
 * @param {GetEncoding} getEncoding
 * @returns {(messages: Iterable<any>, model: string, options?: any) => any}
 */
export function chatFunction({ options: own, use }, getEncoding) {
  return (messages, model, options = {}) => {
    if (options?.tokenizer !== undefined) return use(planChat(messages, model, options, own), options.tokenizer, options);
    return (async () => {
      const plan = planChat(messages, model, options, own);
      return use(plan, await getEncoding(plan.encoding), options);
    })();
  };
}

/**
 * Make the function that loads the encoding of a model.
 * @param {GetEncoding} getEncoding
 * @returns {(model: string, options?: import("../source.js").LoadOptions) => Promise<any>}
 */
export const encodingFunction = (getEncoding) => async (model, options) => getEncoding(encodingName(model), options);

/**
 * Reject: where a program is one file, no encoding is loaded by its name, so that the file holds no other than the program imports.
 * @param {string} name of the encoding
 * @returns {Promise<never>}
 * @throws {WwhoError} ARGUMENT, with what to do
 */
export async function refuseToLoad(name) {
  throw new WwhoError("ARGUMENT", `tokenizer is undefined; here no encoding is loaded by its name; import { load } from "wwho/${name}", and give { tokenizer: load() }`);
}
