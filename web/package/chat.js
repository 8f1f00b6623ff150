// wwho/chat: chats as a model reads them, rendered with its tokenizer's template. Templates are Jinja; the engine is
// @huggingface/jinja, which programs that import this file install themselves.

import { Template } from "@huggingface/jinja";

import { argumentError, isIterable, requireKnown } from "./lib/arguments.js";
import { WwhoError } from "./lib/errors.js";
import { nameSet } from "./lib/special.js";

export { WwhoError };

/** @typedef {{ provenance: Readonly<Record<string, string>>, name: string, specialTokens: ReadonlyMap<string, number>, encode: Function, countTokens: Function }} AnyTokenizer */
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
/** Of a template that is parsed, the last few: most programs have one. @type {Map<string, Template>} */
const parsed = new Map();
const MOST_PARSED = 8;
/** The options with which a template's own tokens are encoded. */
const ALL = Object.freeze({ allowedSpecial: "all" });

/** @param {AnyTokenizer} tokenizer @param {Iterable<any>} messages @param {ChatOptions} [options] */
export function renderChat(tokenizer, messages, options = {}) {
  return rendered(tokenizer, messages, options, OPTIONS);
}

/** @param {AnyTokenizer} tokenizer @param {Iterable<any>} messages @param {ChatOptions} [options] */
export function applyChatTemplate(tokenizer, messages, options = {}) {
  const text = rendered(tokenizer, messages, options, IDS_OPTIONS);
  return tokenizer.encode(text, { ...ALL, array: options.array });
}

/** @param {AnyTokenizer} tokenizer @param {Iterable<any>} messages @param {ChatOptions} [options] */
export function countChat(tokenizer, messages, options = {}) {
  return tokenizer.countTokens(rendered(tokenizer, messages, options, OPTIONS), ALL);
}

/**
 * @param {AnyTokenizer} tokenizer
 * @param {Iterable<any>} messages
 * @param {ChatOptions} options
 * @param {ReadonlySet<string>} known
 */
function rendered(tokenizer, messages, options, known) {
  requireKnown(options, known);
  // None where there are none: templates ask for that.
  const { addGenerationPrompt = false, tools = null, documents = null, variables = {}, allowedSpecial } = options;
  if (!isIterable(messages)) throw argumentError("messages", messages, "a list of { role, content }");
  if (typeof addGenerationPrompt !== "boolean") throw argumentError("addGenerationPrompt", addGenerationPrompt, "true or false");
  const given = { messages: [...messages], tools, documents, ...variables };
  const allowed = nameSet(allowedSpecial, "allowedSpecial", tokenizer.specialTokens);
  const refused = allowed === "all" ? [] : [...tokenizer.specialTokens.keys()].filter((token) => !allowed.has(token));
  for (const text of textsIn(given)) {
    const found = refused.find((token) => text.includes(token));
    if (found === undefined) continue;
    const quoted = JSON.stringify(found);
    throw new WwhoError("SPECIAL_TOKEN", `the chat spells the special token ${quoted}; take it out, or encode it as that token with allowedSpecial: [${quoted}]`);
  }
  const template = templateOf(tokenizer, options);
  try {
    return template.render({ ...tokensOf(tokenizer), ...given, add_generation_prompt: addGenerationPrompt });
  } catch (/** @type {any} */ cause) {
    throw new WwhoError("TEMPLATE", `the chat template of ${tokenizer.name} refuses this chat: ${cause.message}`, { cause });
  }
}

/** @param {AnyTokenizer} tokenizer @param {ChatOptions} options @returns {Template} */
function templateOf({ provenance, name }, { chatTemplate, tools }) {
  const source = chatTemplate ?? namedOf(provenance.chat_template, tools !== undefined);
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

/** @param {string} source @param {string} name */
function parse(source, name) {
  try {
    return new Template(source);
  } catch (/** @type {any} */ cause) {
    throw new WwhoError("TEMPLATE", `the chat template of ${name} cannot be read: ${cause.message}`, { cause });
  }
}

/** Some models have several templates, as a list with names. @param {string | undefined} record @param {boolean} withTools */
function namedOf(record, withTools) {
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

/** Special tokens under the names that templates use, such as bos_token. @param {AnyTokenizer} tokenizer */
const tokensOf = ({ provenance }) => Object.fromEntries(Object.entries(provenance).filter(([key]) => key.endsWith("_token")));

/** All texts of a value, without keys, which come from the program. @param {unknown} value @returns {Generator<string>} */
function* textsIn(value) {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) yield* textsIn(each);
}
