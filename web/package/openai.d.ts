/** OpenAI's models: their encodings, the tokens of chats, and cost. */

import type { LoadOptions, Tokenizer } from "./index.js";
import type { WorkerTokenizer } from "./worker.js";

/** Dollars per million tokens. */
export interface Rates {
  readonly input: number;
  /** For input from the cache, if that costs less. */
  readonly cached?: number;
  readonly output?: number;
}

export interface Model {
  readonly encoding: string;
  /** The most tokens of input and output together. */
  readonly context?: number;
  /** The most tokens of output. */
  readonly output?: number;
  /** Whether the model takes chats. */
  readonly chat?: boolean;
  /** The standard rates; `long` applies to a call with more than `above` tokens of input. */
  readonly price?: Rates & { readonly long?: Rates & { readonly above: number } };
}

/** The models by name. Unknown facts are left out. */
export const models: Readonly<Record<string, Model>>;

/** The day on which the prices were last compared with OpenAI's, as "2026-01-31". */
export const modelsDate: string;

/** A function; JSON Schema describes its parameters. */
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
  /** Only parts with text can be counted: others, such as images, are rejected. */
  content?: string | null | Iterable<{ type: string; text?: string }>;
  name?: string;
  tool_calls?: readonly { function?: FunctionCall }[];
  function_call?: FunctionCall;
  /** Only for gpt-oss, like the next three. */
  channel?: string;
  recipient?: string;
  constraint?: string;
}

/** The fields of a request that cost tokens, with OpenAI's names, and the tokenizer that counts them. */
export interface ChatOptions {
  tools?: readonly ({ type: "function"; function: FunctionDefinition } | FunctionDefinition)[];
  tool_choice?: "auto" | "none" | "required" | { function?: { name: string }; name?: string };
  functions?: readonly FunctionDefinition[];
  function_call?: "auto" | "none" | { name: string };
  /** The model's encoding, if you have loaded it already; it may run in a Worker. */
  tokenizer?: Tokenizer | WorkerTokenizer;
}

/** Load the tokenizer of a model: also of dated names ("gpt-4o-2024-08-06") and fine-tuned ones ("ft:gpt-4o:..."). */
export function encodingForModel(model: string, options?: LoadOptions): Promise<Tokenizer>;

/**
 * Return the number of input tokens of a chat: each message with its marks, and the beginning of the answer. Exact for messages of text, by
 * OpenAI's own rules. Tools are counted in the form that models are known to get, which OpenAI does not document.
 */
export function countChat(messages: Iterable<ChatMessage>, model: string, options?: ChatOptions): Promise<number>;

/** Return the price of tokens, in dollars. `cached` is the part of `input` that comes from the cache. Status ARGUMENT if no price is known. */
export function estimateCost(model: string, usage: { input?: number; cached?: number; output?: number }): number;
