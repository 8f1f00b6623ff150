// What a chat takes beyond its words: the marks and the role of each message, and the beginning of the answer.

import { countChat } from "../../package/openai.js";

/** @typedef {{ role: string, content: string }} Message */

export const ROLES = Object.freeze(["system", "user", "assistant"]);
/** The models that the page offers write chats alike; a tokenizer that none of them has is counted as if one had it. */
const MODEL = "gpt-4o";

/**
 * Tokens that a chat takes beyond the contents of its messages.
 * @param {import("../../package/index.js").Tokenizer} tokenizer
 * @param {readonly Message[]} messages
 */
export function framing(tokenizer, messages) {
  return countChat(messages.map(({ role }) => ({ role, content: "" })), MODEL, { tokenizer });
}
