// wwho/worker for Node: worker.js, with the Workers of Node and files read from disk.

import { WwhoError } from "./lib/errors.js";
import { readFromDisk, readIfPath } from "./lib/disk.js";
import { findEncoding } from "./lib/encodings.js";
import { spawn } from "./lib/node-thread.js";
import { ENCODINGS } from "./lib/shipped-modules.js";
import { BaseWorkerTokenizer } from "./lib/worker-tokenizer.js";

export { WwhoError };

/** A Worker that keeps the program alive only while it works. */
function idle() {
  const thread = spawn(new URL("./node-worker-thread.js", import.meta.url));
  thread.unref?.();
  return thread;
}

export class WorkerTokenizer extends BaseWorkerTokenizer {
  /**
   * @param {unknown} source a path, URL, Response, Blob or bytes of a .wwho file
   * @param {{ wasm?: unknown, workers?: number } & import("./lib/source.js").LoadOptions} [options]
   * @returns {Promise<WorkerTokenizer>}
   */
  static async load(source, options = {}) {
    const model = await readFromDisk(source, "the tokenizer", options);
    const wasm = await readIfPath(options.wasm, "wwho.wasm");
    return this.start(WorkerTokenizer, idle, { model, wasm }, options);
  }
}

/**
 * @param {string} name such as "wwho_328k"
 * @param {{ wasm?: unknown, workers?: number } & import("./lib/source.js").LoadOptions} [options]
 */
export async function getEncoding(name, options) {
  const entry = findEncoding(ENCODINGS, name);
  return WorkerTokenizer.load(entry().then(({ bytes }) => bytes()), options);
}
