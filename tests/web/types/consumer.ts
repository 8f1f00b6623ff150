// What a program in TypeScript sees of the package. Checked, not run.

import { Tokenizer, WwhoError, getEncoding, init, initSync } from "../../../web/package/index.js";
import type { Chunk, Encoded, LoadOptions, Segment, TextStream } from "../../../web/package/index.js";
import { applyChatTemplate, countChat as countOwn, renderChat } from "../../../web/package/chat.js";
import { importTokenizer } from "../../../web/package/import.js";
import type { ImportReport } from "../../../web/package/import.js";
import { countChat, encodingForModel, estimateCost, models } from "../../../web/package/openai.js";
import type { ChatMessage } from "../../../web/package/openai.js";
import { WorkerTokenizer, getEncoding as inWorker } from "../../../web/package/worker.js";

export async function use(module: WebAssembly.Module, blob: Blob): Promise<string> {
  await init();
  await init(module);
  await init(fetch("/wwho.wasm"));
  using tokenizer: Tokenizer = await Tokenizer.load(blob);
  const ids: Uint32Array = tokenizer.encode("text", {
    allowedSpecial: new Set(["<|endoftext|>"]),
    disallowedSpecial: "all",
  });
  const fits: number | false = tokenizer.isWithinTokenLimit("text", 3, { pair: "more", addSpecialTokens: true });
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

export async function foreign(file: File, beside: File, pool: WorkerTokenizer): Promise<number> {
  let report: ImportReport | undefined;
  const bytes: Uint8Array = await importTokenizer([file, beside], {
    pyodideURL: "/pyodide/",
    special: { "<|end|>": 7 },
    onProgress: ({ step }) => step === "start",
    onReport: (said) => (report = said),
  });
  const tokenizer = await Tokenizer.load(bytes);
  const messages = [{ role: "user", content: "text" }];
  const text: string = renderChat(tokenizer, messages, { addGenerationPrompt: true, variables: { thinking: false } });
  const ids: number[] = applyChatTemplate(tokenizer, messages, { array: true });
  const far: Uint32Array = await applyChatTemplate(pool, messages, { allowedSpecial: "all" });
  const counts: number[] = [countOwn(tokenizer, messages), await countOwn(pool, messages)];
  return text.length + ids.length + far.length + counts[0] + (report?.notes.length ?? 0);
}

export async function stream(tokenizer: Tokenizer, source: TextStream, signal: AbortSignal): Promise<number> {
  initSync(new Uint8Array(8));
  const options: LoadOptions = { signal, onProgress: ({ loaded, total }) => void (loaded / (total ?? loaded)) };
  await Tokenizer.load("/o200k_base.wwho", options);
  const other: Tokenizer = Tokenizer.loadSync(new ArrayBuffer(8));
  const { read, written }: { read: number; written: number } = other.encodeInto("text", new Uint32Array(9));
  const start: string = tokenizer.truncate("text", 3, { allowedSpecial: "all", addSpecialTokens: true });
  const chunks: Chunk[] = tokenizer.chunk(start, 100, { overlap: 10, prefer: "sentence" });
  const plain: number[] = tokenizer.encode("text", { array: true });
  const either: Uint32Array | number[] = tokenizer.encode("text", { array: plain.length > 3 });
  const { encode } = tokenizer;
  const typed: Uint32Array = encode("text", { array: false });
  for (const ids of tokenizer.encodeGenerator("text", { array: true })) ids.push(either.length, typed.length);
  let text = "";
  for (const ids of tokenizer.encodeGenerator("text")) text += tokenizer.decode(ids);
  for (const part of tokenizer.decodeGenerator([1, 2])) text += part;
  for await (const part of tokenizer.decodeAsyncGenerator(new ReadableStream<number>(), { signal })) text += part;
  for await (const ids of tokenizer.encodeStream(source, { allowedSpecial: "all", fatal: true, signal })) ids.subarray(1);
  const count: number = await tokenizer.countStream(source, { fatal: true, signal, onProgress: ({ bytes }) => void bytes });
  return count + read + written + text.length + chunks[0].tokens + tokenizer.info.models[0].nSuperwords;
}

export async function far(blob: Blob, signal: AbortSignal): Promise<number> {
  using pool: WorkerTokenizer = await inWorker("wwho_328k", { workers: 4, signal });
  const ids: Uint32Array = await pool.encode(new Uint8Array(3), { transfer: true, signal });
  const plain: number[] = await pool.encode("text", { array: true });
  const states: number[] = (await pool.trace("text")).flatMap(({ units }) => units.flatMap(({ steps }) => steps.map(({ to }) => to)));
  await pool.chunk("text", plain.length + states.length, { overlap: 1, signal });
  for await (const part of pool.encodeGenerator("text")) part.subarray(1);
  for await (const ids of pool.encodeStream(blob, { signal, transfer: true })) ids.subarray(1);
  return (await pool.countStream(blob, { signal })) + (await pool.decode(ids, { transfer: true })).length;
}

export async function chat(messages: ChatMessage[]): Promise<number> {
  const tokenizer: Tokenizer = await encodingForModel("gpt-4o");
  const input: number = await countChat(messages, "gpt-4o", {
    tokenizer,
    tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
    tool_choice: { function: { name: "f" } },
  });
  return estimateCost("gpt-4o", { input, output: models["gpt-4o"].output });
}

// @ts-expect-error no such field of a request costs tokens
export const misspelt = countChat([], "gpt-4o", { tool: [] });
// @ts-expect-error a number is no text
export const wrong = (tokenizer: Tokenizer) => tokenizer.encode(7);
// @ts-expect-error a misspelt name
export const misspelt = () => getEncoding("o200_kbase");
// @ts-expect-error one string is not a set of them
export const alsoWrong = (tokenizer: Tokenizer) => tokenizer.encode("a", { allowedSpecial: 7 });
// @ts-expect-error there is no such option
export const unknownOption = (tokenizer: Tokenizer) => tokenizer.encode("a", { allowSpecial: "all" });
// @ts-expect-error nothing is preferred by that name
export const noKind = (tokenizer: Tokenizer) => tokenizer.chunk("a", 1, { prefer: "page" });
// @ts-expect-error info is read-only
export const readOnly = (tokenizer: Tokenizer) => (tokenizer.info.nVocab = 1);
export const status = (error: unknown) => (error instanceof WwhoError ? error.status : "");
// @ts-expect-error bytes have no places in UTF-16 units
export const bytes = (tokenizer: Tokenizer) => tokenizer.truncate(new Uint8Array(3), 1);
// @ts-expect-error a number is no stream
export const noStream = (tokenizer: Tokenizer) => tokenizer.countStream(7);
// @ts-expect-error a Worker answers with a promise
export const promised = (far: WorkerTokenizer): number => far.countTokens("a");
