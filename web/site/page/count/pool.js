// Counts files side by side, in Workers. A long file is cut into slices, at places where its tokens may be cut, and so it keeps
// all of them busy too.

import { WwhoError } from "../../package/lib/errors.js";
import { Pool } from "../../package/lib/pool.js";
import { Cuts } from "./cuts.js";
import { read } from "../input/read.js";

const MOST_WORKERS = 8;
const SLICE_BYTES = 8 * 1024 * 1024;
const WINDOW_BYTES = 64 * 1024; // in which a place to cut is looked for

const spawn = () => new Worker(new URL("./pool-worker.js", import.meta.url), { type: "module" });

export class CountPool {
  #pool;
  #cuts;

  /** @param {Uint8Array[]} blobs .wwho files */
  constructor(blobs) {
    const most = Math.max(1, Math.min((navigator.hardwareConcurrency || 2) - 1, MOST_WORKERS));
    this.#pool = new Pool(spawn, most, { model: blobs });
    this.#cuts = blobs.map((blob) => new Cuts(blob));
  }

  /**
   * @param {Blob} file
   * @param {(bytes: number) => void} progress called with bytes that have been read since
   * @returns {Promise<number[]>} its tokens, per tokenizer
   */
  async count(file, progress) {
    const slices = file.size > SLICE_BYTES ? await slicesOf(file, this.#cuts) : [file];
    const others = new AbortController();
    try {
      const counts = await Promise.all(slices.map((slice) => this.#countSlice(slice, progress, others.signal)));
      return counts.reduce((sum, each) => sum.map((tokens, i) => tokens + each[i]));
    } catch (error) {
      others.abort(error); // one slice has no count, so nobody needs those of the others
      throw error;
    }
  }

  /** @param {Blob} slice @param {(bytes: number) => void} progress @param {AbortSignal} signal @returns {Promise<number[]>} */
  #countSlice(slice, progress, signal) {
    let before = 0;
    const onProgress = (/** @type {{ bytes: number }} */ { bytes }) => {
      progress(bytes - before);
      before = bytes;
    };
    return this.#pool.run({ method: "countStream", values: [slice], signal, onProgress });
  }

  /** Stop everything at once; what is not counted yet fails. */
  end() {
    this.#pool.end(new WwhoError("FREED", "the counting was cancelled"));
  }
}

/**
 * @param {Blob} file
 * @param {Cuts[]} cuts
 * @returns {Promise<Blob[]>} its parts, whose tokens together are the file's
 */
async function slicesOf(file, cuts) {
  const slices = [];
  let start = 0;
  for (let at = SLICE_BYTES; at < file.size; at += SLICE_BYTES) {
    const end = await cutNear(file, at, cuts);
    if (end === undefined) continue;
    slices.push(file.slice(start, end));
    start = end;
  }
  return [...slices, file.slice(start)];
}

/** @param {Blob} file @param {number} at a byte @param {Cuts[]} cuts @returns {Promise<number | undefined>} a byte */
async function cutNear(file, at, cuts) {
  const window = await read(file.slice(at, at + WINDOW_BYTES));
  const skipped = window.findIndex((byte) => (byte & 0xc0) !== 0x80);
  // Broken UTF-8 would move the place; but then the file is refused anyway.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(window.subarray(skipped), { stream: true });
  const first = text.codePointAt(0) ?? 0;
  for (let place = first > 0xffff ? 2 : 1; place < text.length; place++) {
    if (cuts.every((each) => each.isCut(text, place))) {
      return at + skipped + new TextEncoder().encode(text.slice(0, place)).length;
    }
  }
  return undefined;
}
