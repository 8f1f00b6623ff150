// How a model reads a message. The form of text messages is OpenAI's own ("How to count tokens with tiktoken", and for gpt-oss the harmony
// format); calls, answers of tools, refusals and phases are estimates.

import { argumentError, isIterable, quoteValue } from "../arguments.js";
import { WwhoError } from "../errors.js";
import { requireFields, textIn, typeOfKnown } from "./fields.js";
import { markOf } from "./pieces.js";

/** @typedef {import("./pieces.js").Piece} Piece */
/**
 * How a model's chats are written.
 * @typedef {object} Form
 * @property {(message: any, content: Piece[]) => Piece[]} pieces of one message
 * @property {Piece[]} answer the beginning of the answer
 * @property {import("./fields.js").Kind} kind of its messages, for the fields
 */

const [START, SEP, END] = ["<|im_start|>", "<|im_sep|>", "<|im_end|>"].map(markOf);
const [HARMONY_START, CHANNEL, CONSTRAIN, MESSAGE, HARMONY_END] =
  ["<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>"].map(markOf);

/** <|im_start|>role<|im_sep|>content<|im_end|>. A name costs one more, and the answer of a tool two less. @type {Form} */
const CHATML = {
  kind: "message",
  pieces: (message, content) => {
    const { role, name, phase } = message;
    /** @type {Piece[]} */
    const head = name ? [name, { cost: 1, of: "a name" }] : [];
    if (phase) head.push(phase, { cost: 1, of: "a phase" });
    if (role === "function" || role === "tool") head.push({ cost: -2, of: "an answer of a tool" });
    return [START, role, ...head, SEP, ...content, ...callPieces(message), END];
  },
  answer: [START, "assistant", SEP],
};
/** The one form in which line feeds separate a message, which costs one more, and a name stands in place of the role. @type {Form} */
const FIRST = {
  kind: "message",
  pieces: (message, content) => [START, message.name || message.role, "\n", ...content, ...callPieces(message), END, "\n"],
  answer: [START, "assistant", "\n"],
};
/**
 * <|start|>role<|message|>content<|end|>, with a channel, a recipient and a constraint; a name stands in place of the role.
 * @type {Form}
 */
const HARMONY = {
  kind: "message of gpt-oss",
  pieces: (message, content) => {
    const { role, name, channel, recipient, constraint } = message;
    return [
      HARMONY_START,
      name ?? role,
      ...(recipient && !channel ? [` to=${recipient}`] : []),
      ...(channel ? [CHANNEL, channel] : []),
      ...(recipient && channel ? [` to=${recipient}`] : []),
      ...(constraint ? [CONSTRAIN, constraint] : []),
      MESSAGE,
      ...content,
      ...callPieces(message),
      HARMONY_END,
    ];
  },
  answer: [HARMONY_START, "assistant"],
};

/**
 * Return the form of a model's chats.
 * @param {string} model its bare name
 * @param {string} encoding the model's
 * @returns {Form}
 */
export function formOf(model, encoding) {
  if (encoding === "o200k_harmony") return HARMONY;
  return /^gpt-3\.5(-turbo)?-0301$/.test(model) ? FIRST : CHATML;
}

/**
 * Return the pieces of a message.
 * @param {any} message of Chat Completions
 * @param {Form} form
 * @param {boolean} isPadded whether a line feed separates its content from the tools
 * @param {(url: unknown, detail: unknown) => number} countImage
 * @returns {Piece[]}
 * @throws {WwhoError} ARGUMENT for fields and parts that cannot be counted, and for a message without content
 */
export function messagePieces(message, form, isPadded, countImage) {
  if (typeof message?.role !== "string") {
    const remedy = message?.content === undefined ? "" : "; for a message of LangChain, call fromLangChain";
    throw argumentError("the role of a message", message?.role, `a string, such as "user"${remedy}`);
  }
  requireFields(message, form.kind);
  for (const name of ["name", "refusal", "phase", "channel", "recipient", "constraint"]) {
    if (message[name] !== undefined && message[name] !== null) textIn(message, name, "message");
  }
  const content = contentPieces(message, countImage);
  const last = content.at(-1);
  if (isPadded && typeof last === "string" && last !== "" && !last.endsWith("\n")) content.splice(-1, 1, `${last}\n`);
  return form.pieces(message, content);
}

/**
 * Return the pieces of a message's content and its refusal.
 * @param {any} message
 * @param {(url: unknown, detail: unknown) => number} countImage
 * @returns {Piece[]}
 */
function contentPieces(message, countImage) {
  const { content, refusal } = message;
  if (typeof content === "string") return [...(content ? [content] : []), ...(refusal ? [refusal] : [])];
  if (content === undefined || content === null) {
    const hasOther = typeof refusal === "string" || callsIn(message).length > 0 || (message.role === "function" && content === null);
    if (!hasOther) throw argumentError("the content of a message", content, "a string or a list of parts");
    return refusal ? [refusal] : [];
  }
  if (!isIterable(content)) throw argumentError("the content of a message", content, "a string or a list of parts");
  /** @type {Piece[]} */
  const pieces = [];
  for (const part of content) {
    const piece = partPiece(part, countImage);
    const last = pieces.at(-1);
    if (typeof piece === "string" && typeof last === "string") pieces.splice(-1, 1, last + piece);
    else pieces.push(piece);
  }
  return refusal ? [...pieces, refusal] : pieces;
}

/**
 * Return the piece of a part: its text, or what its image costs.
 * @param {any} part
 * @param {(url: unknown, detail: unknown) => number} countImage
 * @returns {Piece}
 */
function partPiece(part, countImage) {
  const type = typeOfKnown(part, "part");
  switch (type) {
    case "image_url":
      requireFields(part.image_url, "image_url of a part");
      return { cost: countImage(part.image_url.url, part.image_url.detail), of: "an image" };
    case "input_image":
      return { cost: countImage(part.image_url, part.detail), of: "an image" };
    default:
      return textIn(part, type === "refusal" ? "refusal" : "text", `part of type ${type}`);
  }
}

/**
 * Return the calls of tools in a message, in the old form and the new one.
 * @param {any} message
 * @returns {any[]}
 */
function callsIn({ function_call: call, tool_calls: calls }) {
  if (calls !== undefined && calls !== null && !Array.isArray(calls)) throw argumentError("the tool_calls of a message", calls, "a list");
  return [...(call === undefined || call === null ? [] : [{ type: "function", function: call }]), ...(calls ?? [])];
}

/**
 * Return what the calls of tools in a message cost: of each the name, the arguments or the input, and 3 tokens.
 * @param {any} message
 * @returns {Piece[]}
 */
function callPieces(message) {
  return callsIn(message).flatMap((call) => {
    const type = typeOfKnown(call.type === undefined && call.function ? { ...call, type: "function" } : call, "call");
    const called = call[type];
    requireFields(called, type === "custom" ? "custom of a call" : "function of a call");
    const given = type === "custom" ? called.input : called.arguments;
    for (const text of [called.name, given]) {
      if (typeof (text ?? "") !== "string") throw new WwhoError("ARGUMENT", `a call of a tool has ${quoteValue(text)}; expected a name and arguments as strings`);
    }
    return [called.name ?? "", given ?? "", { cost: 3, of: "a call of a tool" }];
  });
}
