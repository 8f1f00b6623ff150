// wwho/openai for workerd: openai.js over the core that is imported as a compiled module.

import { countChat as count, encodingName } from "./lib/openai.js";
import { getEncoding } from "./workerd.js";

export { estimateCost, models, modelsDate } from "./lib/openai.js";

/** @param {string} model such as "gpt-4o" */
export async function encodingForModel(model) {
  return getEncoding(encodingName(model));
}

/**
 * @param {Iterable<any>} messages
 * @param {string} model
 * @param {any} [options]
 */
export async function countChat(messages, model, options = {}) {
  return count(messages, model, options, encodingForModel);
}
