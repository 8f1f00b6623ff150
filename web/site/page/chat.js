// A chat is messages, each with a role; what it takes beyond their words are the marks around each, and the beginning of the answer.

import { countChat } from "../package/openai.js";

/** @typedef {{ role: string, content: string }} Message */

export const ROLES = Object.freeze(["system", "user", "assistant"]);
/** The models that the page offers write chats alike; a tokenizer that none of them has is counted as if one had it. */
const MODEL = "gpt-4o";

/**
 * Tokens that a chat takes beyond the contents of its messages.
 * @param {import("../package/worker.js").WorkerTokenizer} tokenizer
 * @param {readonly Message[]} messages
 */
export const framing = (tokenizer, messages) =>
  countChat(messages.map(({ role }) => ({ role, content: "" })), MODEL, { tokenizer: /** @type {any} */ (tokenizer) });
