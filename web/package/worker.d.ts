/// <reference lib="esnext.disposable" />
/**
 * The tokenizer in one or several Workers (browsers, Node, Deno, Bun): the same methods, which return promises.
 *
 * decodeAsyncGenerator, encodeStream, and countStream of anything but a Blob, occupy a Worker from the first chunk to the last. Their source must not
 * wait for an answer of the same tokenizer, unless that has another Worker: otherwise both wait forever.
 */

import type {
  BatchOptions,
  Chunk,
  ChunkOptions,
  DecodeOptions,
  DecodeStreamOptions,
  EncodeOptions,
  Encoded,
  EncodingName,
  IdsOptions,
  Info,
  LoadOptions,
  ModelSource,
  OffsetOptions,
  PairOptions,
  PairsOptions,
  PartOptions,
  Segment,
  SpecialTokens,
  StreamOptions,
  TemplateOptions,
  Text,
  TextStream,
  TokenStream,
  TracedSegment,
  WasmSource,
} from "./index.js";

export { WwhoError } from "./index.js";

export interface WorkerLoadOptions extends LoadOptions {
  /** The most Workers; each is started when it is first needed. 1 by default. */
  workers?: number;
  /** Another wwho.wasm than the one that comes with the package. */
  wasm?: Exclude<WasmSource, Response>;
}

export interface CallOptions {
  /**
   * Rejects the promise with the signal's reason. A waiting call is never started; a running call ends together with its Worker, and the
   * next call starts another.
   */
  signal?: AbortSignal;
  /**
   * Transfer the memory of a Uint8Array, a Uint32Array or a chunk of bytes, which you can then no longer use, instead of copying it. Of a batch,
   * that of all its texts and pairs: in one Worker if several are views of the same memory.
   */
  transfer?: boolean;
}

export class WorkerTokenizer implements Disposable {
  private constructor();
  static load(source: ModelSource | Promise<ModelSource>, options?: WorkerLoadOptions): Promise<WorkerTokenizer>;

  readonly name: string;
  readonly info: Info;
  readonly provenance: Readonly<Record<string, string>>;
  readonly specialTokens: ReadonlyMap<string, number>;
  /** Whether free was called. */
  readonly freed: boolean;
  /** How many Workers run now. */
  readonly started: number;

  encode(text: Text, options: IdsOptions & CallOptions & { array: true }): Promise<number[]>;
  encode(text: Text, options?: IdsOptions & CallOptions & { array?: false }): Promise<Uint32Array>;
  /** The Workers share the texts, if these are long enough for several. */
  encodeBatch(texts: Iterable<Text>, options: BatchOptions & CallOptions & { array: true }): Promise<number[][]>;
  encodeBatch(texts: Iterable<Text>, options?: BatchOptions & CallOptions & { array?: false }): Promise<Uint32Array[]>;
  encodeWithOffsets(text: Text, options?: OffsetOptions & CallOptions): Promise<Encoded>;
  encodeInto(
    text: Text,
    target: Uint32Array,
    options?: EncodeOptions & CallOptions,
  ): Promise<{ read: number; written: number }>;
  encodeGenerator(
    text: Text,
    options: PartOptions & CallOptions & { array: true },
  ): AsyncGenerator<number[], void, undefined>;
  encodeGenerator(
    text: Text,
    options?: PartOptions & CallOptions & { array?: false },
  ): AsyncGenerator<Uint32Array, void, undefined>;
  /** The next chunk is read when the ids of those before have been taken. */
  encodeStream(source: TextStream, options?: EncodeOptions & StreamOptions & CallOptions): AsyncGenerator<Uint32Array, void, undefined>;
  countTokens(text: Text, options?: PairOptions & CallOptions): Promise<number>;
  /** The Workers share the texts, if these are long enough for several. */
  countBatch(texts: Iterable<Text>, options?: PairsOptions & CallOptions): Promise<number[]>;
  /** A Blob is read in the Worker; the chunks of other sources are sent to it one by one. */
  countStream(source: TextStream, options?: EncodeOptions & StreamOptions & CallOptions): Promise<number>;
  isWithinTokenLimit(text: Text, limit: number, options?: PairOptions & CallOptions): Promise<number | false>;
  truncate(text: string, limit: number, options?: TemplateOptions & CallOptions): Promise<string>;
  chunk(text: string, limit: number, options?: ChunkOptions & CallOptions): Promise<Chunk[]>;
  decode(ids: Iterable<number>, options?: DecodeOptions & CallOptions): Promise<string>;
  decodeBytes(ids: Iterable<number>, options?: DecodeOptions & CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  decodeGenerator(ids: Iterable<number>, options?: DecodeStreamOptions & CallOptions): AsyncGenerator<string, void, undefined>;
  decodeAsyncGenerator(source: TokenStream, options?: DecodeStreamOptions & CallOptions): AsyncGenerator<string, void, undefined>;
  tokenBytes(id: number, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  tokenToId(token: Text, options?: CallOptions): Promise<number | undefined>;
  idToToken(id: number, options?: CallOptions): Promise<string | Uint8Array<ArrayBuffer>>;
  /** Load a tokenizer that has further special tokens, in as many Workers of its own; this one stays as it is. */
  withSpecialTokens(tokens: SpecialTokens, options?: { sharesIds?: boolean } & CallOptions): Promise<WorkerTokenizer>;
  toBytes(options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  normalize<T extends Text>(text: T, options?: CallOptions): Promise<T>;
  segment(text: Text, options?: CallOptions): Promise<Segment[]>;
  trace(text: Text, options?: CallOptions): Promise<TracedSegment[]>;
  /** Stop the Workers; waiting and later calls fail with status FREED. Garbage collection does this, too. */
  free(): void;
  [Symbol.dispose](): void;
}

/** Load one of the encodings that come with the package. Each call starts its own Workers, so keep the result. */
export function getEncoding(name: EncodingName, options?: WorkerLoadOptions): Promise<WorkerTokenizer>;
