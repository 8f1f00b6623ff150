// The tokenizer in one or several Workers: the same methods, which return promises, so the calling thread never blocks.

import { isUrl } from "./lib/arguments.js";
import { fetchNamed, findEncoding } from "./lib/encodings.js";
import { WwhoError } from "./lib/errors.js";
import { ENCODINGS } from "./lib/shipped-files.js";
import { readBytes } from "./lib/source.js";
import { BaseWorkerTokenizer } from "./lib/worker-tokenizer.js";

export { WwhoError };

function spawn() {
  if (typeof Worker === "undefined") {
    throw new WwhoError("WORKER", "there are no Workers here; use wwho itself in place of wwho/worker");
  }
  // Written so that bundlers recognize it.
  return new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module" });
}

export class WorkerTokenizer extends BaseWorkerTokenizer {
  /**
   * @param {unknown} source a URL, Response, Blob or bytes of a .wwho file
   * @param {{ wasm?: unknown, workers?: number } & import("./lib/source.js").LoadOptions} [options]
   * @returns {Promise<WorkerTokenizer>}
   */
  static async load(source, options = {}) {
    const model = await readBytes(source, "the tokenizer", options);
    return this.start(WorkerTokenizer, spawn, { model, wasm: sendable(await options.wasm) }, options);
  }
}

/** A URL object cannot be sent to a Worker, where a relative address would also mean another place. @param {unknown} source */
function sendable(source) {
  return typeof source === "string" || isUrl(source)
    ? new URL(source, globalThis.document?.baseURI ?? globalThis.location?.href).href
    : source;
}

/**
 * @param {string} name an encoding in the folder models/ next to this file
 * @param {{ wasm?: unknown, workers?: number } & import("./lib/source.js").LoadOptions} [options]
 */
export async function getEncoding(name, options) {
  return fetchNamed(name, findEncoding(ENCODINGS, name), (url) => WorkerTokenizer.load(url, options));
}
