/** What OpenAI's models make of text: encodings by the names of models, tokens of chats, cost. */

import type { LoadOptions, Tokenizer } from "./index.js";
import type { WorkerTokenizer } from "./worker.js";

/** Dollars per million tokens. */
export interface Rates {
  readonly input: number;
  /** Of input that comes from the cache, where that costs less. */
  readonly cached?: number;
  readonly output?: number;
}

export interface Model {
  readonly encoding: string;
  /** The most tokens of input and output together. */
  readonly context?: number;
  /** The most tokens of output. */
  readonly output?: number;
  /** Whether it takes chats. */
  readonly chat?: boolean;
  /** The standard rates; `long` are those of a call with more than `above` tokens of input. */
  readonly price?: Rates & { readonly long?: Rates & { readonly above: number } };
}

/** The models by name. What is not known of one is left out. */
export const models: Readonly<Record<string, Model>>;

/** The day on which the prices were last compared with OpenAI's, as "2026-01-31". */
export const modelsDate: string;

/** A function, as JSON Schema describes what it takes. */
export interface FunctionDefinition {
  name: string;
  description?: string;
  parameters?: object;
}

export interface FunctionCall {
  name?: string;
  arguments?: string;
}

export interface ChatMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool" | "function" | (string & {});
  /** Of parts only those with a text can be counted: others, such as images, are refused. */
  content?: string | null | Iterable<{ type: string; text?: string }>;
  name?: string;
  tool_calls?: readonly { function?: FunctionCall }[];
  function_call?: FunctionCall;
  /** Of gpt-oss alone, as the three that follow. */
  channel?: string;
  recipient?: string;
  constraint?: string;
}

/** The fields of a request that cost tokens, under OpenAI's names, and what counts them. */
export interface ChatOptions {
  tools?: readonly ({ type: "function"; function: FunctionDefinition } | FunctionDefinition)[];
  tool_choice?: "auto" | "none" | "required" | { function?: { name: string }; name?: string };
  functions?: readonly FunctionDefinition[];
  function_call?: "auto" | "none" | { name: string };
  /** The model's encoding, if it is loaded already, also in a Worker. */
  tokenizer?: Tokenizer | WorkerTokenizer;
}

/** The tokenizer of a model: also of dated names ("gpt-4o-2024-08-06") and fine-tuned ones ("ft:gpt-4o:..."). */
export function encodingForModel(model: string, options?: LoadOptions): Promise<Tokenizer>;

/**
 * How many tokens of input a chat is: each message with what is around it, and the beginning of the answer. Exact for messages of
 * text, by OpenAI's own rules; tools are counted as they are known to be written for the model, which OpenAI does not document.
 */
export function countChat(messages: Iterable<ChatMessage>, model: string, options?: ChatOptions): Promise<number>;

/** Dollars for so many tokens. `cached` of those of `input` come from the cache. Status ARGUMENT where no price is known. */
export function estimateCost(model: string, usage: { input?: number; cached?: number; output?: number }): number;
