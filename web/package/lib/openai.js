// How OpenAI's models count a chat, and what they cost. openai-models.js has the facts; the entries load encodings.

import { argumentError, isIterable, requireKnown } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { date, models as facts, prefixes } from "./openai-models.js";

/** @typedef {{ input: number, cached?: number, output?: number }} Rates */
/** @typedef {Rates & { long?: Rates & { above: number } }} Price */
/** @typedef {{ encoding: string, context?: number, output?: number, chat?: boolean, price?: Price }} Model */
/** @typedef {{ texts: string[], overhead: number }} Summands what a part of a chat costs: the tokens of the texts, each encoded alone, and `overhead` more */

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
 * Return the encoding of a model: by its name, otherwise by the prefix with which dated and fine-tuned names begin.
 * @param {string} model such as "gpt-4o-2024-08-06"
 * @returns {string} such as "o200k_base"
 * @throws {WwhoError} ARGUMENT for an unknown model; the message has names that are alike
 */
function encodingName(model) {
  if (typeof model !== "string") throw argumentError("model", model, 'the name of a model, such as "gpt-4o"');
  if (Object.hasOwn(models, model)) return models[model].encoding;
  const prefix = Object.entries(prefixes).find(([start]) => model.startsWith(start));
  if (prefix) return prefix[1];
  const near = similarNames(model).map((name) => JSON.stringify(name));
  throw argumentError(
    "model",
    model,
    `a model known on ${date}, such as ${near.join(", ")}; if you know its encoding, call getEncoding`,
  );
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

/**
 * Make the functions of wwho/openai that load encodings, for a runtime with its own way to find them.
 * @template T
 * @param {(name: any, options?: import("./source.js").LoadOptions) => Promise<T>} getEncoding
 */
export function withEncodings(getEncoding) {
  /**
   * Load the encoding of a model.
   * @param {string} model such as "gpt-4o"
   * @param {import("./source.js").LoadOptions} [options]
   * @throws {WwhoError} ARGUMENT for an unknown model; what getEncoding throws
   */
  const encodingForModel = async (model, options) => getEncoding(encodingName(model), options);
  /**
   * Count the input tokens of a chat.
   * @param {Iterable<any>} messages
   * @param {string} model
   * @param {any} [options]
   */
  const countChat = (messages, model, options = {}) => countTokensOfChat(messages, model, options, encodingForModel);
  return { countChat, encodingForModel };
}

/**
 * Count the tokens of a chat as the model reads it: its messages, the beginning of the answer, and tools.
 * @param {Iterable<any>} messages in OpenAI's form, with a role and a content
 * @param {string} model
 * @param {any} options CHAT_OPTIONS; `tokenizer` is used instead of loading the model's encoding
 * @param {(model: string) => Promise<any>} load loads the model's tokenizer
 * @returns {Promise<number>}
 * @throws {WwhoError} ARGUMENT for an unknown model or one without chats, and for content that is no text
 */
async function countTokensOfChat(messages, model, options, load) {
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
  const all = [parts, toolSummands(list, tools), choiceSummands(options)];
  const tokenizer = options.tokenizer ?? (await load(model));
  const counts = await Promise.all(all.flatMap(({ texts }) => texts).map((text) => tokenizer.countTokens(text)));
  return [...counts, ...all.map(({ overhead }) => overhead)].reduce((sum, n) => sum + n, 0);
}

/**
 * Return what messages cost in the formats of cl100k_base and o200k_base: <|im_start|>role<|im_sep|>content<|im_end|> of each, and 3 tokens
 * for the beginning of the answer. The numbers are OpenAI's own.
 * @param {any[]} messages
 * @param {boolean} isFirstFormat whether it is that of gpt-3.5-0301, in which a message costs one more, and a name replaces the role
 * @param {boolean} withTools whether there are tools: a line feed separates them from the first system message
 * @returns {Summands} texts whose tokens count, each encoded alone, and the number of further tokens
 */
function chatMessages(messages, isFirstFormat, withTools) {
  const texts = [];
  let overhead = 3;
  const padded = withTools ? messages.findIndex(({ role }) => role === "system") : -1;
  for (const [i, message] of messages.entries()) {
    const { role, name } = message;
    const content = textOf(message);
    texts.push(role, i === padded && content && !content.endsWith("\n") ? `${content}\n` : content);
    overhead += isFirstFormat ? 4 : 3;
    if (name) {
      texts.push(name);
      overhead += isFirstFormat ? -1 : 1;
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
 * Return what messages cost in the format of gpt-oss: <|start|>role<|message|>content<|end|> of each, with channel, recipient and
 * constraint, and <|start|>assistant for the beginning of the answer. A message's name stands in place of its role. Each call of a tool in
 * a message counts, too: its name, its arguments and 3 tokens.
 * @param {any[]} messages
 * @returns {Summands} texts whose tokens count, each encoded alone, and the number of further tokens
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

/**
 * Return a message as it is, or reject one without a role.
 * @param {any} message
 * @throws {WwhoError} ARGUMENT
 */
function checkedMessage(message) {
  if (typeof message?.role === "string") return message;
  throw argumentError("the role of a message", message?.role, 'a string, such as "user"');
}

/**
 * Return the text of a message's content: a string, or the parts of a list joined; "" without content.
 * @param {any} message
 * @returns {string}
 * @throws {WwhoError} ARGUMENT for a part without text, such as an image
 */
function textOf({ content }) {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!isIterable(content)) throw argumentError("the content of a message", content, "a string or a list of parts");
  return Array.from(content, (part) => {
    if (typeof part?.text === "string") return part.text;
    throw new WwhoError("ARGUMENT", `a part of type ${part?.type} has no text; only text can be counted, leave it out`);
  }).join("");
}

/**
 * Return the calls of functions in a message, in the old form and the new one.
 * @param {any} message
 * @returns {{ name?: string, arguments?: string }[]}
 */
function callsIn({ function_call: call, tool_calls: calls = [] }) {
  return [...(call ? [call] : []), ...calls.map((/** @type {any} */ each) => each.function ?? {})];
}

/**
 * Return the definitions of functions in options, in the old form and the new one.
 * @param {any} options
 * @returns {any[]}
 * @throws {WwhoError} ARGUMENT for what is no list
 */
function toolsIn({ tools = [], functions = [] }) {
  for (const [what, list] of Object.entries({ tools, functions })) {
    if (!Array.isArray(list)) throw argumentError(what, list, "a list of definitions");
  }
  return [...functions, ...tools.map((/** @type {any} */ tool) => tool.function ?? tool)];
}

/**
 * Return what the definitions of functions cost: their namespace, and its place in a system message.
 * @param {any[]} messages without a system message, that one costs 4 more
 * @param {any[]} tools definitions of functions; none cost nothing
 * @returns {Summands} texts whose tokens count, each encoded alone, and the number of further tokens
 */
function toolSummands(messages, tools) {
  if (tools.length === 0) return { texts: [], overhead: 0 };
  const system = messages.some(({ role }) => role === "system");
  return { texts: [namespaceOf(tools)], overhead: system ? 5 : 9 };
}

/**
 * Return what the choice of a tool costs: 4 and the name of a function that must be called, 1 for "none", otherwise nothing.
 * @param {any} options `tool_choice`, or `function_call` in the old form
 * @returns {Summands} texts whose tokens count, each encoded alone, and the number of further tokens
 */
function choiceSummands({ function_call: call, tool_choice: choice = call }) {
  const name = choice?.function?.name ?? choice?.name;
  if (name) return { texts: [name], overhead: 4 };
  return { texts: [], overhead: choice === "none" ? 1 : 0 };
}

/**
 * Return functions as the models are known to see them: a TypeScript namespace.
 * @param {any[]} functions definitions, with parameters in JSON Schema
 * @returns {string}
 */
function namespaceOf(functions) {
  const types = functions.map(({ name, description, parameters }) => {
    const comment = description ? `// ${description}\n` : "";
    const empty = Object.keys(parameters?.properties ?? {}).length === 0;
    return `${comment}type ${name} = ${empty ? "()" : `(_: {\n${fieldsOf(parameters, 0)}\n})`} => any;\n\n`;
  });
  return `namespace functions {\n\n${types.join("")}} // namespace functions`;
}

/**
 * Return the properties of an object's schema as lines of a TypeScript type: "?" after those that are not required, and descriptions as
 * comments before those of the outermost level.
 * @param {any} schema
 * @param {number} indent the lines' indentation in spaces
 * @returns {string} "" without properties
 */
function fieldsOf({ properties = {}, required = [] }, indent) {
  const margin = " ".repeat(indent);
  const lines = Object.entries(properties).map(([name, /** @type {any} */ schema]) => {
    const comment = schema.description && indent < 2 ? `${margin}// ${schema.description}\n` : "";
    return `${comment}${margin}${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema, indent)},`;
  });
  return lines.join("\n");
}

/**
 * Return the TypeScript type for a schema.
 * @param {any} schema JSON Schema; what is unknown in it becomes "any"
 * @param {number} indent of the line in which the type stands, in spaces
 * @returns {string} of several lines for an object
 */
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
 * Return what tokens cost, in dollars, at the model's standard rates; a call with much input may have higher ones.
 * @param {string} model by its exact name
 * @param {{ input?: number, cached?: number, output?: number }} usage in tokens; `cached` is the part of `input` from the cache
 * @returns {number}
 * @throws {WwhoError} ARGUMENT for wrong numbers, an unknown model, or one whose price is not known
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
