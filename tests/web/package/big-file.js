// A file of 100 MB, counted in a Worker while the page is watched.

import { getEncoding } from "./node_modules/wwho/worker.js";

const BYTES = 100_000_000;

/** Counts a file, and says how often the page was drawn meanwhile. */
async function watched(tokenizer, file) {
  let [frames, running] = [0, true];
  const frame = () => {
    frames++;
    if (running) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const progress = [];
  const count = await tokenizer.countStream(file, { onProgress: ({ bytes }) => progress.push(bytes) });
  running = false;
  return { count, frames, progress: progress.length, reported: progress.at(-1) };
}

window.countBigFile = async (line) => {
  const encoder = new TextEncoder();
  const block = encoder.encode(line.repeat(Math.ceil(1_000_000 / encoder.encode(line).length)));
  const file = new Blob(Array.from({ length: Math.ceil(BYTES / block.length) }, () => block));
  const tokenizer = await getEncoding("wwho_328k");
  const found = await watched(tokenizer, file);
  const one = await tokenizer.countTokens(block);
  const controller = new AbortController();
  const cancelled = tokenizer.countStream(file, { signal: controller.signal, onProgress: () => controller.abort() });
  const reason = await cancelled.catch(({ name }) => name);
  tokenizer.free();
  return { bytes: file.size, expected: one * (file.size / block.length), reason, ...found };
};
