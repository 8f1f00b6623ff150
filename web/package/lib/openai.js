// How OpenAI's models count a chat, and what they cost. openai-models.js has the facts; the entries load encodings.

import { argumentError, isIterable, requireKnown } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { date, models as facts, prefixes } from "./openai-models.js";

/** @typedef {{ input: number, cached?: number, output?: number }} Rates */
/** @typedef {Rates & { long?: Rates & { above: number } }} Price */
/** @typedef {{ encoding: string, context?: number, output?: number, chat?: boolean, price?: Price }} Model */
/** @typedef {{ texts: string[], overhead: number }} Counted texts whose tokens are added up, and further tokens */

/** The day on which the prices were last compared with OpenAI's. */
export const modelsDate = date;
/** @type {Readonly<Record<string, Model>>} */
export const models = facts;

const HARMONY = "o200k_harmony";
const ENCODINGS_OF_CHATS = new Set(["cl100k_base", "o200k_base", HARMONY]);
/** The one format in which a message costs more, and a name replaces the role. */
const FIRST_FORMAT = /^gpt-3\.5(-turbo)?-0301$/;
const MOST_SHOWN = 5;
/** The fields that count in a chat, and in its tools. */
const CHAT_OPTIONS = new Set(["tokenizer", "tools", "tool_choice", "functions", "function_call"]);
const USAGE = new Set(["input", "cached", "output"]);

/**
 * The encoding of a model: by its name, otherwise by the prefix with which dated and fine-tuned names begin.
 * @param {string} model
 * @returns {string}
 * @throws {WwhoError} ARGUMENT
 */
function encodingName(model) {
  if (typeof model !== "string") throw argumentError("model", model, 'the name of a model, such as "gpt-4o"');
  if (Object.hasOwn(models, model)) return models[model].encoding;
  const prefix = Object.entries(prefixes).find(([start]) => model.startsWith(start));
  if (prefix) return prefix[1];
  const near = alike(model).map((name) => JSON.stringify(name));
  throw argumentError(
    "model",
    model,
    `a model known on ${date}, such as ${near.join(", ")}; if you know its encoding, call getEncoding`,
  );
}

/** The names of models that share the most pairs of characters with this name. @param {string} name */
function alike(name) {
  const pairs = (/** @type {string} */ text) => {
    const letters = text.toLowerCase().replace(/[^a-z0-9]/g, "");
    return new Set(Array.from(letters, (_, i) => letters.slice(i, i + 2)));
  };
  const given = pairs(name);
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

/**
 * The functions that load encodings, for a runtime with its own way to find them.
 * @template T
 * @param {(name: any, options?: import("./source.js").LoadOptions) => Promise<T>} getEncoding
 */
export function withEncodings(getEncoding) {
  /** @param {string} model such as "gpt-4o" @param {import("./source.js").LoadOptions} [options] */
  const encodingForModel = async (model, options) => getEncoding(encodingName(model), options);
  /** @param {Iterable<any>} messages @param {string} model @param {any} [options] */
  const countChat = (messages, model, options = {}) => count(messages, model, options, encodingForModel);
  return { countChat, encodingForModel };
}

/**
 * The tokens of a chat as the model reads it, including the beginning of its answer.
 * @param {Iterable<any>} messages
 * @param {string} model
 * @param {any} options
 * @param {(model: string) => Promise<any>} load
 * @returns {Promise<number>}
 */
async function count(messages, model, options, load) {
  requireKnown(options, CHAT_OPTIONS);
  const encoding = encodingName(model);
  if (!ENCODINGS_OF_CHATS.has(encoding) || (Object.hasOwn(models, model) && !models[model].chat)) {
    throw argumentError("model", model, 'one that takes chats, such as "gpt-4o"');
  }
  if (!isIterable(messages)) throw argumentError("messages", messages, "a list of { role, content }");
  const list = Array.from(messages, checkedMessage);
  const tools = toolsIn(options);
  const parts =
    encoding === HARMONY ? harmonyMessages(list) : chatMessages(list, FIRST_FORMAT.test(model), tools.length > 0);
  const all = [parts, countTools(list, tools), countChoice(options)];
  const tokenizer = options.tokenizer ?? (await load(model));
  const counts = await Promise.all(all.flatMap(({ texts }) => texts).map((text) => tokenizer.countTokens(text)));
  return [...counts, ...all.map(({ overhead }) => overhead)].reduce((sum, n) => sum + n, 0);
}

/**
 * <|im_start|>role<|im_sep|>content<|im_end|> of each message, and the beginning of the answer: OpenAI's own numbers.
 * @param {any[]} messages
 * @param {boolean} first whether it is the first format
 * @param {boolean} withTools whether there are tools: a line feed separates them from the first system message
 * @returns {Counted}
 */
function chatMessages(messages, first, withTools) {
  const texts = [];
  let overhead = 3;
  const padded = withTools ? messages.findIndex(({ role }) => role === "system") : -1;
  for (const [i, message] of messages.entries()) {
    const { role, name } = message;
    const content = textOf(message);
    texts.push(role, i === padded && content && !content.endsWith("\n") ? `${content}\n` : content);
    overhead += first ? 4 : 3;
    if (name) {
      texts.push(name);
      overhead += first ? -1 : 1;
    }
    if (role === "function" || role === "tool") overhead -= 2;
    for (const { name: called = "", arguments: given = "" } of callsIn(message)) {
      texts.push(called, given);
      overhead += 3;
    }
  }
  return { texts, overhead };
}

/**
 * <|start|>role<|message|>content<|end|> of each message, with channel, recipient and constraint as in gpt-oss.
 * @param {any[]} messages
 * @returns {Counted}
 */
function harmonyMessages(messages) {
  const texts = ["assistant"];
  let overhead = 1;
  for (const message of messages) {
    const { name, role, channel, recipient, constraint } = message;
    texts.push(name ?? role, textOf(message));
    overhead += 3;
    if (recipient) texts.push(` to=${recipient}`);
    for (const text of [channel, constraint]) {
      if (!text) continue;
      texts.push(text);
      overhead += 1;
    }
    for (const { name: called = "", arguments: given = "" } of callsIn(message)) {
      texts.push(called, given);
      overhead += 3;
    }
  }
  return { texts, overhead };
}

/** @param {any} message */
function checkedMessage(message) {
  if (typeof message?.role === "string") return message;
  throw argumentError("the role of a message", message?.role, 'a string, such as "user"');
}

/** @param {any} message */
function textOf({ content }) {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!isIterable(content)) throw argumentError("the content of a message", content, "a string or a list of parts");
  return Array.from(content, (part) => {
    if (typeof part?.text === "string") return part.text;
    throw new WwhoError("ARGUMENT", `a part of type ${part?.type} has no text; only text can be counted, leave it out`);
  }).join("");
}

/** @param {any} message @returns {{ name?: string, arguments?: string }[]} */
function callsIn({ function_call: call, tool_calls: calls = [] }) {
  return [...(call ? [call] : []), ...calls.map((/** @type {any} */ each) => each.function ?? {})];
}

/** @param {any} options @returns {any[]} definitions of functions */
function toolsIn({ tools = [], functions = [] }) {
  for (const [what, list] of Object.entries({ tools, functions })) {
    if (!Array.isArray(list)) throw argumentError(what, list, "a list of definitions");
  }
  return [...functions, ...tools.map((/** @type {any} */ tool) => tool.function ?? tool)];
}

/** @param {any[]} messages @param {any[]} tools @returns {Counted} */
function countTools(messages, tools) {
  if (tools.length === 0) return { texts: [], overhead: 0 };
  const system = messages.some(({ role }) => role === "system");
  return { texts: [namespaceOf(tools)], overhead: system ? 5 : 9 };
}

/** @param {any} options @returns {Counted} */
function countChoice({ function_call: call, tool_choice: choice = call }) {
  const name = choice?.function?.name ?? choice?.name;
  if (name) return { texts: [name], overhead: 4 };
  return { texts: [], overhead: choice === "none" ? 1 : 0 };
}

/** Functions as the models see them: a TypeScript namespace. @param {any[]} functions */
function namespaceOf(functions) {
  const types = functions.map(({ name, description, parameters }) => {
    const comment = description ? `// ${description}\n` : "";
    const empty = Object.keys(parameters?.properties ?? {}).length === 0;
    return `${comment}type ${name} = ${empty ? "()" : `(_: {\n${fieldsOf(parameters, 0)}\n})`} => any;\n\n`;
  });
  return `namespace functions {\n\n${types.join("")}} // namespace functions`;
}

/** @param {any} schema of an object @param {number} indent @returns {string} */
function fieldsOf({ properties = {}, required = [] }, indent) {
  const margin = " ".repeat(indent);
  const lines = Object.entries(properties).map(([name, /** @type {any} */ schema]) => {
    const comment = schema.description && indent < 2 ? `${margin}// ${schema.description}\n` : "";
    return `${comment}${margin}${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema, indent)},`;
  });
  return lines.join("\n");
}

/** @param {any} schema @param {number} indent @returns {string} */
function typeOf(schema, indent) {
  const { type, enum: values, items } = schema;
  switch (type) {
    case "string":
      return values?.map((/** @type {any} */ value) => JSON.stringify(value)).join(" | ") ?? "string";
    case "integer":
    case "number":
      return values?.join(" | ") ?? "number";
    case "boolean":
    case "null":
      return type;
    case "array":
      return items ? `${typeOf(items, indent)}[]` : "any[]";
    case "object":
      return `{\n${fieldsOf(schema, indent + 2)}\n${" ".repeat(indent)}}`;
    default:
      return "any";
  }
}

/**
 * What tokens cost, in dollars.
 * @param {string} model
 * @param {{ input?: number, cached?: number, output?: number }} usage in tokens; `cached` is a part of `input`
 * @returns {number}
 * @throws {WwhoError} ARGUMENT
 */
export function estimateCost(model, usage) {
  requireKnown(usage, USAGE);
  const { input = 0, cached = 0, output = 0 } = usage;
  for (const [what, value] of Object.entries({ input, cached, output })) {
    if (!(typeof value === "number" && value >= 0)) throw argumentError(what, value, "a number of tokens, 0 or more");
  }
  if (cached > input) throw argumentError("cached", cached, `at most input, which is ${input}: it is a part of it`);
  encodingName(model); // or its error
  const price = Object.hasOwn(models, model) ? models[model].price : undefined;
  if (price === undefined) {
    throw new WwhoError("ARGUMENT", `the price of ${JSON.stringify(model)} was not known on ${date}; compute the cost yourself`);
  }
  const rates = price.long && input > price.long.above ? price.long : price;
  const { input: each, cached: eachCached = each, output: eachOutput = 0 } = rates;
  return ((input - cached) * each + cached * eachCached + output * eachOutput) / 1e6;
}
