// The fields of messages, their parts, calls and tools, as OpenAI names them: which are counted, and which cost nothing. All others are refused.

import { quoteValue } from "../arguments.js";
import { WwhoError } from "../errors.js";

/** @typedef {{ counted: readonly string[], free?: readonly string[] }} Fields free: ids, settings, and what a client adds: no text that a model reads */
/** @typedef {keyof typeof FIELDS} Kind */

const CACHE = "prompt_cache_breakpoint";
const ITEM = ["type", "id", "call_id", "status", "caller", "created_by", "async"];
const TOOL = ["type", "strict", "async", "defer_loading", "allowed_callers"];

/** The fields of each kind of object. @satisfies {Readonly<Record<string, Fields>>} */
export const FIELDS = {
  message: {
    counted: ["role", "content", "name", "refusal", "tool_calls", "function_call", "phase"],
    free: ["type", "id", "status", "tool_call_id", "parsed"],
  },
  "message of gpt-oss": {
    counted: ["role", "content", "name", "refusal", "tool_calls", "function_call", "channel", "recipient", "constraint"],
    free: ["type", "id", "status", "tool_call_id"],
  },
  "message of the AI SDK": { counted: ["role", "content", "parts"], free: ["id", "metadata", "providerOptions"] },
  "message of LangChain": {
    counted: ["content", "role", "name", "tool_calls", "invalid_tool_calls", "additional_kwargs"],
    free: ["type", "id", "tool_call_id", "tool_call_chunks", "status", "artifact", "metadata", "response_metadata", "usage_metadata", "lc_serializable", "lc_kwargs", "lc_namespace", "lc_direct_tool_output"],
  },
  "part of type text": { counted: ["text"], free: ["type", CACHE] },
  "part of type input_text": { counted: ["text"], free: ["type", CACHE] },
  "part of type output_text": { counted: ["text"], free: ["type", "logprobs", "parsed"] },
  "part of type refusal": { counted: ["refusal"], free: ["type"] },
  "part of type summary_text": { counted: ["text"], free: ["type"] },
  "part of type reasoning_text": { counted: ["text"], free: ["type"] },
  "part of type image_url": { counted: ["image_url"], free: ["type", CACHE] },
  "part of type input_image": { counted: ["image_url", "detail"], free: ["type", CACHE] },
  "image_url of a part": { counted: ["url", "detail"] },
  "call of type function": { counted: ["function"], free: ["type", "id", "index"] },
  "call of type custom": { counted: ["custom"], free: ["type", "id", "index"] },
  "function of a call": { counted: ["name", "arguments"], free: ["parsed_arguments"] },
  "custom of a call": { counted: ["name", "input"] },
  "item of type function_call": { counted: ["name", "arguments"], free: [...ITEM, "parsed_arguments"] },
  "item of type function_call_output": { counted: ["output"], free: ITEM },
  "item of type custom_tool_call": { counted: ["name", "input"], free: ITEM },
  "item of type custom_tool_call_output": { counted: ["output"], free: ITEM },
  "item of type reasoning": { counted: ["summary", "content"], free: ITEM },
  "tool of type function": { counted: ["function"], free: ["type"] },
  "tool of type custom": { counted: ["custom"], free: ["type"] },
  "definition of a function": { counted: ["name", "description", "parameters"], free: TOOL },
  "definition of a custom tool": { counted: ["name", "description", "format"], free: TOOL },
  "format of type text": { counted: ["type"] },
  "format of type grammar": { counted: ["grammar", "definition", "syntax"], free: ["type"] },
  "grammar of a custom tool": { counted: ["definition", "syntax"] },
  "choice of a tool": { counted: ["name", "function", "custom"], free: ["type"] },
  "name in the choice of a tool": { counted: ["name"] },
};

/** What to do about fields and types that others have. @type {readonly (readonly [string, readonly string[]])[]} */
const REMEDIES = [
  ["for a message of the AI SDK, call fromAISDK", ["parts", "toolInvocations", "providerOptions", "tool-call", "tool-result"]],
  ["for a message of LangChain, call fromLangChain", ["additional_kwargs", "lc_kwargs", "human", "ai", "system", "tool"]],
  ["only messages for gpt-oss have it", ["channel", "recipient", "constraint"]],
];
/** Return what to do about a field or a type that cannot be counted. @param {string} name @returns {string} */
const remedyFor = (name) => REMEDIES.find(([, names]) => names.includes(name))?.[0] ?? "leave it out to count the rest";

/** Return a noun with its article. @param {string} noun @returns {string} */
const withArticle = (noun) => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

/**
 * Reject an object that is not of a kind, or has a field that is neither counted nor free. Fields without a value (undefined, null, or an
 * empty list) are passed over.
 * @param {any} object
 * @param {Kind} kind
 * @throws {WwhoError} ARGUMENT, with the field's name and those that are expected
 */
export function requireFields(object, kind) {
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    throw new WwhoError("ARGUMENT", `${withArticle(kind)} is ${quoteValue(object)}; expected an object`);
  }
  const { counted, free = [] } = /** @type {Fields} */ (FIELDS[kind]);
  for (const [name, value] of Object.entries(object)) {
    if (counted.includes(name) || free.includes(name) || value === undefined || value === null) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    throw new WwhoError("ARGUMENT", `${withArticle(kind)} has a field ${quoteValue(name)}, which cannot be counted; expected ${counted.join(", ")}; ${remedyFor(name)}`);
  }
}

/**
 * Return the kind of an object that says its type, and reject it if its type or one of its fields cannot be counted.
 * @param {any} object
 * @param {"part" | "call" | "item" | "tool" | "format"} group
 * @returns {string} its type
 * @throws {WwhoError} ARGUMENT
 */
export function typeOfKnown(object, group) {
  const start = `${group} of type `;
  const type = object?.type;
  const kind = start + type;
  if (!Object.hasOwn(FIELDS, kind)) {
    const known = Object.keys(FIELDS).filter((each) => each.startsWith(start)).map((each) => each.slice(start.length));
    throw new WwhoError("ARGUMENT", `the type of ${withArticle(group)} is ${quoteValue(type)}, which cannot be counted; expected ${known.join(", ")}; ${remedyFor(type)}`);
  }
  requireFields(object, /** @type {Kind} */ (kind));
  return type;
}

/**
 * Return a field of an object that must be a text.
 * @param {any} object
 * @param {string} name of the field
 * @param {string} what the object is, for the error
 * @returns {string}
 * @throws {WwhoError} ARGUMENT for another value
 */
export function textIn(object, name, what) {
  const value = object?.[name];
  if (typeof value === "string") return value;
  throw new WwhoError("ARGUMENT", `the ${name} of ${withArticle(what)} is ${quoteValue(value)}; expected a string`);
}
