// One of the pool's Workers: counts blobs of UTF-8, in parts, with the tokenizers that it was given.

import { Tokenizer, init } from "../index.js";
import { Cuts, safeParts } from "./cuts.js";

const CHUNK_BYTES = 512 * 1024;

/** @type {Promise<{ tokenizers: Tokenizer[], cuts: Cuts[] }>} */
let opened;

self.addEventListener("message", async ({ data: { blobs, id, blob } }) => {
  if (blobs) {
    opened = open(blobs);
    opened.catch(() => undefined); // told by each task
    return;
  }
  try {
    self.postMessage({ id, counts: await count(id, blob) });
  } catch (error) {
    self.postMessage({ id, error: explain(/** @type {Error} */ (error)) });
  }
});

/** @param {Uint8Array<ArrayBuffer>[]} blobs */
async function open(blobs) {
  await init();
  return { tokenizers: await Promise.all(blobs.map((blob) => Tokenizer.load(blob))), cuts: blobs.map((blob) => new Cuts(blob)) };
}

/** @param {number} id @param {Blob} blob @returns {Promise<number[]>} tokens, per tokenizer */
async function count(id, blob) {
  const { tokenizers, cuts } = await opened;
  const counts = tokenizers.map(() => 0);
  async function* chunks() {
    for (let at = 0; at < blob.size; at += CHUNK_BYTES) {
      const chunk = new Uint8Array(await blob.slice(at, at + CHUNK_BYTES).arrayBuffer());
      yield chunk;
      self.postMessage({ id, bytes: chunk.length });
    }
  }
  for await (const part of safeParts(chunks(), cuts)) {
    tokenizers.forEach((tokenizer, i) => (counts[i] += tokenizer.countTokens(part)));
  }
  return counts;
}

/** @param {Error} error */
function explain(error) {
  if (error instanceof TypeError) return "not UTF-8 text";
  if (error.name === "NotReadableError") return "cannot be read; was it moved or changed?";
  return error.message;
}
