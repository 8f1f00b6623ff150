// One of the Workers that count files: blobs of UTF-8, in parts, with all the tokenizers that it was given.

import { Tokenizer, init } from "../../package/index.js";
import { serveWorker } from "../../package/lib/far-side.js";
import { Cuts, safeParts } from "./cuts.js";
import { read } from "../input/read.js";

const CHUNK_BYTES = 512 * 1024;

/** Several tokenizers, for which a text is read once. */
class Tokenizers {
  #tokenizers;
  #cuts;

  /** @param {Tokenizer[]} tokenizers @param {Cuts[]} cuts of them */
  constructor(tokenizers, cuts) {
    this.#tokenizers = tokenizers;
    this.#cuts = cuts;
  }

  /** @param {Uint8Array<ArrayBuffer>[]} blobs .wwho files */
  static async load(blobs) {
    const tokenizers = await Promise.all(blobs.map((blob) => Tokenizer.load(blob)));
    return new Tokenizers(tokenizers, blobs.map((blob) => new Cuts(blob)));
  }

  /**
   * @param {Blob} blob
   * @param {{ onProgress: (progress: { bytes: number }) => void }} options called with the bytes that have been read so far
   * @returns {Promise<number[]>} tokens, per tokenizer
   */
  async countStream(blob, { onProgress }) {
    const counts = this.#tokenizers.map(() => 0);
    for await (const part of safeParts(chunksOf(blob, onProgress), this.#cuts)) {
      this.#tokenizers.forEach((tokenizer, i) => (counts[i] += tokenizer.countTokens(part)));
    }
    return counts;
  }
}

/** @param {Blob} blob @param {(progress: { bytes: number }) => void} onProgress */
async function* chunksOf(blob, onProgress) {
  for (let at = 0; at < blob.size; at += CHUNK_BYTES) {
    const chunk = await read(blob.slice(at, at + CHUNK_BYTES));
    yield chunk;
    onProgress({ bytes: at + chunk.length });
  }
}

serveWorker({ init, Tokenizer: Tokenizers });
