/// <reference lib="esnext.disposable" />
/** Exact tokenization in WebAssembly. Offsets and positions are UTF-16 units, as JavaScript's own. */

declare global {
  namespace WebAssembly {
    /** TypeScript's "dom" library has it; this is for programs without that. */
    interface Module {}
  }
}

/** A string, in which lone surrogates become U+FFFD; or UTF-8, broken or not, whose bytes all come back from decodeBytes. */
export type Text = string | Uint8Array;

/** "BufferSource" of TypeScript's "dom" library. */
export type Bytes = ArrayBuffer | ArrayBufferView;

export type WasmSource = string | URL | Response | Bytes | WebAssembly.Module;

/** In Node, a string without a scheme is a path. */
export type ModelSource = string | URL | Response | Blob | Bytes;

export interface EncodeOptions {
  /** Special tokens to encode as such; none by default: text that spells one is ordinary text. */
  allowedSpecial?: Iterable<string> | "all";
  /** Special tokens that make the call fail with status SPECIAL_TOKEN; "all": every one not allowed. None by default. */
  disallowedSpecial?: Iterable<string> | "all";
  /** "token": a syllable outside the vocabulary becomes the unknown token (loses text). "spell", the default: never, but for
   *  a model imported from the paper's vocab.json, which has no other way than the unknown token. */
  unk?: "spell" | "token";
}

/** What the model's template has around a text. Not for streams and encodeInto: they give the tokens of the text alone. */
export interface TemplateOptions extends EncodeOptions {
  /**
   * Whether the special tokens of the model's template stand around the texts, such as [CLS] and [SEP]; false by default. Then
   * they count towards limits, which must have room for them.
   */
  addSpecialTokens?: boolean;
}

/** Two texts, and what the model's template has around them. */
export interface PairOptions extends TemplateOptions {
  /** A second text, for models that take two: its ids come after those of the first. */
  pair?: Text;
  /** Whether added tokens are found that need no leave, such as those that training protected; true by default. */
  added?: boolean;
}

export interface OffsetOptions extends PairOptions {
  /** Whether pieces and units are wanted, too, of one text without special tokens around it; false by default. */
  units?: boolean;
}

/** How ids are given: as a Uint32Array, or, with `array: true`, as a plain array. */
export interface PartOptions extends EncodeOptions {
  array?: boolean;
}

export interface IdsOptions extends PairOptions {
  array?: boolean;
}

export interface DecodeOptions {
  /** Whether special tokens are left out; false by default. */
  skipSpecialTokens?: boolean;
}

export interface ChunkOptions extends TemplateOptions {
  /** At most so many tokens are in two neighbouring chunks; none by default. */
  overlap?: number;
  /**
   * What a chunk should end with: the last such end that leaves at least half of the limit used, else the next kind in this order.
   * By default "paragraph" (before it a blank line). "token": as much as fits.
   */
  prefer?: "paragraph" | "sentence" | "line" | "word" | "token";
}

export interface LoadOptions {
  /** Ends the load with its reason. */
  signal?: AbortSignal;
  /** Bytes so far, and of all where that is known: a server that compresses does not say. */
  onProgress?: (progress: { loaded: number; total?: number }) => void;
}

/** What comes in chunks. A string may end between two surrogates, bytes within a character. */
export type TextStream =
  ReadableStream<string | Bytes> | Blob | AsyncIterable<string | Bytes> | Iterable<string | Bytes>;

/** Tokens as a model gives them. */
export type TokenStream =
  | ReadableStream<number | Iterable<number>>
  | AsyncIterable<number | Iterable<number>>
  | Iterable<number | Iterable<number>>;

export interface StreamOptions {
  /** Ends the count with its reason, and cancels the stream. */
  signal?: AbortSignal;
  /** Whether bytes that are not UTF-8 make the call fail with status UTF8; false by default: they are counted as they are. */
  fatal?: boolean;
  /** Counted so far: bytes of UTF-8, and tokens. */
  onProgress?: (progress: { bytes: number; tokens: number }) => void;
}

export interface Chunk {
  readonly text: string;
  /** Where it lies in the whole text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** How many tokens it has, encoded on its own with the same options. */
  readonly tokens: number;
}

export interface Encoded {
  readonly ids: Uint32Array;
  /** First UTF-16 unit that token i touches. */
  readonly starts: Uint32Array;
  /** One past the last UTF-16 unit that token i touches; tokens that share a character overlap. */
  readonly ends: Uint32Array;
  /** With `pair` or `addSpecialTokens`, the type of each token: what the template says, mostly 0 for the first text and 1 for the second. */
  readonly types?: Uint8Array;
  /** With `units`, where each piece that was encoded, or unit such as a syllable, begins and ends, in order; what a stage drops is none. */
  readonly unitStarts?: Uint32Array;
  readonly unitEnds?: Uint32Array;
  /** The index of its route in `info.routes`. */
  readonly unitRoutes?: Uint16Array;
}

export interface Segment {
  readonly route: string;
  readonly text: string;
  /** Where it lies in the whole text, in UTF-16 units; of broken UTF-8, each byte that is no character's counts as one. */
  readonly start: number;
  readonly end: number;
  /** The syllables (and single other characters) of an Abugida route; empty for base routes. */
  readonly units: readonly string[];
  /** What each unit is. */
  readonly rules: readonly ("syllable" | "orphan" | "passthrough")[];
}

/** A character that an automaton reads. States and classes are numbers, as in the file. */
export interface Step {
  /** The character that is read; "" where the segment has ended. */
  readonly text: string;
  /** The number of its class in the file, from 1 on; 0 where the segment has ended. */
  readonly class: number;
  /** The state before it: 1 at the start of each unit. */
  readonly from: number;
  /** The state after it; 0 where no way leads on, so that the unit ends with the last step that accepts. */
  readonly to: number;
  /** Whether a unit may end after it. */
  readonly accepts: boolean;
}

export interface TracedUnit {
  readonly text: string;
  /** As in Segment; "piece" in a base route, where units are what byte-pair encoding works on; "character" and "bytes" in the base route
   *  of a model of SCRIPT, whose segments are its pretokens: a character that has a block and an index, or one that is written as bytes. */
  readonly rule: "syllable" | "orphan" | "passthrough" | "piece" | "character" | "bytes";
  /** The last one ended the unit: its character, and those before it that no step accepts, are read again for the next. */
  readonly steps: readonly Step[];
  /** In a model of SCRIPT, the numbers of the symbols that stand for it: of its block and its index, or of its bytes. Indices are
   *  numbered from 0, blocks after them, bytes last. */
  readonly symbols?: readonly number[];
  /** The name of that block, its script and the kind of its characters, where the model's provenance has it. */
  readonly block?: string;
}

export interface TracedSegment extends Omit<Segment, "units" | "rules"> {
  /** How many states the automaton has that cuts it. */
  readonly states: number;
  readonly units: readonly TracedUnit[];
}

export interface Info {
  /** Ids are 0 .. nVocab-1, not all of them used. */
  readonly nVocab: number;
  /** What `unk: "token"` writes; null for none. */
  readonly unkId: number | null;
  /** The longest token, in bytes. */
  readonly maxTokenBytes: number;
  readonly models: readonly ModelInfo[];
  /** `model` is its number; `hasUnits` says whether its text is cut into units: syllables, clusters or characters. */
  readonly routes: readonly { readonly name: string; readonly model: number; readonly hasUnits: boolean }[];
}

export interface ModelInfo {
  readonly kind: "bpe" | "greedy" | "viterbi";
  readonly symbols: "bytes" | "units";
  /** What stands for a symbol that it lacks. */
  readonly unknown: "none" | "spell" | "bytes" | "id";
  /** Its ids are firstId .. firstId + nIds - 1, not all of them used. */
  readonly firstId: number;
  readonly nIds: number;
  readonly nSymbols: number;
  readonly nMerges: number;
  /** Of the merges, the last ones: they join words. */
  readonly nSuperwords: number;
  readonly spaceId: number | null;
  readonly unkId: number | null;
}

/**
 * What goes wrong. `status` is a name of FORMAT.md ("CHECKSUM", ...) for a broken artifact, else one of ARGUMENT, TOKEN,
 * SPECIAL_TOKEN, UTF8, LIMIT, FREED, FETCH, WASM, NO_WEBASSEMBLY, MEMORY, ABI, WORKER.
 */
export class WwhoError extends Error {
  constructor(status: string, message: string, options?: { cause?: unknown });
  readonly status: string;
}

/** Compile the core; load and getEncoding do it for you. Memoised: the first call decides, later ones wait for it; one that failed may be tried again. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

/** The same without waiting, from a compiled module or bytes. (They are few enough for any browser's main thread.) */
export function initSync(source: Bytes | WebAssembly.Module): void;

/** Its methods need no `this`: `const { encode, decode } = await getEncoding("o200k_base")`. */
export class Tokenizer implements Disposable {
  /** From a compiled core and the bytes of a .wwho file, without waiting. */
  constructor(module: WebAssembly.Module, blob: Uint8Array);
  static load(source: ModelSource | Promise<ModelSource>, options?: LoadOptions): Promise<Tokenizer>;
  /** From the bytes of a .wwho file without waiting. */
  static loadSync(source: Bytes): Tokenizer;

  readonly name: string;
  readonly info: Info;
  readonly provenance: Readonly<Record<string, string>>;
  readonly specialTokens: ReadonlyMap<string, number>;
  /** Whether free was called. */
  readonly freed: boolean;

  encode(text: Text, options: IdsOptions & { array: true }): number[];
  encode(text: Text, options?: IdsOptions & { array?: false }): Uint32Array;
  encode(text: Text, options?: IdsOptions): Uint32Array | number[];
  /** With `pair` or `addSpecialTokens`, offsets are those in each text, 0 to 0 for a token of the template. Where a model's post-processor trims offsets, as RoBERTa's, they leave out white space. */
  encodeWithOffsets(text: Text, options?: OffsetOptions): Encoded;
  /**
   * A text as the model rewrites it before it is cut, without regard to added tokens, such as in Unicode's NFC; of most models, the text
   * itself. Every method that encodes does this on its own. Offsets are those of the text as it was given, and `truncate` and `chunk`
   * give parts of that; `segment` gives parts of the normalized text.
   */
  normalize<T extends Text>(text: T): T;
  /**
   * Write the first ids of the text into `target`, as many as there is room for, but no part of a character: what was written
   * decodes to what was read. `read` counts UTF-16 units of a string, or bytes of a Uint8Array; `written` counts ids.
   */
  encodeInto(text: Text, target: Uint32Array, options?: EncodeOptions): { read: number; written: number };
  /** The ids of encode, some at a time: a long text in little memory. The model's template has none around them. */
  encodeGenerator(text: Text, options: PartOptions & { array: true }): Generator<number[], void, undefined>;
  encodeGenerator(text: Text, options?: PartOptions & { array?: false }): Generator<Uint32Array, void, undefined>;
  countTokens(text: Text, options?: PairOptions): number;
  /** Exactly the count of the whole text, in little memory where the text has places at which it may be cut (README.md), and without tokens of the model's template. */
  countStream(source: TextStream, options?: EncodeOptions & StreamOptions): Promise<number>;
  /** The count, or false beyond `limit`, without a look at the rest. An empty text counts 0, so compare with `=== false`. */
  isWithinTokenLimit(text: Text, limit: number, options?: PairOptions): number | false;
  /**
   * The text itself, or a beginning of it with at most `limit` tokens: as far as the first `limit` tokens of the text reach, cut
   * between two of its tokens and inside neither a syllable nor a character (grapheme cluster).
   */
  truncate(text: string, limit: number, options?: TemplateOptions): string;
  /**
   * The text in chunks of at most `limit` tokens each, cut between two tokens and inside neither a syllable nor a character, and
   * where `prefer` says if it can be. Each chunk begins where the one before it ends, or, with `overlap`, earlier. Status LIMIT
   * where one syllable alone has more tokens.
   */
  chunk(text: string, limit: number, options?: ChunkOptions): Chunk[];
  /** Broken UTF-8 becomes U+FFFD. */
  decode(ids: Iterable<number>, options?: DecodeOptions): string;
  /** What decode gives, token by token, in whole characters. */
  decodeGenerator(ids: Iterable<number>, options?: DecodeOptions): Generator<string, void, undefined>;
  /** The same for ids that come one by one, or some at a time. */
  decodeAsyncGenerator(
    source: TokenStream,
    options?: DecodeOptions & { signal?: AbortSignal },
  ): AsyncGenerator<string, void, undefined>;
  decodeBytes(ids: Iterable<number>, options?: DecodeOptions): Uint8Array<ArrayBuffer>;
  /** The text of one token; of one of SCRIPT that begins or ends within a character, its symbols. */
  tokenBytes(id: number): Uint8Array<ArrayBuffer>;
  segment(text: Text): Segment[];
  /** What segment gives, with every step of the automata: to show how a grammar works, or why it does not. Of a model of SCRIPT, its
   *  pretokens, with the symbols of each character. Much slower. */
  trace(text: Text): TracedSegment[];
  /** Give the memory back; later calls fail with status FREED. */
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
  | "wwho_200k_indic"
  | "wwho_328k"
  | "wwho_400k"
  | "wwho_super_328k"
  | "wwho_super_400k";

/**
 * One of the encodings that come with the package, loaded once: all who ask get the same tokenizer, and share one download. The
 * signal of one ends nobody else's wait. After free(), and after a load that failed, the next call loads anew.
 */
export function getEncoding(name: EncodingName, options?: LoadOptions): Promise<Tokenizer>;
