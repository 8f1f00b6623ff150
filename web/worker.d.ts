/** The tokenizer in a Worker of its own (browsers, Deno, Bun): the same methods, as promises. */

import type { EncodeOptions, Encoded, Info, ModelSource, Segment, Text, WasmSource } from "./index.js";

export { WwhoError } from "./index.js";

export class WorkerTokenizer implements Disposable {
  private constructor();
  static load(
    source: ModelSource | Promise<ModelSource>,
    options?: { wasm?: Exclude<WasmSource, Response> },
  ): Promise<WorkerTokenizer>;

  readonly name: string;
  readonly info: Info;
  readonly provenance: Readonly<Record<string, string>>;
  readonly specialTokens: ReadonlyMap<string, number>;

  encode(text: Text, options?: EncodeOptions): Promise<Uint32Array>;
  encodeWithOffsets(text: Text, options?: EncodeOptions): Promise<Encoded>;
  countTokens(text: Text, options?: EncodeOptions): Promise<number>;
  isWithinTokenLimit(text: Text, limit: number, options?: EncodeOptions): Promise<number | false>;
  decode(ids: readonly number[] | Uint32Array): Promise<string>;
  decodeBytes(ids: readonly number[] | Uint32Array): Promise<Uint8Array<ArrayBuffer>>;
  tokenBytes(id: number): Promise<Uint8Array<ArrayBuffer>>;
  segment(text: Text): Promise<Segment[]>;
  /** Stop the Worker; waiting and later calls fail with status FREED. */
  free(): void;
  [Symbol.dispose](): void;
}

export function getEncoding(name: string): Promise<WorkerTokenizer>;
