/** gpt-tokenizer's functions for a model: those for its encoding, and requests with functions. */

import type { ChatMessage, GptEncoding } from "./gpt-tokenizer.js";

export * from "./gpt-tokenizer.js";

export interface ChatCompletionRequest {
  messages: readonly ChatMessage[];
  functions?: readonly { name: string; description?: string; parameters?: object }[];
  function_call?: "auto" | "none" | { name: string };
}

/** Return the number of tokens of a request, as countChat of wwho/openai: a field that cannot be counted is an error. */
export function countChatCompletionTokens(request: ChatCompletionRequest): number;

declare const api: GptEncoding & { countChatCompletionTokens: typeof countChatCompletionTokens };
export default api;
