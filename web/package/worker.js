// The tokenizer in one or several Workers: the same methods, which return promises, so the calling thread never blocks.

import { isUrl } from "./lib/arguments.js";
import { readArtifact } from "./lib/artifact-source.js";
import { fetchNamed, findEncoding } from "./lib/encodings.js";
import { WwhoError } from "./lib/errors.js";
import { ENCODINGS } from "./lib/shipped-files.js";
import { readBytes } from "./lib/source.js";
import { BaseWorkerTokenizer } from "./lib/worker-tokenizer.js";

export { WwhoError };

/** Start a Worker with a tokenizer. @throws {WwhoError} WORKER if the runtime has none */
function startWorker() {
  if (typeof Worker === "undefined") {
    throw new WwhoError("WORKER", "there are no Workers here; use wwho itself in place of wwho/worker");
  }
  // Written so that bundlers recognize it.
  return new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module" });
}

/** A tokenizer in Workers of the web. */
export class WorkerTokenizer extends BaseWorkerTokenizer {
  /**
   * Read a tokenizer on this side, and load it in a Worker.
   * @param {unknown} source a URL, Response, Blob or bytes of a .wwho file, also compressed with gzip
   * @param {{ wasm?: unknown, workers?: number } & import("./lib/source.js").LoadOptions} [options]
   * @returns {Promise<WorkerTokenizer>}
   * @throws {WwhoError} ARGUMENT, FETCH, WORKER, or the status of a file that is not valid; the signal's reason
   */
  static async load(source, options = {}) {
    const model = await readArtifact(readBytes, source, options);
    return this.start(WorkerTokenizer, startWorker, { model, wasm: sendableSource(await options.wasm) }, options);
  }
}

/**
 * Return a source in a form that can be sent to a Worker: a URL as an absolute address, because a URL object cannot be sent, and in the Worker
 * a relative address would mean another place.
 * @param {unknown} source anything but a URL or an address stays as it is
 */
function sendableSource(source) {
  return typeof source === "string" || isUrl(source)
    ? new URL(source, globalThis.document?.baseURI ?? globalThis.location?.href).href
    : source;
}

/**
 * Fetch an encoding of the package, and load it in Workers of its own: each call starts others.
 * @param {string} name an encoding in the folder models/ next to this file
 * @param {{ wasm?: unknown, workers?: number } & import("./lib/source.js").LoadOptions} [options]
 */
export async function getEncoding(name, options) {
  return fetchNamed(name, findEncoding(ENCODINGS, name), (url) => WorkerTokenizer.load(url, options));
}
