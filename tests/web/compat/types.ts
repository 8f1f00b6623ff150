// The types of wwho/compat are those of the packages that it stands in for, wherever a program uses them.

import * as ours from "wwho/compat/gpt-tokenizer";
import * as cl100k from "wwho/compat/gpt-tokenizer/encoding/cl100k_base";
import * as gpt4o from "wwho/compat/gpt-tokenizer/model/gpt-4o";
import { Tiktoken, getEncoding } from "wwho/compat/js-tiktoken";
import { Tiktoken as Lite } from "wwho/compat/js-tiktoken/lite";
import ranks from "wwho/compat/js-tiktoken/ranks/cl100k_base";
import { getEncoding as imported } from "wwho/compat/@langchain/core/utils/tiktoken";
import { TextSplitter, TokenTextSplitter } from "wwho/compat/@langchain/textsplitters";
import type * as theirs from "gpt-tokenizer";
import type * as theirModel from "gpt-tokenizer/model/gpt-4o";
import type * as js from "js-tiktoken";

export const encode: typeof theirs.encode = ours.encode;
export const decode: typeof theirs.decode = cl100k.decode;
export const encodeGenerator: typeof theirs.encodeGenerator = ours.encodeGenerator;
export const encodeChat: typeof theirs.encodeChat = gpt4o.encodeChat;
export const countTokens: typeof theirs.countTokens = gpt4o.default.countTokens;
export const isWithin: typeof theirs.isWithinTokenLimit = ours.isWithinTokenLimit;
export const decodeAsync: typeof theirs.decodeAsyncGenerator = ours.decodeAsyncGenerator;
export const request: NonNullable<typeof theirModel.countChatCompletionTokens> = gpt4o.countChatCompletionTokens;
export const encoder: Pick<js.Tiktoken, "encode" | "decode"> = new Lite(ranks, { "<|x|>": 300_000 });
export const getTheirs: (name: js.TiktokenEncoding, more?: Record<string, number>) => Pick<js.Tiktoken, "encode" | "decode"> = getEncoding;
export const later: Promise<Tiktoken> = imported("gpt2");
export const splitter: TextSplitter = new TokenTextSplitter({ encodingName: "gpt2", chunkSize: 5, chunkOverlap: 0 });
// @ts-expect-error: no encoding of js-tiktoken
getEncoding("wwho_328k");
// @ts-expect-error: no text
ours.encode(5);
