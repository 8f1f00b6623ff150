import { TextSplitter } from "@langchain/textsplitters";
import type { TextSplitterParams } from "@langchain/textsplitters";
import type { TiktokenEncoding } from "./js-tiktoken-lite.js";

export * from "@langchain/textsplitters";

export interface TokenTextSplitterParams extends TextSplitterParams {
  encodingName: TiktokenEncoding;
  allowedSpecial: "all" | string[];
  disallowedSpecial: "all" | string[];
}

/** Cuts a text into windows of `chunkSize` tokens, of which each shares `chunkOverlap` with the one before. Nothing is fetched. */
export class TokenTextSplitter extends TextSplitter implements TokenTextSplitterParams {
  static lc_name(): string;
  encodingName: TiktokenEncoding;
  allowedSpecial: "all" | string[];
  disallowedSpecial: "all" | string[];
  constructor(fields?: Partial<TokenTextSplitterParams>);
  splitText(text: string): Promise<string[]>;
}
