/** Chats as a model reads them, rendered with its tokenizer's template. Install @huggingface/jinja, which reads templates, to use this. */

import type { Tokenizer } from "./index.js";
import type { WorkerTokenizer } from "./worker.js";

export { WwhoError } from "./index.js";

/** A message, with the fields that templates read, usually a role and a content. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [key: string]: unknown;
}

export interface ChatOptions {
  /** Whether to add the beginning of the answer at the end; false by default. */
  addGenerationPrompt?: boolean;
  /** Tools, as JSON schemas. */
  tools?: readonly unknown[];
  documents?: readonly unknown[];
  /** Further values that the template reads, under other names than the options', such as { enable_thinking: false } or { date_string: "26 Jul 2024" }. */
  variables?: Readonly<Record<string, unknown>>;
  /** Another template than the tokenizer's own. */
  chatTemplate?: string;
  /**
   * Special tokens that the messages, tools, documents and variables may spell. By default there are none, and a text that spells one, or
   * several that spell one when they are joined, fail with status SPECIAL_TOKEN; names of fields count as texts. A token that a template
   * makes of texts by changing them, or with its own text between them, is not found. "all" is what transformers does. The template's own
   * special tokens are always special.
   */
  allowedSpecial?: Iterable<string> | "all";
}

/**
 * Return a chat as text, rendered with the template; values are printed as Python prints them.
 * @param messages one or more; fields that are null are left out, as in transformers.
 * @throws {WwhoError} ARGUMENT: there is no template, or no message. TEMPLATE: it cannot be read, uses what is not supported, or rejects
 *   the chat. SPECIAL_TOKEN.
 */
export function renderChat(
  tokenizer: Tokenizer | WorkerTokenizer,
  messages: Iterable<ChatMessage>,
  options?: ChatOptions,
): string;

/** Return the ids of a chat: those of apply_chat_template in transformers. */
export function applyChatTemplate(
  tokenizer: Tokenizer,
  messages: Iterable<ChatMessage>,
  options: ChatOptions & { array: true },
): number[];
export function applyChatTemplate(
  tokenizer: Tokenizer,
  messages: Iterable<ChatMessage>,
  options?: ChatOptions & { array?: false },
): Uint32Array;
export function applyChatTemplate(
  tokenizer: WorkerTokenizer,
  messages: Iterable<ChatMessage>,
  options: ChatOptions & { array: true },
): Promise<number[]>;
export function applyChatTemplate(
  tokenizer: WorkerTokenizer,
  messages: Iterable<ChatMessage>,
  options?: ChatOptions & { array?: false },
): Promise<Uint32Array>;

/** Return the number of the ids of a chat. */
export function countChat(tokenizer: Tokenizer, messages: Iterable<ChatMessage>, options?: ChatOptions): number;
export function countChat(
  tokenizer: WorkerTokenizer,
  messages: Iterable<ChatMessage>,
  options?: ChatOptions,
): Promise<number>;
