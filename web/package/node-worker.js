// wwho/worker for Node: worker.js, with the Workers of Node and files read from disk.

import { readArtifact } from "./lib/artifact-source.js";
import { WwhoError } from "./lib/errors.js";
import { readFromDisk, readIfPath } from "./lib/disk.js";
import { findEncoding } from "./lib/encodings.js";
import { spawn } from "./lib/node-thread.js";
import { ENCODINGS } from "./lib/shipped-modules.js";
import { BaseWorkerTokenizer } from "./lib/worker-tokenizer.js";

export { WwhoError };

/** Start a Worker with a tokenizer, which keeps the program alive only while it works. */
function startWorker() {
  const thread = spawn(new URL("./node-worker-thread.js", import.meta.url));
  thread.unref?.();
  return thread;
}

/** A tokenizer in Workers of Node. */
export class WorkerTokenizer extends BaseWorkerTokenizer {
  /**
   * Read a tokenizer on this side, and load it in a Worker.
   * @param {unknown} source a path, URL, Response, Blob or bytes of a .wwho file, also compressed with gzip
   * @param {{ wasm?: unknown, workers?: number } & import("./lib/source.js").LoadOptions} [options]
   * @returns {Promise<WorkerTokenizer>}
   * @throws {WwhoError} ARGUMENT, FETCH, WORKER, or the status of a file that is not valid; the signal's reason
   */
  static async load(source, options = {}) {
    const model = await readArtifact(readFromDisk, source, options);
    const wasm = await readIfPath(options.wasm, "wwho.wasm");
    return this.start(WorkerTokenizer, startWorker, { model, wasm }, options);
  }
}

/**
 * Load an encoding of the package in Workers of its own: each call starts others.
 * @param {string} name such as "wwho_328k"
 * @param {{ wasm?: unknown, workers?: number } & import("./lib/source.js").LoadOptions} [options]
 */
export async function getEncoding(name, options) {
  const entry = findEncoding(ENCODINGS, name);
  return WorkerTokenizer.load(entry().then(({ bytes }) => bytes()), options);
}
