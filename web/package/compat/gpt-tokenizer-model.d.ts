/** gpt-tokenizer's functions for a model: those for its encoding, and requests with tools. */

import type { ChatOptions } from "../openai.js";
import type { ChatMessage, GptEncoding } from "./gpt-tokenizer.js";

export * from "./gpt-tokenizer.js";

/** `tools` and `tool_choice` are counted as in wwho/openai; gpt-tokenizer passes over them. */
export interface ChatCompletionRequest extends Pick<ChatOptions, "tools" | "tool_choice"> {
  messages: readonly ChatMessage[];
  functions?: readonly { name: string; description?: string; parameters?: object }[];
  function_call?: "auto" | "none" | { name: string };
}

/** Return the number of tokens of a request, as countChat of wwho/openai: a field that cannot be counted is an error. */
export function countChatCompletionTokens(request: ChatCompletionRequest): number;

declare const api: GptEncoding & { countChatCompletionTokens: typeof countChatCompletionTokens };
export default api;
