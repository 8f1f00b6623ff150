// wwho/chat: chats as a model reads them, rendered with its tokenizer's template. Templates are Jinja, which lib/jinja.js runs;
// @huggingface/jinja cuts them into tokens, and programs that import this file install it themselves.

import { argumentError, isIterable, requireOptions } from "./lib/arguments.js";
import { WwhoError } from "./lib/errors.js";
import { readTemplate, runTemplate } from "./lib/jinja.js";
import { nameSet } from "./lib/special.js";

export { WwhoError };

/** What a Tokenizer and a WorkerTokenizer have in common. @typedef {{ provenance: Readonly<Record<string, string>>, name: string, specialTokens: ReadonlyMap<string, number>, encode: Function, countTokens: Function }} AnyTokenizer */
/**
 * @typedef {object} ChatOptions
 * @property {boolean} [addGenerationPrompt]
 * @property {readonly unknown[]} [tools]
 * @property {readonly unknown[]} [documents]
 * @property {Readonly<Record<string, unknown>>} [variables]
 * @property {string} [chatTemplate]
 * @property {Iterable<string> | "all"} [allowedSpecial]
 * @property {boolean} [array]
 */

const OPTIONS = new Set(["addGenerationPrompt", "tools", "documents", "variables", "chatTemplate", "allowedSpecial"]);
const IDS_OPTIONS = new Set([...OPTIONS, "array"]);
/** The templates that were read last, by their text: most programs have one. @type {Map<string, ReturnType<typeof readTemplate>>} */
const parsed = new Map();
/** How many of them are kept. */
const MOST_PARSED = 8;
/** How many objects a value may be in: Python does not write many more as JSON either. */
const MOST_DEEP = 500;
/** The options with which a template's own tokens are encoded. */
const ALL = Object.freeze({ allowedSpecial: "all" });

/**
 * Return a chat as the text that a model reads, rendered with the tokenizer's template.
 * @param {AnyTokenizer} tokenizer
 * @param {Iterable<any>} messages one or more
 * @param {ChatOptions} [options]
 * @returns {string}
 * @throws {WwhoError} ARGUMENT, TEMPLATE, SPECIAL_TOKEN
 */
export function renderChat(tokenizer, messages, options = {}) {
  return render(tokenizer, messages, options, OPTIONS);
}

/**
 * Return the ids of a chat, as apply_chat_template of transformers does.
 * @param {AnyTokenizer} tokenizer
 * @param {Iterable<any>} messages one or more
 * @param {ChatOptions} [options]
 * @returns ids, or of a WorkerTokenizer a promise of them; a plain array with `array: true`
 * @throws {WwhoError} ARGUMENT, TEMPLATE, SPECIAL_TOKEN
 */
export function applyChatTemplate(tokenizer, messages, options = {}) {
  const text = render(tokenizer, messages, options, IDS_OPTIONS);
  return tokenizer.encode(text, { ...ALL, array: options.array });
}

/**
 * Return how many ids a chat has, or of a WorkerTokenizer a promise of that.
 * @param {AnyTokenizer} tokenizer
 * @param {Iterable<any>} messages one or more
 * @param {ChatOptions} [options]
 * @throws {WwhoError} ARGUMENT, TEMPLATE, SPECIAL_TOKEN
 */
export function countChat(tokenizer, messages, options = {}) {
  const text = render(tokenizer, messages, options, OPTIONS);
  return tokenizer.countTokens(text, ALL);
}

/**
 * Check a chat and its options, and render it with a template. The chat must not spell special tokens, in one text or in several that the
 * template joins, except those that are allowed.
 * @param {AnyTokenizer} tokenizer
 * @param {Iterable<any>} messages
 * @param {ChatOptions} options
 * @param {ReadonlySet<string>} known the names of the function's options
 * @returns {string}
 * @throws {WwhoError} ARGUMENT, TEMPLATE, SPECIAL_TOKEN
 */
function render(tokenizer, messages, options, known) {
  if (typeof tokenizer?.countTokens !== "function") throw argumentError("tokenizer", tokenizer, "a Tokenizer or a WorkerTokenizer");
  requireOptions(options, known);
  const { addGenerationPrompt = false, tools, documents, variables = {}, allowedSpecial } = options;
  if (!isIterable(messages)) throw argumentError("messages", messages, "a list of { role, content }");
  const list = [...messages];
  if (list.length === 0) throw new WwhoError("ARGUMENT", "messages is empty; expected one message or more, as in transformers");
  if (typeof addGenerationPrompt !== "boolean") throw argumentError("addGenerationPrompt", addGenerationPrompt, "true or false");
  requireObjects({ messages: list, tools, documents });
  if (!isObject(variables) || isIterable(variables)) throw argumentError("variables", variables, "an object with the names that the template reads");
  // None where there are none: templates ask for that.
  const given = plainJson({ messages: list, tools: tools ?? null, documents: documents ?? null, add_generation_prompt: addGenerationPrompt });
  const taken = Object.keys(variables).find((name) => Object.hasOwn(given, name));
  if (taken !== undefined) throw new WwhoError("ARGUMENT", `variables has ${taken}, which has an argument or an option of its own`);
  given.messages = given.messages.map(asTransformers);
  Object.assign(given, plainJson(variables));
  const allowed = nameSet(allowedSpecial, "allowedSpecial", tokenizer.specialTokens);
  const refused = allowed === "all" ? [] : [...tokenizer.specialTokens.keys()].filter((token) => !allowed.has(token));
  const texts = [...textsIn(given)];
  for (const text of texts) rejectSpecial(refused.find((token) => text.includes(token)), "spells");
  const template = templateOf(tokenizer, options);
  let chat = "";
  try {
    chat = runTemplate(template, { ...tokensOf(tokenizer), ...given });
  } catch (/** @type {any} */ cause) {
    throw new WwhoError("TEMPLATE", `the chat template of ${tokenizer.name} refuses this chat: ${cause.message}`, { cause });
  }
  rejectSpecial(refused.find((token) => chat.includes(token) && isSpelled(token, texts)), "spells, in several texts together,");
  return chat;
}

/**
 * Reject a chat because of a special token that it spells; do nothing without a token.
 * @param {string | undefined} token
 * @param {string} spells how the chat spells it, for the message
 * @throws {WwhoError} SPECIAL_TOKEN
 */
function rejectSpecial(token, spells) {
  if (token === undefined) return;
  const quoted = JSON.stringify(token);
  throw new WwhoError("SPECIAL_TOKEN", `the chat ${spells} the special token ${quoted}; take it out, or encode it as that token with allowedSpecial: [${quoted}]`);
}

/**
 * Tell whether a value is an object of any kind, lists included.
 * @param {unknown} value
 * @returns {value is Readonly<Record<string, unknown>>}
 */
const isObject = (value) => typeof value === "object" && value !== null;

/**
 * Reject what is no list of objects. Only undefined means that there is no list.
 * @param {Record<string, unknown>} lists by the names of arguments and options
 * @throws {WwhoError} ARGUMENT
 */
function requireObjects(lists) {
  for (const [name, list] of Object.entries(lists)) {
    if (list === undefined) continue;
    if (!Array.isArray(list)) throw argumentError(name, list, "a list of objects; leave it out for none");
    const odd = list.findIndex((each) => !isObject(each) || Array.isArray(each));
    if (odd >= 0) throw argumentError(`${name}[${odd}]`, list[odd], "an object");
  }
}

/**
 * Return a copy of a value that has plain objects and lists alone, as JSON has them: a Map becomes an object, and fields that are
 * undefined are left out.
 * @param {any} value
 * @param {readonly unknown[]} [around] the objects and lists that the value is in
 * @returns {any}
 * @throws {WwhoError} ARGUMENT for an object inside itself, or inside over 500 others
 */
function plainJson(value, around = []) {
  if (!isObject(value)) return value;
  if (around.length > MOST_DEEP || around.includes(value)) {
    throw new WwhoError("ARGUMENT", `the chat has an object inside itself, or inside over ${MOST_DEEP} others; expected values as in JSON`);
  }
  const copy = (/** @type {unknown} */ item) => plainJson(item, [...around, value]);
  if (Array.isArray(value)) return value.map(copy);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined).map(([key, item]) => [key, copy(item)]));
}

/**
 * Return a message as transformers gives it to templates: without fields that are null, and its reasoning under each name that templates use.
 * @param {Record<string, unknown>} message
 * @returns {Record<string, unknown>} a copy
 */
function asTransformers(message) {
  const given = Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null));
  const reasoning = given.reasoning_content ?? given.thinking ?? given.reasoning;
  return reasoning === undefined ? given : { thinking: reasoning, ...given, reasoning_content: reasoning };
}

/**
 * Return the template of a call: the caller's or the tokenizer's own, read at its first use. The last eight are kept.
 * @param {AnyTokenizer} tokenizer
 * @param {ChatOptions} options with `tools`, the tokenizer's template for tools is used, if it has one
 * @returns {ReturnType<typeof readTemplate>}
 * @throws {WwhoError} ARGUMENT if there is no template, TEMPLATE if it cannot be read
 */
function templateOf({ provenance, name }, { chatTemplate, tools }) {
  const source = chatTemplate ?? templateIn(provenance.chat_template, tools !== undefined);
  if (typeof source !== "string") {
    const remedy = chatTemplate === undefined ? "give one as chatTemplate, or import tokenizer.json with tokenizer_config.json beside it" : "";
    throw argumentError(`the chat template of ${name}`, source, `a text${remedy && `; ${remedy}`}`);
  }
  const template = parsed.get(source) ?? parse(source, name);
  parsed.delete(source);
  parsed.set(source, template);
  for (const [oldest] of parsed) if (parsed.size > MOST_PARSED) parsed.delete(oldest);
  return template;
}

/**
 * Read a template.
 * @param {string} source
 * @param {string} name of the tokenizer, for the message
 * @throws {WwhoError} TEMPLATE
 */
function parse(source, name) {
  try {
    return readTemplate(source);
  } catch (/** @type {any} */ cause) {
    throw new WwhoError("TEMPLATE", `the chat template of ${name} cannot be read: ${cause.message}`, { cause });
  }
}

/**
 * Return the template in a tokenizer's record. Some models have several, as a JSON list with names: of those, "tool_use" for tools, or
 * "default".
 * @param {string | undefined} record the template's text, or that list
 * @param {boolean} withTools
 * @returns {string | undefined}
 */
function templateIn(record, withTools) {
  if (!record?.startsWith("[{")) return record;
  let list;
  try {
    list = JSON.parse(record);
  } catch {
    return record; // text of a template
  }
  const named = (/** @type {string} */ name) => list.find((/** @type {any} */ each) => each.name === name)?.template;
  return (withTools ? named("tool_use") : undefined) ?? named("default");
}

/**
 * Return a tokenizer's special tokens under the names that templates use, such as bos_token.
 * @param {AnyTokenizer} tokenizer
 */
const tokensOf = ({ provenance }) => Object.fromEntries(Object.entries(provenance).filter(([key]) => key.endsWith("_token")));

/**
 * Yield all texts in a value of JSON, the names of fields too: those of a tool may come from elsewhere.
 * @param {unknown} value
 * @returns {Generator<string>}
 */
function* textsIn(value) {
  if (typeof value === "string") yield value;
  if (!isObject(value)) return;
  if (!Array.isArray(value)) yield* Object.keys(value);
  for (const each of Object.values(value)) yield* textsIn(each);
}

/**
 * Tell whether texts spell a token if a template joins them, trimmed or not: the end of one text, any whole texts, and the beginning of one.
 * @param {string} token
 * @param {string[]} texts
 * @returns {boolean}
 */
function isSpelled(token, texts) {
  const pieces = texts.flatMap((text) => [text, text.trim()]);
  /** @type {number[]} */
  const reached = []; // how many of the token's first units joined texts can spell
  for (let size = 1; size < token.length; size++) {
    const begun = pieces.some((piece) => piece.endsWith(token.slice(0, size)));
    if (!begun && !reached.some((from) => pieces.includes(token.slice(from, size)))) continue;
    if (pieces.some((piece) => piece.startsWith(token.slice(size)))) return true;
    reached.push(size);
  }
  return false;
}
