// wwho/openai: names of OpenAI's models, the tokens of chats, and what they cost. For browsers, Workers and edge runtimes.

import { getEncoding } from "./index.js";
import { countChat as count, encodingName } from "./lib/openai.js";

export { estimateCost, models, modelsDate } from "./lib/openai.js";

/**
 * @param {string} model such as "gpt-4o"
 * @param {import("./lib/source.js").LoadOptions} [options]
 */
export async function encodingForModel(model, options) {
  return getEncoding(/** @type {any} */ (encodingName(model)), options);
}

/**
 * @param {Iterable<any>} messages
 * @param {string} model
 * @param {any} [options]
 */
export async function countChat(messages, model, options = {}) {
  return count(messages, model, options, encodingForModel);
}
