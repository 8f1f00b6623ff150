// Chats as programs have them: with the types of OpenAI's package, of the AI SDK and of LangChain. Checked, not run.

import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { ModelMessage, UIMessage } from "ai";
import type OpenAI from "openai";

import {
  countChat,
  countMessages,
  encodeChat,
  estimateCost,
  fitChat,
  fromAISDK,
  fromLangChain,
  isWithinTokenLimit,
  models,
  type ModelName,
} from "../../../web/package/openai.js";
import type { Tokenizer } from "../../../web/package/index.js";
import type { WorkerTokenizer } from "../../../web/package/worker.js";

type Completions = OpenAI.Chat.Completions.ChatCompletionCreateParams;
type Responses = OpenAI.Responses.ResponseCreateParams;

export async function completions(client: OpenAI, tokenizer: Tokenizer): Promise<number> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "developer", content: "You boil water." },
    { role: "user", content: [{ type: "text", text: "What is it?" }, { type: "image_url", image_url: { url: "https://example.org/a.png", detail: "low" } }] },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "a", type: "function", function: { name: "heat", arguments: "{}" } },
        { id: "b", type: "custom", custom: { name: "sing", input: "song" } },
      ],
    },
    { role: "tool", tool_call_id: "a", content: "hot" },
  ];
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: "function", function: { name: "heat", parameters: { type: "object" }, strict: true } },
    { type: "custom", custom: { name: "sing", format: { type: "grammar", grammar: { syntax: "lark", definition: "start: /a/" } } } },
  ];
  const fitted = fitChat(messages, "gpt-4o", { tokenizer, limit: 1000, reserve: 100, tools, imageSize: () => ({ width: 1, height: 1 }) });
  const answer = await client.chat.completions.create({ model: "gpt-4o", messages: fitted.messages, tools });
  messages.push(answer.choices[0].message);
  const count: number = countChat(messages, answer.model, { tokenizer, tools, tool_choice: "required" });
  return count + (answer.usage ? estimateCost(answer.model, answer.usage, { batch: true }) : 0);
}

export async function request({ messages, model, tools, tool_choice, functions, function_call }: Completions): Promise<number> {
  return countChat(messages, model, { tools, tool_choice, functions, function_call });
}

export async function responses(client: OpenAI, { tools, tool_choice }: Responses, pool: WorkerTokenizer): Promise<number> {
  const input: OpenAI.Responses.ResponseInputItem[] = [
    { role: "user", content: [{ type: "input_text", text: "Heat it" }] },
    { type: "function_call", call_id: "a", name: "heat", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "hot" },
  ];
  const answer = await client.responses.create({ model: "gpt-5", input, tools });
  const output: OpenAI.Responses.ResponseOutputItem[] = answer.output;
  const counts: number[] = await countMessages([...input, ...output], "gpt-5", { tokenizer: pool });
  const fits: number | false = await isWithinTokenLimit(input, "gpt-5", { tools, tool_choice, limit: 100 });
  const { messages }: { messages: OpenAI.Responses.ResponseInputItem[] } = await fitChat(input, "gpt-5", { reserve: 1000 });
  return counts.length + messages.length + Number(fits) + (answer.usage ? estimateCost("gpt-5", answer.usage) : 0);
}

export async function embeddings(client: OpenAI): Promise<number> {
  const { usage } = await client.embeddings.create({ model: "text-embedding-3-small", input: "text" });
  return estimateCost("text-embedding-3-small", usage);
}

export function sdk(shown: UIMessage[], sent: ModelMessage[], tokenizer: Tokenizer): number {
  return countChat(fromAISDK(shown), "gpt-5", { tokenizer }) + encodeChat(fromAISDK(sent), "gpt-5", { tokenizer }).length;
}

export function chain(messages: BaseMessage[], tokenizer: Tokenizer): number {
  const own = [new SystemMessage("You boil water."), new HumanMessage("Heat it"), new AIMessage("hot"), new ToolMessage({ content: "hot", tool_call_id: "a" })];
  return countChat(fromLangChain([...messages, ...own]), "gpt-4o", { tokenizer });
}

// The encoding of a model is one that getEncoding takes.
export const encoding: "o200k_base" | "o200k_harmony" | "cl100k_base" | "p50k_base" | "p50k_edit" | "r50k_base" | "gpt2" = models["gpt-4o"].encoding;

export const name: ModelName = "gpt-5-mini";
// @ts-expect-error no such model is known
export const unknownName: ModelName = "gpt4o";
// @ts-expect-error a misspelt content
export const misspelt = countChat([{ role: "user", contents: "Heat it" }], "gpt-4o");
// @ts-expect-error without a tokenizer, the count is a promise
export const early: number = countChat([], "gpt-4o");
// @ts-expect-error there is no such amount
export const amount = estimateCost("gpt-4o", { tokens: 1 });
// @ts-expect-error a message of the AI SDK must be converted
export const unconverted = (messages: UIMessage[], tokenizer: Tokenizer) => countChat(messages, "gpt-4o", { tokenizer });
