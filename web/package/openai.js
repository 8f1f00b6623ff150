// wwho/openai for browsers and Workers: OpenAI's models, chats in tokens, and what they cost. Written by tools/build_npm.py.

import { getEncoding } from "./index.js";
import { COUNT, COUNT_EACH, ENCODE, FIT, IS_WITHIN, chatFunction, encodingFunction } from "./lib/openai/chats.js";

export { fromAISDK } from "./lib/openai/ai-sdk.js";
export { fromLangChain } from "./lib/openai/langchain.js";
export { estimateCost } from "./lib/openai/prices.js";
export { date as modelsDate, models } from "./lib/openai-models.js";

export const encodingForModel = /* @__PURE__ */ encodingFunction(getEncoding);
export const countChat = /* @__PURE__ */ chatFunction(COUNT, getEncoding);
export const countMessages = /* @__PURE__ */ chatFunction(COUNT_EACH, getEncoding);
export const isWithinTokenLimit = /* @__PURE__ */ chatFunction(IS_WITHIN, getEncoding);
export const encodeChat = /* @__PURE__ */ chatFunction(ENCODE, getEncoding);
export const fitChat = /* @__PURE__ */ chatFunction(FIT, getEncoding);
