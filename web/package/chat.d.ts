/** Chats as a model reads them, by the template that its tokenizer came with. Needs @huggingface/jinja, which is for you to install. */

import type { Tokenizer } from "./index.js";
import type { WorkerTokenizer } from "./worker.js";

export { WwhoError } from "./index.js";

/** What templates read: mostly a role and a content. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [key: string]: unknown;
}

export interface ChatOptions {
  /** Whether the beginning of the answer comes last; false by default. */
  addGenerationPrompt?: boolean;
  /** Tools, as JSON schemas. */
  tools?: readonly unknown[];
  documents?: readonly unknown[];
  /** What else the template reads, such as { enable_thinking: false } or { date_string: "26 Jul 2024" }. */
  variables?: Readonly<Record<string, unknown>>;
  /** Another template than the tokenizer's own. */
  chatTemplate?: string;
  /**
   * Special tokens that the messages, tools, documents and variables may spell; none by default: a text that spells one fails with
   * status SPECIAL_TOKEN. "all" is what transformers does. The template's own are special tokens in any case.
   */
  allowedSpecial?: Iterable<string> | "all";
}

/**
 * The text that the template makes of a chat.
 * @throws {WwhoError} ARGUMENT: there is no template. TEMPLATE: it cannot be read, or refuses the chat. SPECIAL_TOKEN.
 */
export function renderChat(
  tokenizer: Tokenizer | WorkerTokenizer,
  messages: Iterable<ChatMessage>,
  options?: ChatOptions,
): string;

/** Its ids: those of apply_chat_template in transformers. */
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

/** How many they are. */
export function countChat(tokenizer: Tokenizer, messages: Iterable<ChatMessage>, options?: ChatOptions): number;
export function countChat(
  tokenizer: WorkerTokenizer,
  messages: Iterable<ChatMessage>,
  options?: ChatOptions,
): Promise<number>;
