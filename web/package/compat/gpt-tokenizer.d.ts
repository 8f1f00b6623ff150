/** gpt-tokenizer's functions over our encodings: the same names, defaults and results. Errors are WwhoErrors. */

export interface EncodeOptions {
  /** Special tokens to encode as such, where a text begins with them; "all": every one. */
  allowedSpecial?: ReadonlySet<string> | "all";
  /** "all", the default: text that spells a special token that is not allowed is an error. An empty set: nothing is. */
  disallowedSpecial?: ReadonlySet<string> | "all";
}

export interface EncodeChatOptions {
  /** What begins the answer, "assistant" by default; "" for nothing. */
  primeWithAssistantResponse?: string;
}

export type HarmonyTerminator = "<|end|>" | "<|return|>" | "<|call|>";

export interface ChatMessage {
  role?: "system" | "user" | "assistant" | "developer" | (string & {});
  name?: string;
  content: string;
  function_call?: { name?: string; arguments?: string };
  /** Only for gpt-oss, like the next four. */
  channel?: string;
  recipient?: string;
  recipientPlacement?: "role" | "channel";
  constraint?: string;
  terminator?: HarmonyTerminator;
}

/** Prices of a million tokens, or the cost of some. */
export interface Rates {
  input?: number;
  output?: number;
  cached_input?: number;
  cached_output?: number;
}

export interface PriceData {
  main?: Rates;
  batch?: Rates;
}

/** Return the ids of a text. */
export function encode(lineToEncode: string, encodeOptions?: EncodeOptions): number[];
/** Yield the ids of each pretoken of a text. */
export function encodeGenerator(lineToEncode: string, encodeOptions?: EncodeOptions): Generator<number[], number, undefined>;
/** Return the ids of a chat, with gpt-tokenizer's own ids of <|im_start|> and others. */
export function encodeChat(chat: Iterable<ChatMessage>, model?: string, encodeOptions?: EncodeOptions & EncodeChatOptions): number[];
/** Yield the ids of a chat, some at a time. */
export function encodeChatGenerator(
  chat: Iterable<ChatMessage>,
  model?: string,
  encodeOptions?: EncodeOptions & EncodeChatOptions,
): Generator<number[], void, undefined>;
/** Return the number of ids of a text, or of a chat of the module's model. */
export function countTokens(input: string | Iterable<ChatMessage>, encodeOptions?: EncodeOptions): number;
/** Return the number of ids, or false if there are more than the limit. */
export function isWithinTokenLimit(input: string | Iterable<ChatMessage>, tokenLimit: number, encodeOptions?: EncodeOptions): false | number;
/** Return the text of ids; an id without a token is an error. */
export function decode(inputTokensToDecode: Iterable<number>): string;
/** Yield the text of ids token by token, in whole characters. */
export function decodeGenerator(inputTokensToDecode: Iterable<number>): Generator<string, void, void>;
/** Yield the text of ids that come one by one, in whole characters. */
export function decodeAsyncGenerator(inputTokensToDecode: AsyncIterable<number>): AsyncGenerator<string, void>;
/** Return the cost of tokens at the prices of a specification, which must be given: gpt-tokenizer's prices are not here. */
export function estimateCost(tokenCount: number, modelSpec?: { name?: string; price_data?: PriceData }): PriceData;
/** Does nothing: the cache has a fixed size. */
export function setMergeCacheSize(size: number): void;
/** Does nothing: the cache has a fixed size. */
export function clearMergeCache(): void;
/** The number of tokens, gpt-tokenizer's own special tokens included. */
export const vocabularySize: number;

export const ALL_SPECIAL_TOKENS = "all";
export const DEFAULT_MERGE_CACHE_SIZE: number;
export const EndOfPrompt = "<|endofprompt|>";
export const EndOfText = "<|endoftext|>";
export const FimMiddle = "<|fim_middle|>";
export const FimPrefix = "<|fim_prefix|>";
export const FimSuffix = "<|fim_suffix|>";
export const HarmonyCall = "<|call|>";
export const HarmonyChannel = "<|channel|>";
export const HarmonyConstrain = "<|constrain|>";
export const HarmonyEnd = "<|end|>";
export const HarmonyMessage = "<|message|>";
export const HarmonyReturn = "<|return|>";
export const HarmonyStart = "<|start|>";
export const HarmonyStartOfText = "<|startoftext|>";
export const ImEnd = "<|im_end|>";
export const ImSep = "<|im_sep|>";
export const ImStart = "<|im_start|>";

/** The functions of a module in one object. */
export interface GptEncoding {
  readonly modelName?: string;
  readonly vocabularySize: number;
  encode: typeof encode;
  encodeGenerator: typeof encodeGenerator;
  encodeChat: typeof encodeChat;
  encodeChatGenerator: typeof encodeChatGenerator;
  countTokens: typeof countTokens;
  isWithinTokenLimit: typeof isWithinTokenLimit;
  decode: typeof decode;
  decodeGenerator: typeof decodeGenerator;
  decodeAsyncGenerator: typeof decodeAsyncGenerator;
  /** Return the text of ids that come one by one. */
  decodeAsync(inputTokensToDecode: AsyncIterable<number>): Promise<string>;
  estimateCost: typeof estimateCost;
  setMergeCacheSize: typeof setMergeCacheSize;
  clearMergeCache: typeof clearMergeCache;
}

declare const api: GptEncoding;
export default api;
