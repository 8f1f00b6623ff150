// The tokenizer in a Worker: the same methods, as promises; the thread that calls them never waits.

import { WwhoError } from "./lib/errors.js";
import { readBytes } from "./lib/source.js";

export { WwhoError };

/** Sends calls to one Worker and matches its answers to them. */
class Calls {
  /** @type {Map<number, { resolve: (value: any) => void, reject: (reason: WwhoError) => void }>} */
  #waiting = new Map();
  #last = 0;
  /** @type {WwhoError | undefined} */
  #ended;

  constructor() {
    this.worker = new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module" });
    this.worker.addEventListener("message", ({ data: { id, result, error } }) => {
      const call = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) call?.reject(new WwhoError(error.status, error.message));
      else call?.resolve(result);
    });
    this.worker.addEventListener("error", (event) => {
      this.end(
        new WwhoError(
          "WORKER",
          `the Worker failed: ${event.message || "its script cannot be loaded"}; check that worker-thread.js lies beside worker.js`,
        ),
      );
    });
  }

  /**
   * @param {string} method
   * @param {any[]} values
   * @returns {Promise<any>}
   */
  call(method, values) {
    if (this.#ended) {
      return Promise.reject(this.#ended);
    }
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, method, values });
    });
  }

  /** Stop the Worker; every call that still waits fails with `reason`. @param {WwhoError} reason */
  end(reason) {
    this.#ended ??= reason;
    this.worker.terminate();
    for (const call of this.#waiting.values()) call.reject(this.#ended);
    this.#waiting.clear();
  }
}

/** A tokenizer that lives in a Worker of its own. */
export class WorkerTokenizer {
  #calls;

  /**
   * @param {Calls} calls
   * @param {any} described what the far side says of its tokenizer
   */
  constructor(calls, described) {
    this.#calls = calls;
    this.name = described.name;
    this.info = described.info;
    this.provenance = described.provenance;
    this.specialTokens = described.specialTokens;
  }

  /**
   * @param {unknown} source a URL, Response, Blob or bytes of a .wwho file
   * @param {{ wasm?: unknown }} [options] where wwho.wasm is (URL, bytes or compiled module), if not beside index.js
   * @returns {Promise<WorkerTokenizer>}
   */
  static async load(source, { wasm } = {}) {
    const model = sendable(await source);
    const blob = model instanceof Response ? await readBytes(model, "the tokenizer") : model;
    const calls = new Calls();
    try {
      return new WorkerTokenizer(calls, await calls.call("load", [{ model: blob, wasm: sendable(await wasm) }]));
    } catch (error) {
      calls.end(/** @type {WwhoError} */ (error));
      throw error;
    }
  }

  /** @param {any[]} values */
  encode(...values) {
    return this.#calls.call("encode", values);
  }

  /** @param {any[]} values */
  encodeWithOffsets(...values) {
    return this.#calls.call("encodeWithOffsets", values);
  }

  /** @param {any[]} values */
  countTokens(...values) {
    return this.#calls.call("countTokens", values);
  }

  /** @param {any[]} values */
  isWithinTokenLimit(...values) {
    return this.#calls.call("isWithinTokenLimit", values);
  }

  /** @param {any[]} values */
  decode(...values) {
    return this.#calls.call("decode", values);
  }

  /** @param {any[]} values */
  decodeBytes(...values) {
    return this.#calls.call("decodeBytes", values);
  }

  /** @param {any[]} values */
  tokenBytes(...values) {
    return this.#calls.call("tokenBytes", values);
  }

  /** @param {any[]} values */
  segment(...values) {
    return this.#calls.call("segment", values);
  }

  /** Stop the Worker. Calls that still wait, and later ones, fail with the status FREED. */
  free() {
    this.#calls.end(new WwhoError("FREED", `the tokenizer ${this.name} was freed; load it again`));
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.free();
  }
}

/** A URL object cannot be sent to a Worker, and a relative address would mean another place there. @param {unknown} source */
function sendable(source) {
  return typeof source === "string" || source instanceof URL
    ? new URL(source, globalThis.document?.baseURI ?? location.href).href
    : source;
}

/** @param {string} name an encoding in the folder models/ beside this file */
export function getEncoding(name) {
  return WorkerTokenizer.load(new URL(`./models/${encodeURIComponent(name)}.wwho`, import.meta.url));
}
