// What a program in TypeScript sees of the package. Checked, not run.

import { Tokenizer, WwhoError, getEncoding, init } from "../../../web/index.js";
import type { Encoded, Segment } from "../../../web/index.js";
import { getEncoding as inWorker } from "../../../web/worker.js";

export async function use(module: WebAssembly.Module, blob: Blob): Promise<string> {
  await init();
  await init(module);
  await init(fetch("/wwho.wasm"));
  using tokenizer: Tokenizer = await Tokenizer.load(blob);
  const ids: Uint32Array = tokenizer.encode("text", {
    allowedSpecial: new Set(["<|endoftext|>"]),
    disallowedSpecial: "all",
  });
  const fits: number | false = tokenizer.isWithinTokenLimit("text", 3);
  const { starts }: Encoded = tokenizer.encodeWithOffsets("text", { unk: "token" });
  const segments: Segment[] = tokenizer.segment(new Uint8Array(3));
  const size: number =
    tokenizer.info.nVocab + tokenizer.tokenBytes(7).length + starts.length + segments[0].units.length;
  const far = await inWorker("wwho_328k");
  const count: number = await far.countTokens("text");
  far.free();
  return (
    tokenizer.decode(ids) +
    tokenizer.decode([1, 2]) +
    String(fits) +
    size +
    count +
    (await getEncoding("o200k_base")).name
  );
}

// @ts-expect-error a number is no text
export const wrong = (tokenizer: Tokenizer) => tokenizer.encode(7);
// @ts-expect-error one string is not a set of them
export const alsoWrong = (tokenizer: Tokenizer) => tokenizer.encode("a", { allowedSpecial: 7 });
// @ts-expect-error info is read-only
export const readOnly = (tokenizer: Tokenizer) => (tokenizer.info.nVocab = 1);
export const status = (error: unknown) => (error instanceof WwhoError ? error.status : "");
