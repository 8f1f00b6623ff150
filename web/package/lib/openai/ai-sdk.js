// Messages of the AI SDK as OpenAI's: UIMessage, which a page shows, and ModelMessage, which a model gets.

import { argumentError, bytesOf, isIterable, isUrl, quoteValue } from "../arguments.js";
import { WwhoError } from "../errors.js";
import { requireFields } from "./fields.js";

/** The beginnings of parts of a UIMessage that no model gets. */
const SHOWN_ONLY = /^(data-|source-url$|source-document$|step-start$)/;

/**
 * Return messages of the AI SDK as messages that countChat takes. Parts that are only shown (data, sources) are left out, as
 * convertToModelMessages does; reasoning becomes an item of type reasoning.
 * @param {Iterable<any>} messages UIMessages, ModelMessages, or both
 * @returns {any[]}
 * @throws {WwhoError} ARGUMENT for parts that have no place in OpenAI's messages, such as files that are no images
 */
export function fromAISDK(messages) {
  if (!isIterable(messages)) throw argumentError("messages", messages, "a list of UIMessages or ModelMessages");
  return [...messages].flatMap((message) => {
    requireFields(message, "message of the AI SDK");
    const { role, content, parts } = message;
    if (parts === undefined) return convertMessage(role, typeof content === "string" ? [{ type: "text", text: content }] : content);
    if (!Array.isArray(parts)) throw argumentError("the parts of a message", parts, "a list");
    return splitSteps(role, parts).flatMap((step) => convertMessage(step.role, step.parts));
  });
}

/**
 * Cut the parts of a UIMessage into steps, in each of which the calls of tools and their results are parts as a ModelMessage has them.
 * @param {string} role
 * @param {any[]} parts
 * @returns {{ role: string, parts: any[] }[]}
 */
function splitSteps(role, parts) {
  const steps = [{ role, parts: /** @type {any[]} */ ([]) }];
  for (const part of parts) {
    if (part?.type === "step-start") steps.push({ role, parts: [] });
    else if (part?.type === "steering-message") steps.push({ role: "user", parts: part.parts }, { role, parts: [] });
    else if (/^tool-|^dynamic-tool$/.test(part?.type) && "state" in part) steps[steps.length - 1].parts.push(...toolParts(part));
    else if (!SHOWN_ONLY.test(part?.type)) steps[steps.length - 1].parts.push(part);
  }
  return steps.filter((step) => step.parts.length > 0);
}

/**
 * Return the call of a tool and its result, if it is there, as parts of a ModelMessage.
 * @param {any} part of a UIMessage
 * @returns {any[]}
 */
function toolParts(part) {
  const { type, toolCallId, state, input, rawInput, output, errorText, approval } = part;
  const toolName = part.toolName ?? type.slice("tool-".length);
  const call = { type: "tool-call", toolCallId, toolName, input: input ?? rawInput ?? {} };
  const results = {
    "output-available": { type: typeof output === "string" ? "text" : "json", value: output },
    "output-error": { type: "error-text", value: errorText },
    "output-denied": { type: "execution-denied", reason: approval?.reason },
  };
  const result = Object.hasOwn(results, state) ? results[/** @type {keyof typeof results} */ (state)] : undefined;
  return result ? [call, { type: "tool-result", toolCallId, toolName, output: result }] : [call];
}

/**
 * Return one message of the AI SDK as messages of OpenAI's: its reasoning, itself with the calls of tools, and an answer of each tool.
 * @param {string} role
 * @param {any[]} parts as a ModelMessage has them
 * @returns {any[]}
 */
function convertMessage(role, parts) {
  if (!isIterable(parts)) throw argumentError("the content of a message", parts, "a string or a list of parts");
  const [content, calls, before, after] = [[], [], [], []].map((list) => /** @type {any[]} */ (list));
  for (const part of parts) {
    switch (part?.type) {
      case "text":
        content.push({ type: "text", text: part.text });
        break;
      case "reasoning":
        before.push({ type: "reasoning", summary: [{ type: "summary_text", text: part.text }] });
        break;
      case "tool-call":
        calls.push({ type: "function", id: part.toolCallId, function: { name: part.toolName, arguments: jsonOf(part.input) } });
        break;
      case "tool-result":
        after.push({ role: "tool", tool_call_id: part.toolCallId, content: outputOf(part.output) });
        break;
      case "tool-approval-request": // what people are asked, and what they answer: no model gets either
      case "tool-approval-response":
        break;
      default:
        content.push(imageOf(part));
    }
  }
  if (role === "tool") return after;
  const hasMessage = content.length > 0 || calls.length > 0 || (before.length === 0 && after.length === 0);
  const message = { role, content: content.length === 1 && content[0].type === "text" ? content[0].text : content };
  if (calls.length > 0) Object.assign(message, { tool_calls: calls }, content.length > 0 ? {} : { content: null });
  return [...before, ...(hasMessage ? [message] : []), ...after];
}

/**
 * Return the result of a tool as the content of a message.
 * @param {any} output
 * @returns {any}
 */
function outputOf(output) {
  switch (output?.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return jsonOf(output.value);
    case "execution-denied":
      return output.reason ?? "Tool call execution denied.";
    case "content":
      return output.value.map((/** @type {any} */ part) => (part.type === "text" ? { type: "text", text: part.text } : imageOf(part)));
    default:
      throw argumentError("the output of a tool", output?.type, "one of type text, json, error-text, error-json, execution-denied or content");
  }
}

/** Return a value as JSON; what has no JSON is an empty text. @param {unknown} value @returns {string} */
const jsonOf = (value) => JSON.stringify(value) ?? "";

/**
 * Return a part with an image as OpenAI has it.
 * @param {any} part of type image, image-url, image-data, or a file whose media type is that of an image
 * @returns {{ type: "image_url", image_url: { url: string } }}
 * @throws {WwhoError} ARGUMENT for other parts
 */
function imageOf(part) {
  const { type, mediaType } = part ?? {};
  const isImage = /^image(-url|-data)?$/.test(type) || (/^file(-url|-data)?$/.test(type) && /^image\b/.test(mediaType));
  if (!isImage) {
    const shown = mediaType === undefined ? "" : ` and media type ${quoteValue(mediaType)}`;
    throw new WwhoError("ARGUMENT", `a part of type ${quoteValue(type)}${shown} has no place in OpenAI's messages; expected text, reasoning, calls and results of tools, and images; leave it out`);
  }
  const given = part.image ?? part.data ?? part.url;
  const source = given?.type === "data" ? given.data : given?.type === "url" ? given.url : given;
  return { type: "image_url", image_url: { url: urlOf(source, mediaType ?? "image/*") } };
}

/**
 * Return the URL of an image: its own, or a data URL.
 * @param {unknown} source a URL, bytes, or base64
 * @param {string} mediaType
 * @returns {string}
 */
function urlOf(source, mediaType) {
  if (isUrl(source)) return String(source);
  const bytes = bytesOf(source);
  if (typeof source === "string" && /^(https?|data|blob):/i.test(source)) return source;
  if (typeof source !== "string" && bytes === undefined) throw argumentError("an image", source, "a URL, bytes, or base64; files by their id cannot be counted");
  const type = mediaType.includes("/") && !mediaType.includes("*") ? mediaType : "image/png"; // the size is read from the bytes
  const characters = bytes && Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `data:${type};base64,${characters === undefined ? source : btoa(characters)}`;
}
