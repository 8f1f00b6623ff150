/** OpenAI's models: their encodings, the tokens of chats, which messages fit, and cost. */

import type { EncodingName, LoadOptions, Tokenizer } from "./index.js";
import type { WorkerTokenizer } from "./worker.js";

/** Dollars per million tokens. */
export interface Rates {
  readonly input: number;
  /** For input from the cache, if that costs less. */
  readonly cached?: number;
  /** For input that is written to the cache, if that costs more. */
  readonly cacheWrite?: number;
  readonly output?: number;
}

/** Rates, and those of a call with more than `above` tokens of input. */
export interface TieredRates extends Rates {
  readonly long?: Rates & { readonly above: number };
}

export interface Model {
  /** The name that getEncoding takes. */
  readonly encoding: Exclude<EncodingName, `wwho_${string}`>;
  /** The most tokens of input and output together. */
  readonly context?: number;
  /** The most tokens of output. */
  readonly output?: number;
  /** Whether the model takes chats. */
  readonly chat?: boolean;
  /** The tokens of an image, and those of each of its tiles in high detail, where OpenAI counts images by tiles. */
  readonly image?: readonly number[];
  /** The standard rates, and those of the Batch interface. */
  readonly price?: TieredRates & { readonly batch?: TieredRates };
}

/**
 * Facts about models, by OpenAI's exact names; unknown facts are left out. `encodingForModel` knows more names, such as those of new days,
 * of fine-tuned models, and with a provider.
 */
export const models: Readonly<Record<ModelName, Model> & Record<string, Model>>;

/** A name in `models`; tools/gen_openai.py writes the list. */
export type ModelName =
  | "ada"
  | "babbage"
  | "babbage-002"
  | "chat-latest"
  | "chatgpt-4o-latest"
  | "code-cushman-001"
  | "code-cushman-002"
  | "code-davinci-001"
  | "code-davinci-002"
  | "code-davinci-edit-001"
  | "code-search-ada-code-001"
  | "code-search-ada-text-001"
  | "code-search-babbage-code-001"
  | "code-search-babbage-text-001"
  | "codex-mini-latest"
  | "computer-use-preview"
  | "computer-use-preview-2025-03-11"
  | "curie"
  | "cushman-codex"
  | "davinci"
  | "davinci-002"
  | "davinci-codex"
  | "daybreak-blue-latest"
  | "daybreak-red-latest"
  | "gpt-2"
  | "gpt-3.5"
  | "gpt-3.5-0301"
  | "gpt-3.5-turbo"
  | "gpt-3.5-turbo-0125"
  | "gpt-3.5-turbo-0613"
  | "gpt-3.5-turbo-1106"
  | "gpt-3.5-turbo-16k-0613"
  | "gpt-3.5-turbo-instruct"
  | "gpt-35-turbo"
  | "gpt-4"
  | "gpt-4-0125-preview"
  | "gpt-4-0314"
  | "gpt-4-0613"
  | "gpt-4-1106-preview"
  | "gpt-4-1106-vision-preview"
  | "gpt-4-32k"
  | "gpt-4-turbo"
  | "gpt-4-turbo-2024-04-09"
  | "gpt-4-turbo-preview"
  | "gpt-4.1"
  | "gpt-4.1-2025-04-14"
  | "gpt-4.1-mini"
  | "gpt-4.1-mini-2025-04-14"
  | "gpt-4.1-nano"
  | "gpt-4.1-nano-2025-04-14"
  | "gpt-4.5-preview"
  | "gpt-4.5-preview-2025-02-27"
  | "gpt-4o"
  | "gpt-4o-2024-05-13"
  | "gpt-4o-2024-08-06"
  | "gpt-4o-2024-11-20"
  | "gpt-4o-audio-preview"
  | "gpt-4o-audio-preview-2024-10-01"
  | "gpt-4o-audio-preview-2024-12-17"
  | "gpt-4o-audio-preview-2025-06-03"
  | "gpt-4o-mini"
  | "gpt-4o-mini-2024-07-18"
  | "gpt-4o-mini-audio-preview"
  | "gpt-4o-mini-audio-preview-2024-12-17"
  | "gpt-4o-mini-realtime-preview"
  | "gpt-4o-mini-realtime-preview-2024-12-17"
  | "gpt-4o-mini-search-preview"
  | "gpt-4o-mini-search-preview-2025-03-11"
  | "gpt-4o-mini-transcribe"
  | "gpt-4o-mini-transcribe-2025-03-20"
  | "gpt-4o-mini-transcribe-2025-12-15"
  | "gpt-4o-realtime-preview"
  | "gpt-4o-realtime-preview-2024-10-01"
  | "gpt-4o-realtime-preview-2024-12-17"
  | "gpt-4o-realtime-preview-2025-06-03"
  | "gpt-4o-search-preview"
  | "gpt-4o-search-preview-2025-03-11"
  | "gpt-4o-transcribe"
  | "gpt-5"
  | "gpt-5-2025-08-07"
  | "gpt-5-chat-latest"
  | "gpt-5-codex"
  | "gpt-5-mini"
  | "gpt-5-mini-2025-08-07"
  | "gpt-5-nano"
  | "gpt-5-nano-2025-08-07"
  | "gpt-5-pro"
  | "gpt-5-pro-2025-10-06"
  | "gpt-5.1"
  | "gpt-5.1-2025-11-13"
  | "gpt-5.1-chat-latest"
  | "gpt-5.1-codex"
  | "gpt-5.1-codex-max"
  | "gpt-5.1-codex-mini"
  | "gpt-5.2"
  | "gpt-5.2-2025-12-11"
  | "gpt-5.2-chat-latest"
  | "gpt-5.2-codex"
  | "gpt-5.2-pro"
  | "gpt-5.2-pro-2025-12-11"
  | "gpt-5.3-chat-latest"
  | "gpt-5.3-codex"
  | "gpt-5.4"
  | "gpt-5.4-2026-03-05"
  | "gpt-5.4-mini"
  | "gpt-5.4-mini-2026-03-17"
  | "gpt-5.4-nano"
  | "gpt-5.4-nano-2026-03-17"
  | "gpt-5.4-pro"
  | "gpt-5.4-pro-2026-03-05"
  | "gpt-5.5"
  | "gpt-5.5-2026-04-23"
  | "gpt-5.5-pro"
  | "gpt-5.5-pro-2026-04-23"
  | "gpt-5.6-cyber"
  | "gpt-5.6-luna"
  | "gpt-5.6-sol"
  | "gpt-5.6-terra"
  | "gpt-audio"
  | "gpt-audio-1.5"
  | "gpt-audio-2025-08-28"
  | "gpt-audio-mini"
  | "gpt-audio-mini-2025-10-06"
  | "gpt-audio-mini-2025-12-15"
  | "gpt-oss-120b"
  | "gpt-oss-20b"
  | "gpt-realtime"
  | "gpt-realtime-1.5"
  | "gpt-realtime-2"
  | "gpt-realtime-2.1"
  | "gpt-realtime-2.1-mini"
  | "gpt-realtime-2025-08-28"
  | "gpt-realtime-mini"
  | "gpt-realtime-mini-2025-10-06"
  | "gpt-realtime-mini-2025-12-15"
  | "gpt2"
  | "o1"
  | "o1-2024-12-17"
  | "o1-mini"
  | "o1-mini-2024-09-12"
  | "o1-preview"
  | "o1-preview-2024-09-12"
  | "o1-pro"
  | "o1-pro-2025-03-19"
  | "o3"
  | "o3-2025-04-16"
  | "o3-deep-research"
  | "o3-deep-research-2025-06-26"
  | "o3-mini"
  | "o3-mini-2025-01-31"
  | "o3-pro"
  | "o3-pro-2025-06-10"
  | "o4-mini"
  | "o4-mini-2025-04-16"
  | "o4-mini-deep-research"
  | "o4-mini-deep-research-2025-06-26"
  | "text-ada-001"
  | "text-babbage-001"
  | "text-curie-001"
  | "text-davinci-001"
  | "text-davinci-002"
  | "text-davinci-003"
  | "text-davinci-edit-001"
  | "text-embedding-3-large"
  | "text-embedding-3-small"
  | "text-embedding-ada-002"
  | "text-search-ada-doc-001"
  | "text-search-ada-query-001"
  | "text-search-babbage-doc-001"
  | "text-search-babbage-query-001"
  | "text-search-curie-doc-001"
  | "text-search-curie-query-001"
  | "text-search-davinci-doc-001"
  | "text-search-davinci-query-001"
  | "text-similarity-ada-001"
  | "text-similarity-babbage-001"
  | "text-similarity-curie-001"
  | "text-similarity-davinci-001";

/** The name of a model: one of `models`, a dated or fine-tuned one, or one with its provider, "openai/gpt-4o" or "azure/gpt-4o". */
export type AnyModel = ModelName | (string & {});

/** The day on which the prices were last compared with OpenAI's, as "2026-01-31". */
export const modelsDate: string;

/** A function that a model may call. */
export interface FunctionDefinition {
  name: string;
  description?: string | null;
  /** JSON Schema. */
  parameters?: object | null;
  strict?: boolean | null;
}

/** A tool whose input is a text, perhaps of a grammar. */
export interface CustomToolDefinition {
  name: string;
  description?: string;
  format?: { type: "text" } | { type: "grammar"; grammar: GrammarDefinition } | ({ type: "grammar" } & GrammarDefinition);
}

export interface GrammarDefinition {
  definition: string;
  syntax: string;
}

/**
 * A tool, as Chat Completions or Responses has it. Functions and custom tools are counted, as estimates; other types, such as
 * "web_search", are refused, because nobody outside of OpenAI knows what they cost.
 */
export type ChatTool =
  | { type: "function"; function: FunctionDefinition }
  | { type: "custom"; custom: CustomToolDefinition }
  | ({ type: "function" } & FunctionDefinition)
  | ({ type: "custom" } & CustomToolDefinition)
  | FunctionDefinition
  | { type: string; name?: undefined; function?: undefined; custom?: undefined };

/** Which tool the model must call. A list of allowed tools is refused. */
export type ChatToolChoice =
  | "auto"
  | "none"
  | "required"
  | { type?: string; function: { name: string } }
  | { type?: string; custom: { name: string } }
  | { type?: string; name: string }
  | { type: string };

/** A function's name and its arguments, as JSON in a string. */
export interface FunctionCall {
  name?: string;
  arguments?: string;
}

/** A call of a tool in a message. */
export interface ToolCall {
  id?: string;
  type?: string;
  function?: FunctionCall;
  custom?: { name: string; input: string };
}

/**
 * A part of a message's content. Counted are text, refusals, and images of a known size; other parts, such as audio and files, are
 * refused.
 */
export interface ContentPart {
  type: string;
  text?: string;
  refusal?: string;
  image_url?: string | { url: string; detail?: string } | null;
  detail?: string;
}

/** A message, as Chat Completions has it. Fields that are not here, and are neither ids nor settings, are refused. */
export interface ChatMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool" | "function" | (string & {});
  /** Required, except beside `tool_calls`, `function_call` or `refusal`. */
  content?: string | null | Iterable<ContentPart>;
  name?: string;
  refusal?: string | null;
  tool_calls?: readonly ToolCall[] | null;
  function_call?: FunctionCall | null;
  /** The call that a message with the role "tool" answers: it costs nothing, but `fitChat` keeps both together. */
  tool_call_id?: string;
  /** Only for gpt-oss, like the next two. */
  channel?: string;
  recipient?: string;
  constraint?: string;
  /** A message of the AI SDK has parts: convert it with `fromAISDK`. */
  parts?: undefined;
}

/**
 * An item of the Responses interface. Messages, calls of functions and of custom tools, their outputs, and reasoning that has text are
 * counted, as estimates; other types, and encrypted reasoning, are refused.
 */
export interface ResponseItem {
  type?: string | null;
  id?: string | null;
  role?: string;
  content?: unknown;
  name?: string | null;
  arguments?: unknown;
  input?: unknown;
  output?: unknown;
  summary?: unknown;
  call_id?: string | null;
  parts?: undefined;
}

/** A chat: messages, or items of the Responses interface. */
export type Chat = Iterable<ChatMessage | ResponseItem>;

/** The fields of a request that cost tokens, with OpenAI's names, and how they are counted. */
export interface ChatOptions {
  tools?: readonly ChatTool[] | null;
  tool_choice?: ChatToolChoice | null;
  functions?: readonly FunctionDefinition[] | null;
  function_call?: "auto" | "none" | { name: string } | null;
  /** The size of an image in pixels, for images that are not in data URLs; undefined if it is not known. */
  imageSize?: (url: string) => { width: number; height: number } | undefined;
}

/** With a loaded tokenizer, the answer comes at once; with one in a Worker, as a promise. Without one, the model's encoding is loaded. */
export interface WithTokenizer {
  /** The model's encoding; of another tokenizer, the tokens in the model's form of a chat are counted. */
  tokenizer: Tokenizer;
}

export interface WithWorker {
  tokenizer: WorkerTokenizer;
}

export interface WithoutTokenizer {
  tokenizer?: undefined;
}

/** How many tokens a chat may have. */
export interface LimitOptions {
  /** The most tokens, with those of the answer; by default the context of the model. */
  limit?: number;
  /** The tokens of the limit that are left to the answer; 0 by default. */
  reserve?: number;
}

export interface FitOptions extends LimitOptions {
  /** The roles whose messages all stay; "system" and "developer" by default. */
  keep?: Iterable<string>;
}

/** The messages that fit. */
export interface FittedChat<Message> {
  /** Those of the messages that stay, in their order, the same objects. */
  messages: Message[];
  /** The tokens of each of them. */
  counts: number[];
  /** What `countChat` gives for them. */
  tokens: number;
}

/**
 * Load the tokenizer of a model, also of dated names ("gpt-4o-2024-08-06"), fine-tuned ones ("ft:gpt-4o:...") and ones with a provider
 * ("openai/gpt-4o", "azure/gpt-4o"). Rejects with status ARGUMENT for another name; for models of other companies it names wwho/import.
 */
export function encodingForModel(model: AnyModel, options?: LoadOptions): Promise<Tokenizer>;

/**
 * Return the number of input tokens of a chat: each message with its marks, tools, and the beginning of the answer. For messages of text
 * it is the number of OpenAI's cookbook; what OpenAI does not define (tools and their calls, items of Responses, refusals) is an estimate,
 * and a field that cannot be counted is an error of status ARGUMENT, which names it.
 */
export function countChat(messages: Chat, model: AnyModel, options: ChatOptions & WithTokenizer): number;
export function countChat(messages: Chat, model: AnyModel, options?: ChatOptions & (WithWorker | WithoutTokenizer)): Promise<number>;

/**
 * Return the tokens of each message with its marks. `countChat` is their sum and what comes once: tools, and 3 tokens for the beginning of
 * the answer (2 for gpt-oss).
 */
export function countMessages(messages: Chat, model: AnyModel, options: ChatOptions & WithTokenizer): number[];
export function countMessages(messages: Chat, model: AnyModel, options?: ChatOptions & (WithWorker | WithoutTokenizer)): Promise<number[]>;

/** Return what `countChat` gives if it is at most `limit` without `reserve`, otherwise false. */
export function isWithinTokenLimit(messages: Chat, model: AnyModel, options: ChatOptions & LimitOptions & WithTokenizer): number | false;
export function isWithinTokenLimit(
  messages: Chat,
  model: AnyModel,
  options?: ChatOptions & LimitOptions & (WithWorker | WithoutTokenizer),
): Promise<number | false>;

/**
 * Return the ids of a chat of text, as many as `countChat` gives. Those of marks such as <|im_start|> are gpt-tokenizer's, except for
 * gpt-oss OpenAI has not published them, and `decode` does not take them. Names, tools, their calls and images have no published ids: for
 * them, it fails with status ARGUMENT.
 */
export function encodeChat(messages: Chat, model: AnyModel, options: ChatOptions & WithTokenizer): Uint32Array;
export function encodeChat(messages: Chat, model: AnyModel, options?: ChatOptions & (WithWorker | WithoutTokenizer)): Promise<Uint32Array>;

/**
 * Return the messages that fit into a limit: those with the roles in `keep`, and of the others the newest. A call of a tool and its
 * answers stay or go together, and so do reasoning and what follows it. Takes time in proportion to the chat. If not even the messages of
 * the roles in `keep` and the newest fit, it fails with status LIMIT.
 */
export function fitChat<Message extends ChatMessage | ResponseItem>(
  messages: Iterable<Message>,
  model: AnyModel,
  options: ChatOptions & FitOptions & WithTokenizer,
): FittedChat<Message>;
export function fitChat<Message extends ChatMessage | ResponseItem>(
  messages: Iterable<Message>,
  model: AnyModel,
  options?: ChatOptions & FitOptions & (WithWorker | WithoutTokenizer),
): Promise<FittedChat<Message>>;

/** The numbers of tokens of a call. */
export interface Usage {
  /** All tokens of input, those of the cache included. */
  input?: number;
  /** Those of the input that come from the cache. */
  cached?: number;
  /** Those of the input that are written to the cache, for models that charge for it. */
  cacheWrite?: number;
  output?: number;
}

/** `usage` of an answer of OpenAI's: of Chat Completions, Embeddings or Responses. */
export interface OpenAIUsage {
  prompt_tokens?: number;
  completion_tokens?: number;
  input_tokens?: number;
  output_tokens?: number;
  total_tokens?: number;
  prompt_tokens_details?: object | null;
  completion_tokens_details?: object | null;
  input_tokens_details?: object | null;
  output_tokens_details?: object | null;
}

/**
 * Return the price of a call, in dollars, at the model's standard rates, or with `batch` at those of the Batch interface. Fails with
 * status ARGUMENT if no price is known, also for a part of the usage, such as audio.
 */
export function estimateCost(model: AnyModel, usage: Usage | OpenAIUsage, options?: { batch?: boolean }): number;

/** A message of the AI SDK: a UIMessage, or a ModelMessage. */
export interface AISDKMessage {
  role: string;
  content?: unknown;
  parts?: readonly { type: string }[];
}

/**
 * Return messages of the AI SDK, UIMessages or ModelMessages, as messages that `countChat` takes: texts, reasoning, calls of tools with
 * their results, and images. Parts that no model gets (data, sources, approvals) are left out; other parts fail with status ARGUMENT.
 */
export function fromAISDK(messages: Iterable<AISDKMessage>): (ChatMessage | ResponseItem)[];

/** A message of LangChain. */
export interface LangChainMessage {
  readonly type: string;
  content: unknown;
  additional_kwargs?: object;
}

/**
 * Return messages of LangChain as messages that `countChat` takes. Messages of other classes, and `additional_kwargs` that OpenAI does not
 * have, fail with status ARGUMENT.
 */
export function fromLangChain(messages: Iterable<LangChainMessage>): (ChatMessage | ResponseItem)[];
