/** js-tiktoken's class over our encodings: the same methods, defaults and results. Errors are WwhoErrors. */

import type { AnyModel } from "../openai.js";

export type TiktokenEncoding = "gpt2" | "r50k_base" | "p50k_base" | "p50k_edit" | "cl100k_base" | "o200k_base";

/** Names that are newer than js-tiktoken are known, too. */
export type TiktokenModel = AnyModel;

/** The default export of `wwho/compat/js-tiktoken/ranks/NAME`. Only `special_tokens` can be read; the other fields are errors. */
export interface TiktokenBPE {
  readonly pat_str: string;
  readonly special_tokens: Record<string, number>;
  readonly bpe_ranks: string;
}

export class Tiktoken {
  /** With further special tokens, the encoding is opened once more. An id of another special token decodes to the new one. */
  constructor(ranks: TiktokenBPE, extendedSpecialTokens?: Record<string, number>);
  /** Return the ids of a text. Text that spells a special token is an error, unless it is allowed, or `disallowedSpecial` is an empty list. */
  encode(text: string, allowedSpecial?: readonly string[] | "all", disallowedSpecial?: readonly string[] | "all"): number[];
  /** Return the text of ids; an id without a token is an error. */
  decode(tokens: Iterable<number>): string;
}

/**
 * Return the name of a model's encoding. Errors: davinci-002 and babbage-002, for which OpenAI's tiktoken names another than js-tiktoken, and
 * gpt-oss's models, whose encoding js-tiktoken does not have.
 */
export function getEncodingNameForModel(model: TiktokenModel): TiktokenEncoding;
