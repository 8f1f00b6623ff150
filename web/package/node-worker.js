// wwho/worker for Node: worker.js, with the Workers of Node and files read from disk.

import { Worker } from "node:worker_threads";

import { WwhoError } from "./lib/errors.js";
import { fromDisk, readFromDisk } from "./lib/disk.js";
import { named } from "./lib/encodings.js";
import { ENCODINGS } from "./lib/shipped-modules.js";
import { BaseWorkerTokenizer } from "./lib/worker-tokenizer.js";

export { WwhoError };

/** @typedef {import("./lib/pool.js").Thread} Thread */

/** A Worker of Node, which is an EventEmitter, in the shape of one of the web. @returns {Thread} */
function spawn() {
  // Without the program's own flags: some, such as --input-type, are refused for a file.
  const worker = new Worker(new URL("./node-worker-thread.js", import.meta.url), { execArgv: [] });
  worker.unref();
  return {
    postMessage: (message, transfer) => worker.postMessage(message, /** @type {any[]} */ (transfer)),
    addEventListener: (type, listener) =>
      worker.on(type, (/** @type {any} */ value) => listener(type === "message" ? { data: value } : value)),
    terminate: () => void worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}

export class WorkerTokenizer extends BaseWorkerTokenizer {
  /**
   * @param {unknown} source a path, URL, Response, Blob or bytes of a .wwho file
   * @param {{ wasm?: unknown, workers?: number } & import("./lib/source.js").LoadOptions} [options]
   * @returns {Promise<WorkerTokenizer>}
   */
  static async load(source, options = {}) {
    const model = await readFromDisk(source, "the tokenizer", options);
    const wasm = await fromDisk(options.wasm, "wwho.wasm");
    return this.start(WorkerTokenizer, spawn, { model, wasm }, options);
  }
}

/**
 * @param {string} name such as "wwho_328k"
 * @param {{ wasm?: unknown, workers?: number } & import("./lib/source.js").LoadOptions} [options]
 */
export async function getEncoding(name, options) {
  const entry = named(ENCODINGS, name);
  return WorkerTokenizer.load(entry().then(({ bytes }) => bytes()), options);
}
