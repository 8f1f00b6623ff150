// Messages of LangChain as OpenAI's.

import { argumentError, isIterable, quoteValue } from "../arguments.js";
import { WwhoError } from "../errors.js";
import { requireFields } from "./fields.js";

/** OpenAI's roles by LangChain's types of messages. @type {Readonly<Record<string, string>>} */
const ROLES = { human: "user", ai: "assistant", system: "system", tool: "tool", function: "function", developer: "developer" };
/** The fields of `additional_kwargs` that countChat counts or refuses, and those that repeat others. */
const PASSED = ["function_call", "refusal", "audio"];
/** The fields of a block of text that say how it came, in parts or from another provider. */
const OF_STREAMS = new Set(["index", "id", "extras"]);
const REPEATED = ["tool_calls", "parsed", "__openai_role__", "__openai_function_call_ids__"];

/**
 * Return messages of LangChain as messages that countChat takes.
 * @param {Iterable<any>} messages HumanMessage, AIMessage, SystemMessage, ToolMessage, FunctionMessage, ChatMessage, or their chunks
 * @returns {any[]}
 * @throws {WwhoError} ARGUMENT for other messages, and for `additional_kwargs` that have no place in OpenAI's messages
 */
export function fromLangChain(messages) {
  if (!isIterable(messages)) throw argumentError("messages", messages, "a list of LangChain's messages");
  return [...messages].flatMap((message) => {
    const type = message?.type ?? message?.getType?.();
    const extra = message?.additional_kwargs ?? {};
    const role = type === "generic" ? message.role : Object.hasOwn(ROLES, type) ? (extra.__openai_role__ ?? ROLES[type]) : undefined;
    if (role === undefined) throw argumentError("the type of a message", type, `${Object.keys(ROLES).join(", ")} or generic, as LangChain's classes have it`);
    requireFields(message, "message of LangChain");
    for (const [name, value] of Object.entries(extra)) {
      if (value === undefined || value === null || PASSED.includes(name) || REPEATED.includes(name)) continue;
      throw new WwhoError("ARGUMENT", `additional_kwargs has a field ${quoteValue(name)}, which has no place in OpenAI's messages; leave it out to count the rest`);
    }
    const calls = callsIn(message, extra);
    const known = new Set(calls.map(({ id }) => id));
    const { content, reasoning, more } = splitContent(message.content, known);
    /** @type {Record<string, unknown>} */
    const converted = { role, content };
    if (message.name !== undefined && role !== "tool") converted.name = message.name;
    if (message.tool_call_id !== undefined) converted.tool_call_id = message.tool_call_id;
    for (const name of PASSED) if (extra[name] !== undefined) converted[name] = extra[name];
    if (calls.length + more.length > 0) converted.tool_calls = [...calls, ...more];
    const items = reasoning.map((text) => ({ type: "reasoning", summary: [{ type: "summary_text", text }] }));
    return [...items, converted];
  });
}

/**
 * Return the calls of tools in a message as OpenAI has them: those that LangChain has read, valid or not, otherwise OpenAI's own.
 * @param {any} message
 * @param {any} extra its additional_kwargs
 * @returns {any[]}
 */
function callsIn({ tool_calls: calls = [], invalid_tool_calls: invalid = [] }, extra) {
  const read = [...(calls ?? []), ...(invalid ?? [])].map(callOf);
  return read.length > 0 ? read : (extra.tool_calls ?? []);
}

/** Return a call of a tool as OpenAI has it. @param {any} call */
const callOf = ({ id, name, args }) => ({ type: "function", id, function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) } });

/**
 * Return the content of a message as OpenAI has it, and what stands outside of it there: reasoning, and calls of tools.
 * @param {any} given a text or blocks; blocks that OpenAI has too stay as they are
 * @param {ReadonlySet<unknown>} known the ids of calls that are there already
 * @returns {{ content: any, reasoning: string[], more: any[] }}
 */
function splitContent(given, known) {
  if (!isIterable(given)) return { content: given, reasoning: [], more: [] };
  /** @type {any[]} */
  const content = [];
  /** @type {any[]} */
  const more = [];
  const reasoning = [];
  for (const block of given) {
    if (block?.type === "reasoning") reasoning.push(block.reasoning);
    else if (block?.type === "tool_call" || block?.type === "invalid_tool_call") {
      if (!known.has(block.id)) more.push(callOf(block));
    } else content.push(blockOf(block));
  }
  return { content, reasoning, more };
}

/**
 * Return a block of a message's content as OpenAI has it.
 * @param {any} block
 * @returns {any}
 */
function blockOf(block) {
  if (block?.type === "text") return Object.fromEntries(Object.entries(block).filter(([name]) => !OF_STREAMS.has(name)));
  if (block?.type === "image_url" && typeof block.image_url === "string") return { type: "image_url", image_url: { url: block.image_url } };
  if (block?.type !== "image") return block;
  const { url, data, mimeType = "image/png" } = block;
  return { type: "image_url", image_url: { url: url ?? (typeof data === "string" ? `data:${mimeType};base64,${data}` : undefined) } };
}
