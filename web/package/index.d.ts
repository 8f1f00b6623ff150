/// <reference lib="esnext.disposable" />
/** Exact tokenization in WebAssembly. Offsets and positions count UTF-16 units, as in JavaScript's strings. */

declare global {
  namespace WebAssembly {
    /** TypeScript's "dom" library declares this; the line is for programs without that library. */
    interface Module {}
  }
}

/** A string, in which lone surrogates become U+FFFD; or UTF-8, which may be broken: decodeBytes restores every byte. */
export type Text = string | Uint8Array;

/** "BufferSource" of TypeScript's "dom" library. */
export type Bytes = ArrayBuffer | ArrayBufferView;

export type WasmSource = string | URL | Response | Bytes | WebAssembly.Module;

/** A .wwho file, also compressed with gzip. In Node, a string without a scheme is a path. */
export type ModelSource = string | URL | Response | Blob | Bytes;

export interface EncodeOptions {
  /** Special tokens to encode as such. By default there are none, and text that spells a special token is ordinary text. */
  allowedSpecial?: Iterable<string> | "all";
  /** Special tokens that make the call fail with status SPECIAL_TOKEN; "all": every one that is not allowed. None by default. */
  disallowedSpecial?: Iterable<string> | "all";
  /** "token": a syllable outside the vocabulary becomes the unknown token (loses text). "spell", the default: never, but for
   *  a model that has no other way, such as BERT's. */
  unk?: "spell" | "token";
}

/** Options for the model's template. Streams and encodeInto do not take them: they give only the tokens of the text. */
export interface TemplateOptions extends EncodeOptions {
  /**
   * Whether to add the special tokens of the model's template, such as [CLS] and [SEP]; false by default. They count towards limits,
   * which must have room for them.
   */
  addSpecialTokens?: boolean;
}

/** Options for a second text, and for the model's template. */
export interface PairOptions extends TemplateOptions {
  /** A second text, for models that take pairs. Its ids follow those of the first. */
  pair?: Text;
  /** Whether to find added tokens that are not special, such as those that training protected; true by default. */
  added?: boolean;
}

/**
 * Options for drawing tokens at random, as one trains language models with. The same seed gives the same ids here and in Python. An encoding that
 * has models of both kinds takes both options: each leaves the other's models alone.
 */
export interface SamplingOptions {
  /** For BPE models: the probability that a merge that comes up is skipped (BPE-dropout). 0, the default, skips none; 1 leaves the symbols. */
  dropout?: number;
  /**
   * For Unigram models: `nBest` -1 draws a path of all, in proportion to exp(alpha * its score), as SentencePiece does; 0 and 1 take the best
   * path. Others are refused.
   */
  sample?: { alpha: number; nBest: number };
  /** From 0 to 2**53 - 1, or as a BigInt to 2n**64n - 1n. Needed with the two options above. Each text of a batch has a stream of its own. */
  seed?: number | bigint;
}

/** Options for several texts. */
export interface PairsOptions extends TemplateOptions {
  /** A second text for each, for models that take pairs; as many as there are texts. */
  pairs?: Iterable<Text>;
  /** Whether to find added tokens that are not special, such as those that training protected; true by default. */
  added?: boolean;
}

export interface OffsetOptions extends PairOptions, SamplingOptions {
  /** Whether to return pretokens and units, too; only for a single text without a template. False by default. */
  units?: boolean;
}

/** How ids are returned: as a Uint32Array or, with `array: true`, as a plain array. */
export interface PartOptions extends EncodeOptions {
  array?: boolean;
}

export interface IdsOptions extends PairOptions, SamplingOptions {
  array?: boolean;
}

export interface BatchOptions extends PairsOptions, SamplingOptions {
  array?: boolean;
}

/** Special tokens: an id for each text. */
export type SpecialTokens = ReadonlyMap<string, number> | Readonly<Record<string, number>>;

export interface DecodeOptions {
  /** Whether to leave special tokens out; false by default. */
  skipSpecialTokens?: boolean;
  /**
   * Whether added tokens of a byte-level model that comes from a tokenizer.json, such as "Café", decode to the bytes that `tokenizers` makes of
   * them, which are no text; false by default: to their texts. Another model fails with status ARGUMENT. If there are such tokens, the first call opens
   * the encoding once more, and both need memory.
   */
  likeTokenizers?: boolean;
}

export interface DecodeStreamOptions extends DecodeOptions {
  /**
   * Whether each part ends between two graphemes, so that none changes once it is shown; false by default: between two characters. The last
   * one waits for the next token. Needs Intl.Segmenter.
   */
  graphemes?: boolean;
}

export interface ChunkOptions extends TemplateOptions {
  /** The most tokens that two neighbouring chunks share; 0 by default. */
  overlap?: number;
  /**
   * What a chunk should end with: the last end of this kind that uses at least half of the limit, otherwise the next kind in this order.
   * The default is "paragraph" (before a blank line). "token": as much as fits.
   */
  prefer?: "paragraph" | "sentence" | "line" | "word" | "token";
  /**
   * For a syllable or character (grapheme cluster) that alone has more tokens than the limit, as hostile text may have: "split" (the default)
   * cuts it between code points into chunks that keep the limit, and only a single code point may then be above it; "keep" makes it one
   * chunk, above the limit; "error" throws an error with status LIMIT.
   */
  oversize?: "split" | "keep" | "error";
}

export interface LoadOptions {
  /** Ends loading, with the signal's reason. */
  signal?: AbortSignal;
  /** Bytes so far, and the total if it is known: a server that compresses does not state it. */
  onProgress?: (progress: { loaded: number; total?: number }) => void;
}

/** A text in chunks. A string may end between two surrogates, and bytes may end inside a character. */
export type TextStream =
  ReadableStream<string | Bytes> | Blob | AsyncIterable<string | Bytes> | Iterable<string | Bytes>;

/** Tokens as a language model generates them. */
export type TokenStream =
  | ReadableStream<number | Iterable<number>>
  | AsyncIterable<number | Iterable<number>>
  | Iterable<number | Iterable<number>>;

export interface StreamOptions {
  /** Ends the call, with the signal's reason, and cancels the stream. */
  signal?: AbortSignal;
  /** Whether the call fails with status UTF8 if bytes are not UTF-8; false by default: such bytes are taken as they are. */
  fatal?: boolean;
  /** Reports the bytes of UTF-8 and the tokens so far. */
  onProgress?: (progress: { bytes: number; tokens: number }) => void;
}

export interface Chunk {
  readonly text: string;
  /** Where it lies in the whole text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** How many tokens the chunk has, encoded on its own with the same options. */
  readonly tokens: number;
}

export interface Encoded {
  readonly ids: Uint32Array;
  /** The first UTF-16 unit that token i touches. */
  readonly starts: Uint32Array;
  /** The UTF-16 unit after the last one that token i touches. Tokens that share a character overlap. */
  readonly ends: Uint32Array;
  /** With `pair` or `addSpecialTokens`, the type of each token from the template, usually 0 for the first text and 1 for the second. */
  readonly types?: Uint8Array;
  /** With `units`, where each pretoken, or each unit such as a syllable, begins and ends, in order. Text that a step drops is left out. */
  readonly unitStarts?: Uint32Array;
  readonly unitEnds?: Uint32Array;
  /** The index of each one's route in `info.routes`. */
  readonly unitRoutes?: Uint16Array;
}

export interface Segment {
  readonly route: string;
  readonly text: string;
  /** Where the segment lies in the whole text, in UTF-16 units. Each byte of broken UTF-8 that belongs to no character counts as one. */
  readonly start: number;
  readonly end: number;
  /** The syllables of a route with syllables, and other characters one by one; empty for base routes. */
  readonly units: readonly string[];
  /** What each unit is. */
  readonly rules: readonly ("syllable" | "orphan" | "passthrough")[];
}

/** One step of an automaton, which reads a character. States and classes are numbers, as in the file. */
export interface Step {
  /** The character that is read; "" at the end of the segment. */
  readonly text: string;
  /** The number of its class in the file, from 1 on; 0 at the end of the segment. */
  readonly class: number;
  /** The state before it: 1 at the start of each unit. */
  readonly from: number;
  /** The state after it; 0 if the scan is over, so that the unit ends with the last accepting step. */
  readonly to: number;
  /** Whether a unit may end after it. */
  readonly accepts: boolean;
}

export interface TracedUnit {
  readonly text: string;
  /** As in Segment. "piece" in a base route, where each unit is a pretoken. "character" and "bytes" in the base route of a SCRIPT model,
   *  whose segments are its pretokens: a character with a block and an index, or one that is written as bytes. */
  readonly rule: "syllable" | "orphan" | "passthrough" | "piece" | "character" | "bytes";
  /** The last step ended the unit: its character, and those before it that no step accepts, are read again for the next unit. */
  readonly steps: readonly Step[];
  /** In a SCRIPT model, the numbers of the unit's symbols: of its block and its index, or of its bytes. Indices are numbered from 0,
   *  then blocks, then bytes. */
  readonly symbols?: readonly number[];
  /** The name of that block (its script, and the kind of its characters), if the model's provenance has it. */
  readonly block?: string;
}

export interface TracedSegment extends Omit<Segment, "units" | "rules"> {
  /** The number of states of the automaton that cuts the segment. */
  readonly states: number;
  readonly units: readonly TracedUnit[];
}

export interface Info {
  /** All ids are below nVocab; not all of them are used. */
  readonly nVocab: number;
  /** What `unk: "token"` writes; null for none. */
  readonly unkId: number | null;
  /** The longest token, in bytes. */
  readonly maxTokenBytes: number;
  readonly models: readonly ModelInfo[];
  /** `model` is the number of the route's model; `hasUnits` says whether its text is cut into units: syllables, clusters or characters. */
  readonly routes: readonly { readonly name: string; readonly model: number; readonly hasUnits: boolean }[];
}

export interface ModelInfo {
  readonly kind: "bpe" | "greedy" | "viterbi";
  readonly symbols: "bytes" | "units";
  /** How the model encodes unknown symbols. */
  readonly unknown: "none" | "spell" | "bytes" | "id";
  /** The model's ids are firstId .. firstId + nIds - 1; not all of them are used. */
  readonly firstId: number;
  readonly nIds: number;
  readonly nSymbols: number;
  readonly nMerges: number;
  /** How many of the merges, the last ones, join words. */
  readonly nSuperwords: number;
  readonly spaceId: number | null;
  readonly unkId: number | null;
}

/** Rules of FORMAT.md that a damaged .wwho file breaks. TEMPLATE is one, too. */
export type FileStatus =
  | "ADDED"
  | "AUTOMATON_SHAPE"
  | "AUTOMATON_TABLE"
  | "AUTOMATON_TOTAL"
  | "CHECKSUM"
  | "CLASSES"
  | "DECODER"
  | "IDS"
  | "MAGIC"
  | "MODEL"
  | "NORMALIZER"
  | "PADDING"
  | "PAIRS"
  | "PAIR_DUPLICATE"
  | "PAIR_ORDER"
  | "PROVENANCE"
  | "ROUTES"
  | "SCORES"
  | "SECTION_BOUNDS"
  | "SECTION_KIND"
  | "SECTION_MISSING"
  | "SECTION_ORDER"
  | "SECTION_TABLE"
  | "STEPS"
  | "SYMBOLS"
  | "TOKEN_DUPLICATE"
  | "TOKEN_LENGTH"
  | "TRAILING"
  | "TRUNCATED"
  | "VERSION";

/**
 * What went wrong, for programs: the rule that a damaged file breaks, or one of these. TEMPLATE is also a chat template that cannot be read,
 * or that rejects the chat.
 */
export type ErrorStatus =
  | FileStatus
  | "ABI"
  | "ARGUMENT"
  | "FETCH"
  | "FREED"
  | "IMPORT"
  | "INTERNAL"
  | "LIMIT"
  | "MEMORY"
  | "NO_TEXTDECODER"
  | "NO_TEXTENCODER"
  | "NO_WEBASSEMBLY"
  | "SAMPLING"
  | "SPECIAL_TOKEN"
  | "TEMPLATE"
  | "TOKEN"
  | "UTF8"
  | "WASM"
  | "WORKER";

/** Every error of this package. The message says what was found, what was expected, and what to do. */
export class WwhoError extends Error {
  constructor(status: ErrorStatus, message: string, options?: { cause?: unknown });
  /** What went wrong: `error.status === "SPECIAL_TOKEN"`. */
  readonly status: ErrorStatus;
}

/** Compile the core; load and getEncoding do this for you. The first call decides, and later calls wait for it; after a failure you can try again. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

/** Compile the core synchronously, from a compiled module or bytes; nothing happens if it is compiled already. (The bytes are few enough for any browser's main thread.) */
export function initSync(source: Bytes | WebAssembly.Module): void;

/** Its methods need no `this`: `const { encode, decode } = await getEncoding("o200k_base")`. */
export class Tokenizer implements Disposable {
  /** Make a tokenizer of a compiled core and the bytes of a .wwho file, synchronously. */
  constructor(module: WebAssembly.Module, blob: Uint8Array);
  static load(source: ModelSource | Promise<ModelSource>, options?: LoadOptions): Promise<Tokenizer>;
  /** Load a tokenizer from the bytes of a .wwho file, synchronously. */
  static loadSync(source: Bytes): Tokenizer;

  readonly name: string;
  readonly info: Info;
  readonly provenance: Readonly<Record<string, string>>;
  readonly specialTokens: ReadonlyMap<string, number>;
  /** Whether free was called. */
  readonly freed: boolean;

  /** Return the ids of a text: a Uint32Array, or with `array: true` a plain array. */
  encode(text: Text, options: IdsOptions & { array: true }): number[];
  encode(text: Text, options?: IdsOptions & { array?: false }): Uint32Array;
  encode(text: Text, options?: IdsOptions): Uint32Array | number[];
  /**
   * Return the ids of each of several texts, in their order: quicker than a call for each, most of all for short texts. With `pairs`, of each
   * text and its second one.
   */
  encodeBatch(texts: Iterable<Text>, options: BatchOptions & { array: true }): number[][];
  encodeBatch(texts: Iterable<Text>, options?: BatchOptions & { array?: false }): Uint32Array[];
  encodeBatch(texts: Iterable<Text>, options?: BatchOptions): Uint32Array[] | number[][];
  /** Return the ids of a text and their offsets. With `pair` or `addSpecialTokens`, offsets refer to each text, and are 0 to 0 for a token of the template. If a model's post-processor trims offsets, as RoBERTa's does, they leave out white space. */
  encodeWithOffsets(text: Text, options?: OffsetOptions): Encoded;
  /**
   * Return a text as the model's normalizer rewrites it before it is cut, for example in Unicode's canonical composition (NFC), ignoring added
   * tokens. For most models it is the text itself. Every method that encodes does this itself. Offsets refer to the original text, and
   * `truncate` and `chunk` return parts of that; `segment` returns parts of the normalized text.
   */
  normalize<T extends Text>(text: T): T;
  /**
   * Write the first ids of the text into `target`, as many as fit without splitting a character: the written ids decode to the text
   * that was read. `read` counts UTF-16 units of a string, or bytes of a Uint8Array; `written` counts ids.
   */
  encodeInto(text: Text, target: Uint32Array, options?: EncodeOptions): { read: number; written: number };
  /** Yield the ids of encode, in parts, so that a long text needs little memory. Without the model's template. */
  encodeGenerator(text: Text, options: PartOptions & { array: true }): Generator<number[], void, undefined>;
  encodeGenerator(text: Text, options?: PartOptions & { array?: false }): Generator<Uint32Array, void, undefined>;
  /** Yield the ids of a text that comes in chunks: constant memory for a text of any length, if it has places where it can be cut (README.md). */
  encodeStream(source: TextStream, options?: EncodeOptions & StreamOptions): AsyncGenerator<Uint32Array, void, undefined>;
  /** Return how many ids encode gives. */
  countTokens(text: Text, options?: PairOptions): number;
  /** Return how many ids encodeBatch gives for each of several texts, in their order. */
  countBatch(texts: Iterable<Text>, options?: PairsOptions): number[];
  /** Return how many ids encodeStream gives. */
  countStream(source: TextStream, options?: EncodeOptions & StreamOptions): Promise<number>;
  /** Return the number of tokens, or false as soon as it exceeds `limit`. An empty text counts 0, so compare with `=== false`. */
  isWithinTokenLimit(text: Text, limit: number, options?: PairOptions): number | false;
  /**
   * Return the text itself, or its beginning with at most `limit` tokens: as far as the first `limit` tokens of the text reach, cut
   * between two tokens, and never inside a syllable or a character (grapheme cluster).
   */
  truncate(text: string, limit: number, options?: TemplateOptions): string;
  /**
   * Return the text in chunks of at most `limit` tokens each, cut between two tokens, never inside a syllable or a character, and if possible
   * where `prefer` says. Each chunk begins where the one before it ends or, with `overlap`, earlier. A single syllable that has more
   * tokens is cut, kept or an error, as `oversize` says.
   */
  chunk(text: string, limit: number, options?: ChunkOptions): Chunk[];
  /** Return the text of ids; broken UTF-8 becomes U+FFFD. */
  decode(ids: Iterable<number>, options?: DecodeOptions): string;
  /** Yield the text of decode token by token, in whole characters, or in whole graphemes. */
  decodeGenerator(ids: Iterable<number>, options?: DecodeStreamOptions): Generator<string, void, undefined>;
  /** Yield the text of ids that come one by one, or several at a time, as decodeGenerator does. */
  decodeAsyncGenerator(
    source: TokenStream,
    options?: DecodeStreamOptions & { signal?: AbortSignal },
  ): AsyncGenerator<string, void, undefined>;
  /** Return the text of ids as bytes, broken UTF-8 included. */
  decodeBytes(ids: Iterable<number>, options?: DecodeOptions): Uint8Array<ArrayBuffer>;
  /** Return the bytes of one token; for a SCRIPT token that begins or ends inside a character, its symbols. */
  tokenBytes(id: number): Uint8Array<ArrayBuffer>;
  /**
   * Return the id of the token with exactly this text or these bytes, or undefined if there is none. A special token comes before another token
   * with its text, as in @huggingface/tokenizers; if several models have the token, the id is the last one's. Nothing is normalized, so in models
   * of SentencePiece a token begins with U+2581, not with a space. In SCRIPT models, the token of a byte is not found if its character is written
   * with a block and an index.
   */
  tokenToId(token: Text): number | undefined;
  /** Return the text of one token, or its bytes if they are not UTF-8 by themselves, as with half of an emoji. tokenToId takes both. */
  idToToken(id: number): string | Uint8Array<ArrayBuffer>;
  /**
   * Return a tokenizer that has further special tokens, such as those that you trained a model with: `{ "<|user|>": 200100 }`. This one stays
   * as it is, and both need memory. A special token that there is already gets the new id. An id of another token fails with status ARGUMENT, and
   * so does another id for a token that the template, the decoder or a model needs. `sharesIds`: an id may be that of another special token; it
   * decodes to the new one then, as in js-tiktoken.
   */
  withSpecialTokens(tokens: SpecialTokens, options?: { sharesIds?: boolean }): this;
  /** Return the bytes of the tokenizer's .wwho file, to save it, or to load it in a Worker. */
  toBytes(): Uint8Array<ArrayBuffer>;
  /** Return the segments of the text, each of one script, and their syllables: in Lao and Thai, open clusters, whose finals stand alone (ກາ|ນ). */
  segment(text: Text): Segment[];
  /** Return the segments of `segment` with every step of the automata, to show how a grammar works, or why it does not. For a SCRIPT model, its
   *  pretokens, with the symbols of each character. Much slower than `segment`. */
  trace(text: Text): TracedSegment[];
  /** Release the memory; later calls fail with status FREED. */
  free(): void;
  [Symbol.dispose](): void;
}

/** The encodings that come with the package. */
export type EncodingName =
  | "cl100k_base"
  | "gpt2"
  | "o200k_base"
  | "o200k_harmony"
  | "p50k_base"
  | "p50k_edit"
  | "r50k_base"
  | "wwho_128k"
  | "wwho_131k_indic"
  | "wwho_200k_indic"
  | "wwho_328k"
  | "wwho_400k"
  | "wwho_super_328k"
  | "wwho_super_400k";

/**
 * Return one of the encodings that come with the package, loaded once: all callers get the same tokenizer, and share one download. A
 * caller's signal ends only its own wait. After free(), and after a failed load, the next call loads again.
 */
export function getEncoding(name: EncodingName, options?: LoadOptions): Promise<Tokenizer>;
