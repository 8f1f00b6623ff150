// The methods of a tokenizer that runs in Workers; they return promises. The entries (worker.js, node-worker.js) load it.

import { argumentError, bindMethods, bytesOf, isBlob, isIterable, requireOptions, requireTarget } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { feedOf } from "./items.js";
import { Pool } from "./pool.js";
import { nameSet } from "./special.js";

/** @typedef {import("./pool.js").Call} Call */
/** @typedef {import("./pool.js").Thread} Thread */
/** @typedef {import("./items.js").Feed} Feed */

/** Ends the Workers of tokenizers that were garbage-collected. @type {FinalizationRegistry<Pool>} */
const forgotten = new FinalizationRegistry((pool) => pool.end(new WwhoError("FREED", "the tokenizer was given up")));

export class BaseWorkerTokenizer {
  #pool;

  /**
   * @param {Pool} pool
   * @param {any} described what a Worker says about its tokenizer
   */
  constructor(pool, described) {
    this.#pool = pool;
    this.name = described.name;
    this.info = described.info;
    this.provenance = described.provenance;
    this.specialTokens = described.specialTokens;
    bindMethods(this, BaseWorkerTokenizer.prototype);
    forgotten.register(this, pool, this);
  }

  /**
   * @template {BaseWorkerTokenizer} T
   * @param {new (pool: Pool, described: any) => T} type
   * @param {() => Thread} spawn
   * @param {{ model: Uint8Array, wasm?: unknown }} setup
   * @param {{ workers?: number, signal?: AbortSignal }} options
   * @returns {Promise<T>}
   */
  static async start(type, spawn, setup, { workers = 1, signal }) {
    if (!Number.isInteger(workers) || workers < 1) {
      throw argumentError("workers", workers, "a whole number, 1 or more");
    }
    const pool = new Pool(spawn, workers, setup);
    try {
      return new type(pool, await pool.run({ method: "describe", values: [], signal }));
    } catch (error) {
      pool.end(/** @type {WwhoError} */ (error));
      throw error;
    }
  }

  /** How many Workers run now; they are started when needed. */
  get started() {
    return this.#pool.started;
  }

  /** Whether free was called. */
  get freed() {
    return this.#pool.ended;
  }

  /**
   * @param {string} method
   * @param {unknown[]} values
   * @param {any} options the last of the values; `signal`, `transfer` and `onProgress` stay on this side
   * @param {() => Feed} [feedFrom] takes hold of a stream, after the options have been checked
   * @param {Partial<Call>} [more]
   * @returns {Promise<any>}
   */
  async #call(method, values, options, feedFrom, more) {
    const { here, there } = divided(options);
    return this.#pool.run({ method, values: [...values, there], owner: this, ...here, feed: feedFrom?.(), ...more });
  }

  /** @param {unknown} text @param {any} [options] */
  encode(text, options) {
    return this.#call("encode", [text], options);
  }

  /** @param {unknown} text @param {any} [options] */
  encodeWithOffsets(text, options) {
    return this.#call("encodeWithOffsets", [text], options);
  }

  /** @param {unknown} text @param {Uint32Array} target @param {any} [options] */
  async encodeInto(text, target, options) {
    requireTarget(target);
    const { read, ids } = await this.#call("encodeInto", [text, target.length], options);
    target.set(ids);
    return { read, written: ids.length };
  }

  /** @param {unknown} text @param {any} [options] */
  encodeGenerator(text, options) {
    return this.#items("encodeGenerator", [text], options);
  }

  /** @param {unknown} text @param {any} [options] */
  countTokens(text, options) {
    return this.#call("countTokens", [text], options);
  }

  /** @param {any} source @param {any} [options] */
  async countStream(source, options) {
    if (isBlob(source)) return this.#call("countStream", [source], options);
    return this.#call("countStream", [undefined], options, () => feedOf(source, toSend));
  }

  /** A Blob is read here, so that its ids do not pile up: a chunk is sent when those of the one before are taken. @param {any} source @param {any} [options] */
  encodeStream(source, options) {
    return this.#items("encodeStream", [], options, (ready) => feedOf(source, toSend, ready));
  }

  /** @param {unknown} text @param {number} limit @param {any} [options] */
  isWithinTokenLimit(text, limit, options) {
    return this.#call("isWithinTokenLimit", [text, limit], options);
  }

  /** @param {string} text @param {number} limit @param {any} [options] */
  truncate(text, limit, options) {
    return this.#call("truncate", [text, limit], options);
  }

  /** @param {string} text @param {number} limit @param {any} [options] */
  chunk(text, limit, options) {
    return this.#call("chunk", [text, limit], options);
  }

  /** @param {Iterable<number>} ids @param {any} [options] */
  decode(ids, options) {
    return this.#call("decode", [listed(ids)], options);
  }

  /** @param {Iterable<number>} ids @param {any} [options] */
  decodeBytes(ids, options) {
    return this.#call("decodeBytes", [listed(ids)], options);
  }

  /** @param {Iterable<number>} ids @param {any} [options] */
  decodeGenerator(ids, options) {
    return this.#items("decodeGenerator", [listed(ids)], options);
  }

  /** @param {any} source @param {any} [options] */
  decodeAsyncGenerator(source, options) {
    return this.#items("decodeAsyncGenerator", [], options, (ready) => feedOf(source, listed, ready));
  }

  /** @param {number} id @param {any} [options] */
  tokenBytes(id, options) {
    return this.#call("tokenBytes", [id], options);
  }

  /** @param {unknown} text @param {any} [options] */
  normalize(text, options) {
    return this.#call("normalize", [text], options);
  }

  /** @param {unknown} text @param {any} [options] */
  segment(text, options) {
    return this.#call("segment", [text], options);
  }

  /** @param {unknown} text @param {any} [options] */
  trace(text, options) {
    return this.#call("trace", [text], options);
  }

  /**
   * The items that a generator in a Worker yields. If the loop over it ends early, it is cancelled.
   * @param {string} method
   * @param {unknown[]} values
   * @param {any} options
   * @param {(ready: () => Promise<void>) => Feed} [feedFrom] gets a function that waits until all items so far are taken
   * @returns {AsyncGenerator<any, void, undefined>}
   */
  async *#items(method, values, options = {}, feedFrom) {
    requireOptions(options);
    const { signal } = options;
    const left = new AbortController();
    const leave = () => left.abort(signal?.reason);
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave);
    /** @type {unknown[]} */
    const items = [];
    let [ended, wake, ask] = [false, () => {}, () => {}];
    const ready = async () => {
      if (items.length > 0) await new Promise((resolve) => (ask = () => resolve(undefined)));
    };
    const onItem = (/** @type {unknown} */ item) => {
      items.push(item);
      wake();
    };
    const done = this.#call(method, values, { ...options, signal: left.signal }, feedFrom && (() => feedFrom(ready)), { onItem }).finally(() => {
      signal?.removeEventListener("abort", leave);
      ended = true;
      wake();
    });
    done.catch(() => {}); // thrown below, after all items
    try {
      for (;;) {
        while (items.length > 0) yield items.shift();
        if (ended) break;
        ask();
        await new Promise((resolve) => (wake = () => resolve(undefined)));
      }
      await done;
    } finally {
      leave();
    }
  }

  /** Stop the Workers. Waiting and later calls fail with the status FREED. */
  free() {
    forgotten.unregister(this);
    this.#pool.end(new WwhoError("FREED", `the tokenizer ${this.name} was freed; load it again`));
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.free();
  }
}

/** Options for this side, and those for the other, in a form that can be sent. @param {any} [options] */
function divided(options = {}) {
  requireOptions(options);
  const { signal, transfer, onProgress, ...there } = options;
  for (const option of ["allowedSpecial", "disallowedSpecial"]) {
    if (there[option] !== undefined) there[option] = nameSet(there[option], option);
  }
  return { here: { signal, transfer, onProgress }, there };
}

/** Any bytes as a Uint8Array, so that only what the view covers is sent. @param {any} chunk */
const toSend = (chunk) => bytesOf(chunk) ?? chunk;

/** An iterable cannot be sent, but a list of its items can. @param {any} ids */
function listed(ids) {
  return isIterable(ids) && !ArrayBuffer.isView(ids) ? Array.from(ids) : ids;
}
