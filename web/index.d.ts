/** Exact tokenization in WebAssembly. Offsets and positions are UTF-16 units, as JavaScript's own. */

/** A string, in which lone surrogates become U+FFFD; or UTF-8, broken or not, whose bytes all come back from decodeBytes. */
export type Text = string | Uint8Array;

export type WasmSource = string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module;

/** In Node, a string without a scheme is a path. */
export type ModelSource = string | URL | Response | Blob | ArrayBuffer | ArrayBufferView;

export interface EncodeOptions {
  /** Special tokens to encode as such; none by default: text that spells one is ordinary text. */
  allowedSpecial?: Iterable<string> | "all";
  /** Special tokens that make the call fail with status SPECIAL_TOKEN; "all": every one not allowed. None by default. */
  disallowedSpecial?: Iterable<string> | "all";
  /** "token": a syllable outside the vocabulary becomes the unknown token (loses text). "spell", the default: never. */
  unk?: "spell" | "token";
}

export interface Encoded {
  readonly ids: Uint32Array;
  /** First UTF-16 unit that token i touches. */
  readonly starts: Uint32Array;
  /** One past the last UTF-16 unit that token i touches; tokens that share a character overlap. */
  readonly ends: Uint32Array;
}

export interface Segment {
  readonly route: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The syllables (and single other characters) of an Abugida route; empty for base routes. */
  readonly units: readonly string[];
  /** What each unit is. */
  readonly rules: readonly ("syllable" | "orphan" | "passthrough")[];
}

export interface Info {
  /** Ids are 0 .. nVocab-1. */
  readonly nVocab: number;
  /** Ids below it are the base's. */
  readonly nBase: number;
  readonly nBaseTokens: number;
  readonly firstAtom: number;
  readonly nAtoms: number;
  readonly nMerges: number;
  readonly spaceId: number | null;
  readonly unkId: number | null;
  readonly nSpecials: number;
  readonly maxTokenBytes: number;
  readonly routes: readonly { readonly name: string; readonly sgpe: boolean }[];
}

/**
 * What goes wrong. `status` is a name of FORMAT.md ("CHECKSUM", ...) for a broken artifact, else one of ARGUMENT, TOKEN,
 * SPECIAL_TOKEN, FREED, FETCH, WASM, NO_WEBASSEMBLY, MEMORY, ABI, WORKER.
 */
export class WwhoError extends Error {
  constructor(status: string, message: string, options?: { cause?: unknown });
  readonly status: string;
}

/** Compile wwho.wasm. Memoised: the first call decides, later ones wait for it; one that failed may be tried again. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

export class Tokenizer implements Disposable {
  /** From a compiled core and the bytes of a .wwho file, without waiting. */
  constructor(module: WebAssembly.Module, blob: Uint8Array);
  static load(source: ModelSource | Promise<ModelSource>): Promise<Tokenizer>;

  readonly name: string;
  readonly info: Info;
  readonly provenance: Readonly<Record<string, string>>;
  readonly specialTokens: ReadonlyMap<string, number>;

  encode(text: Text, options?: EncodeOptions): Uint32Array;
  encodeWithOffsets(text: Text, options?: EncodeOptions): Encoded;
  countTokens(text: Text, options?: EncodeOptions): number;
  /** The count, or false beyond `limit`. An empty text counts 0, so compare with `=== false`. */
  isWithinTokenLimit(text: Text, limit: number, options?: EncodeOptions): number | false;
  /** Broken UTF-8 becomes U+FFFD. */
  decode(ids: Iterable<number>): string;
  decodeBytes(ids: Iterable<number>): Uint8Array<ArrayBuffer>;
  tokenBytes(id: number): Uint8Array<ArrayBuffer>;
  segment(text: Text): Segment[];
  /** Give the memory back; later calls fail with status FREED. */
  free(): void;
  [Symbol.dispose](): void;
}

/** One of the encodings that come with the package, such as "wwho_328k". Each call loads anew; keep what it gives. */
export function getEncoding(name: string): Promise<Tokenizer>;
