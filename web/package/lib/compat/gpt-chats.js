// A chat in gpt-tokenizer's form, which differs from OpenAI's cookbook: see MIGRATING.md.

import { argumentError } from "../arguments.js";
import { WwhoError } from "../errors.js";
import { HarmonyCall, HarmonyChannel, HarmonyConstrain, HarmonyEnd, HarmonyMessage, HarmonyReturn, HarmonyStart, ImEnd, ImSep, ImStart } from "./special-names.js";

/**
 * @typedef {object} ChatMessage
 * @property {string} [role]
 * @property {string} [name]
 * @property {string} content
 * @property {string} [channel]
 * @property {string} [recipient]
 * @property {"role" | "channel"} [recipientPlacement]
 * @property {string} [constraint]
 * @property {string} [terminator]
 */
/**
 * @typedef {object} Encoder
 * @property {ReadonlyMap<string, number>} specials ids of special tokens by their texts
 * @property {(text: string) => number[]} encode
 * @property {(text: string, options?: any) => Iterable<number[]>} encodeGenerator
 */

/**
 * Yield the ids of a chat, some at a time.
 * @param {Iterable<ChatMessage>} chat
 * @param {string} model
 * @param {any} options those of encode, for the messages' texts; `primeWithAssistantResponse` begins the answer, "assistant" by default
 * @param {Encoder} encoder
 * @returns {Generator<number[], void, undefined>}
 * @throws {WwhoError} ARGUMENT for a message without content, or an encoding without the special tokens; what encode throws
 */
export function* chatIds(chat, model, options, encoder) {
  const { specials, encode, encodeGenerator } = encoder;
  const { primeWithAssistantResponse: prime = "assistant", ...encoding } = options ?? {};
  const given = options && encoding;
  if (typeof prime !== "string") throw argumentError("primeWithAssistantResponse", prime, 'a string; "" for nothing');
  const isHarmony = specials.has(HarmonyMessage);
  const [start, end] = isHarmony ? [HarmonyStart, HarmonyEnd] : [ImStart, ImEnd];
  /** Return the id of a special token. @param {string} text */
  const mark = (text) => {
    const id = specials.get(text);
    if (id === undefined) throw new WwhoError("ARGUMENT", `Model '${model}' does not support chat.`);
    return id;
  };
  const isOld = model.startsWith("gpt-3.5");
  /** What stands between the role and the content, and after a message. */
  const [between, after] = isOld ? [encode("\n"), encode("\n")] : [isHarmony ? [] : [mark(ImSep)], []];

  for (const message of chat) {
    if (typeof message !== "object" || message === null) throw argumentError("a message", message, "an object { role, content }");
    if (message.content === undefined) throw new WwhoError("ARGUMENT", "Content must be defined for all messages.");
    yield [mark(start)];
    if (isHarmony) {
      yield* harmonyHeader(message, mark, encode);
      yield* encodeGenerator(message.content, given);
      const { terminator = "" } = message;
      yield [mark([HarmonyReturn, HarmonyCall].includes(terminator) ? terminator : end)];
      continue;
    }
    const { role = "system", name = role } = message;
    yield encode(name);
    if (between.length > 0) yield between;
    yield* encodeGenerator(message.content, given);
    yield [mark(end)];
    yield after;
  }
  if (prime.length > 0) {
    yield [mark(start)];
    if (isHarmony) yield encode(prime);
    else yield* encodeGenerator(prime, given);
  }
  if (between.length > 0) yield between;
}

/**
 * Yield the ids of what stands before the content of a message in the harmony format.
 * @param {ChatMessage} message
 * @param {(text: string) => number} mark returns the id of a special token
 * @param {(text: string) => number[]} encode
 */
function* harmonyHeader({ role = "user", name = role, channel, recipient, recipientPlacement, constraint }, mark, encode) {
  const isInRole = recipientPlacement === "role" || !channel;
  yield encode(name);
  if (recipient && isInRole) yield encode(` to=${recipient}`);
  if (channel) {
    yield [mark(HarmonyChannel)];
    yield encode(channel);
    if (recipient && !isInRole) yield encode(` to=${recipient}`);
  }
  if (constraint) {
    yield [mark(HarmonyConstrain)];
    yield encode(constraint);
  }
  yield [mark(HarmonyMessage)];
}
