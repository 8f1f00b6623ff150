// A chat consists of messages, each with a role. Besides their words, it takes marks around each message, and the beginning of the answer.

import { countChat } from "../package/openai.js";

/** @typedef {{ role: string, content: string }} Message */

export const ROLES = Object.freeze(["system", "user", "assistant"]);
/** All models that the page offers format chats in the same way; other tokenizers are counted as if one of them used it. */
const MODEL = "gpt-4o";

/**
 * Tokens that a chat takes beyond the contents of its messages.
 * @param {import("../package/worker.js").WorkerTokenizer} tokenizer
 * @param {readonly Message[]} messages
 */
export const framing = (tokenizer, messages) =>
  countChat(messages.map(({ role }) => ({ role, content: "" })), MODEL, { tokenizer: /** @type {any} */ (tokenizer) });
