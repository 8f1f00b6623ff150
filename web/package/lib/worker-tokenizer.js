// The methods of a tokenizer that runs in Workers; they return promises. The entries (worker.js, node-worker.js) load it.

import { argumentError, bindMethods, bytesOf, isBlob, isIterable, requireBoolean, requireOptions, requireTarget, textList } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { feedOf } from "./items.js";
import { PART_BYTES } from "./parts.js";
import { Pool } from "./pool.js";
import { nameSet } from "./special.js";

/** @typedef {import("./pool.js").Call} Call */
/** @typedef {import("./pool.js").Thread} Thread */
/** @typedef {import("./items.js").Feed} Feed */

/** Ends the Workers of tokenizers that were garbage-collected. @type {FinalizationRegistry<Pool>} */
const collected = new FinalizationRegistry((pool) => pool.end(new WwhoError("FREED", "the tokenizer was given up")));

/** A tokenizer that runs in Workers: the methods of Tokenizer, which send their arguments to a Worker and return a promise. */
export class BaseWorkerTokenizer {
  #pool;

  /**
   * @param {Pool} pool of Workers, which have the tokenizer
   * @param {any} described what a Worker says about its tokenizer: name, info, provenance, specialTokens
   */
  constructor(pool, described) {
    this.#pool = pool;
    this.name = described.name;
    this.info = described.info;
    this.provenance = described.provenance;
    this.specialTokens = described.specialTokens;
    bindMethods(this, BaseWorkerTokenizer.prototype);
    collected.register(this, pool, this);
  }

  /**
   * Start a Worker, wait until it has loaded the tokenizer, and return the object for it. Further Workers start when there is work for them.
   * @template {BaseWorkerTokenizer} T
   * @param {new (pool: Pool, described: any) => T} type the class of the object
   * @param {() => Thread} spawn starts a Worker
   * @param {{ model: Uint8Array, wasm?: unknown }} setup the tokenizer's file, and where the core is if not in the package
   * @param {{ workers?: number, signal?: AbortSignal }} options `workers` is the most Workers, 1 by default
   * @returns {Promise<T>}
   * @throws {WwhoError} ARGUMENT; WORKER if none can be started; the status of a file that is not valid. All Workers have ended then
   */
  static async start(type, spawn, setup, { workers = 1, signal }) {
    if (!Number.isInteger(workers) || workers < 1) {
      throw argumentError("workers", workers, "a whole number, 1 or more");
    }
    return BaseWorkerTokenizer.#describe(type, new Pool(spawn, workers, setup), signal);
  }

  /**
   * Return the object for a pool whose first Worker has loaded the tokenizer.
   * @template {BaseWorkerTokenizer} T
   * @param {new (pool: Pool, described: any) => T} type the class of the object
   * @param {Pool} pool ends if the tokenizer cannot be loaded
   * @param {AbortSignal} [signal]
   * @returns {Promise<T>}
   * @throws what Pool.run does
   */
  static async #describe(type, pool, signal) {
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
   * Call a method in a Worker, and return its result.
   * @param {string} method
   * @param {unknown[]} values its arguments without the options, which become the last one
   * @param {any} options of the caller; `signal`, `transfer` and `onProgress` stay on this side
   * @param {() => Feed} [feedFrom] makes the feed of a stream, after the options have been checked
   * @param {Partial<Call>} [more] fields of the call
   * @returns {Promise<any>}
   * @throws what Pool.run does; {WwhoError} ARGUMENT for wrong options
   */
  async #call(method, values, options, feedFrom, more) {
    const { here, there } = divideOptions(options, method);
    return this.#pool.run({ method, values: [...values, there], owner: this, ...here, feed: feedFrom?.(), ...more });
  }

  /**
   * Return a promise of the ids of a text, as Tokenizer.encode gives them.
   * @param {unknown} text
   * @param {any} [options] those of Tokenizer.encode; as in all methods, also `signal` and `transfer`
   * @returns {Promise<any>}
   */
  encode(text, options) {
    return this.#call("encode", [text], options);
  }

  /**
   * Return a promise of the ids of each of several texts, as Tokenizer.encodeBatch gives them; the Workers share the texts.
   * @param {Iterable<unknown>} texts
   * @param {any} [options]
   * @returns {Promise<any[]>}
   */
  encodeBatch(texts, options) {
    return this.#callShared("encodeBatch", texts, options);
  }

  /**
   * Return a promise of the number of tokens of each of several texts, as Tokenizer.countBatch gives them; the Workers share the texts.
   * @param {Iterable<unknown>} texts
   * @param {any} [options]
   * @returns {Promise<number[]>}
   */
  countBatch(texts, options) {
    return this.#callShared("countBatch", texts, options);
  }

  /**
   * Call a method that takes several texts and returns a list of as many results, in as many Workers as the texts are worth.
   * @param {string} method
   * @param {unknown} texts checked here, so that they can be divided
   * @param {any} [options] whose `pairs` are divided, too
   * @returns {Promise<any[]>} the results in the order of the texts
   * @throws what #call does; if one part fails, the others' results are lost
   */
  async #callShared(method, texts, options) {
    const { here, there } = divideOptions(options, method);
    const list = textList(texts, "texts");
    const pairs = there.pairs === undefined ? undefined : textList(there.pairs, "pairs");
    const lengths = list.map(({ length }, i) => length + (pairs?.[i]?.length ?? 0));
    const draws = there.dropout !== undefined || there.sample !== undefined; // by the number of each text
    const isWhole = draws || (pairs && pairs.length !== list.length) || (here.transfer && sharesMemory([...list, ...(pairs ?? [])]));
    const parts = isWhole ? [[0, Infinity]] : boundsOf(lengths, this.#pool.size);
    const run = (/** @type {number[]} */ [start, end]) => {
      const values = [list.slice(start, end), { ...there, ...(pairs && { pairs: pairs.slice(start, end) }) }];
      return this.#pool.run({ method, values, owner: this, ...here });
    };
    return (await Promise.all(parts.map(run))).flat();
  }

  /**
   * Return a promise of the columns of a text that Tokenizer.encodeWithOffsets gives: ids, and offsets in UTF-16 units.
   * @param {unknown} text
   * @param {any} [options]
   * @returns {Promise<any>}
   */
  encodeWithOffsets(text, options) {
    return this.#call("encodeWithOffsets", [text], options);
  }

  /**
   * Write the first ids of a text into `target`, once they have come from the Worker.
   * @param {unknown} text
   * @param {Uint32Array} target changed in place, on this side
   * @param {any} [options]
   * @returns {Promise<{ read: number, written: number }>} as Tokenizer.encodeInto: UTF-16 units of a string or bytes; ids
   */
  async encodeInto(text, target, options) {
    requireTarget(target);
    const { read, ids } = await this.#call("encodeInto", [text, target.length], options);
    target.set(ids);
    return { read, written: ids.length };
  }

  /**
   * Yield the ids of a long text, some at a time.
   * @param {unknown} text
   * @param {any} [options]
   * @returns an async generator of arrays of ids
   */
  encodeGenerator(text, options) {
    return this.#callGenerator("encodeGenerator", [text], options);
  }

  /**
   * Return a promise of the number of a text's tokens.
   * @param {unknown} text
   * @param {any} [options]
   * @returns {Promise<number>}
   */
  countTokens(text, options) {
    return this.#call("countTokens", [text], options);
  }

  /**
   * Return a promise of the number of a stream's tokens. A Blob is read in the Worker; other chunks are sent to it.
   * @param {any} source
   * @param {any} [options]
   * @returns {Promise<number>}
   */
  async countStream(source, options) {
    if (isBlob(source)) return this.#call("countStream", [source], options);
    return this.#call("countStream", [undefined], options, () => feedOf(source, bytesOrSame));
  }

  /**
   * Yield the ids of a stream, some at a time. A chunk is sent when the ids of the one before are taken, so that ids do not pile up; for
   * that, a Blob is read on this side.
   * @param {any} source
   * @param {any} [options]
   * @returns an async generator of arrays of ids
   */
  encodeStream(source, options) {
    return this.#callGenerator("encodeStream", [], options, (ready) => feedOf(source, bytesOrSame, ready));
  }

  /**
   * Return a promise of the number of a text's tokens, or of false if there are more than `limit`.
   * @param {unknown} text
   * @param {number} limit
   * @param {any} [options]
   * @returns {Promise<number | false>}
   */
  isWithinTokenLimit(text, limit, options) {
    return this.#call("isWithinTokenLimit", [text, limit], options);
  }

  /**
   * Return a promise of the longest beginning of a text that has at most `limit` tokens, as Tokenizer.truncate gives it.
   * @param {string} text
   * @param {number} limit
   * @param {any} [options]
   * @returns {Promise<string>}
   */
  truncate(text, limit, options) {
    return this.#call("truncate", [text, limit], options);
  }

  /**
   * Return a promise of a text's chunks of at most `limit` tokens each, as Tokenizer.chunk gives them.
   * @param {string} text
   * @param {number} limit in tokens
   * @param {any} [options]
   * @returns {Promise<import("./boundaries.js").Chunk[]>}
   */
  chunk(text, limit, options) {
    return this.#call("chunk", [text, limit], options);
  }

  /**
   * Return a promise of the text of ids; broken UTF-8 becomes U+FFFD.
   * @param {Iterable<number>} ids a list is made of an iterable; typed arrays are sent as they are
   * @param {any} [options]
   * @returns {Promise<string>}
   */
  decode(ids, options) {
    return this.#call("decode", [listIfIterable(ids)], options);
  }

  /**
   * Return a promise of the text of ids as bytes: UTF-8, with broken characters as they are.
   * @param {Iterable<number>} ids
   * @param {any} [options]
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  decodeBytes(ids, options) {
    return this.#call("decodeBytes", [listIfIterable(ids)], options);
  }

  /**
   * Yield the text of ids, token by token.
   * @param {Iterable<number>} ids
   * @param {any} [options]
   * @returns an async generator of texts, none empty
   */
  decodeGenerator(ids, options) {
    return this.#callGenerator("decodeGenerator", [listIfIterable(ids)], options);
  }

  /**
   * Yield the text of ids that come one by one, or several at a time.
   * @param {any} source
   * @param {any} [options]
   * @returns an async generator of texts, none empty
   */
  decodeAsyncGenerator(source, options) {
    return this.#callGenerator("decodeAsyncGenerator", [], options, (ready) => feedOf(source, listIfIterable, ready));
  }

  /**
   * Return a promise of the bytes of one token, as Tokenizer.tokenBytes gives them.
   * @param {number} id
   * @param {any} [options]
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  tokenBytes(id, options) {
    return this.#call("tokenBytes", [id], options);
  }

  /**
   * Return a promise of the id of the token with exactly this text or these bytes, or of undefined, as Tokenizer.tokenToId gives it.
   * @param {unknown} token
   * @param {any} [options]
   * @returns {Promise<number | undefined>}
   */
  tokenToId(token, options) {
    return this.#call("tokenToId", [token], options);
  }

  /**
   * Return a promise of the text of one token, or of its bytes if they are no UTF-8.
   * @param {number} id
   * @param {any} [options]
   * @returns {Promise<string | Uint8Array<ArrayBuffer>>}
   */
  idToToken(id, options) {
    return this.#call("idToToken", [id], options);
  }

  /**
   * Make a tokenizer that has further special tokens, in as many Workers of its own, one of which is started.
   * @param {import("./extending.js").SpecialTokens} tokens ids by texts
   * @param {any} [options] those of Tokenizer.withSpecialTokens, `signal` and `transfer`
   * @returns {Promise<this>} a tokenizer of the same class; both are freed on their own
   */
  async withSpecialTokens(tokens, options) {
    const model = await this.#call("withSpecialTokens", [tokens], options);
    return BaseWorkerTokenizer.#describe(/** @type {any} */ (this.constructor), this.#pool.like({ model }), options?.signal);
  }

  /**
   * Return a promise of the tokenizer's .wwho file.
   * @param {any} [options]
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  toBytes(options) {
    return this.#call("toBytes", [], options);
  }

  /**
   * Return a promise of a text as the model's normalizer rewrites it.
   * @param {unknown} text
   * @param {any} [options]
   * @returns {Promise<any>} a string of a string, bytes of bytes
   */
  normalize(text, options) {
    return this.#call("normalize", [text], options);
  }

  /**
   * Return a promise of the segments of a text.
   * @param {unknown} text
   * @param {any} [options]
   * @returns {Promise<import("./segments.js").Segment[]>}
   */
  segment(text, options) {
    return this.#call("segment", [text], options);
  }

  /**
   * Return a promise of the segments of a text with every step of the automata, as Tokenizer.trace gives them.
   * @param {unknown} text
   * @param {any} [options]
   * @returns {Promise<any>}
   */
  trace(text, options) {
    return this.#call("trace", [text], options);
  }

  /**
   * Call a generator in a Worker, and yield its items as they come. If the loop over them ends early, the call is cancelled, which ends the
   * Worker. Nothing is sent before the first item is asked for.
   * @param {string} method
   * @param {unknown[]} values its arguments without the options
   * @param {any} options
   * @param {(ready: () => Promise<void>) => Feed} [feedFrom] makes the feed of a stream; it gets a function that waits until all items so far
   *   are taken
   * @returns {AsyncGenerator<any, void, undefined>}
   * @throws what #call does, after the items that came before
   */
  async *#callGenerator(method, values, options = {}, feedFrom) {
    requireOptions(options);
    const { signal } = options;
    const canceller = new AbortController();
    const cancel = () => canceller.abort(signal?.reason);
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel);
    /** @type {unknown[]} */
    const items = [];
    // `wake` lets this loop go on, when an item or the end has come; `ask` lets the feed go on, when all items are taken.
    let [hasEnded, wake, ask] = [false, () => {}, () => {}];
    /** Wait until all items that have come are taken, before the feed sends the next chunk. */
    const ready = async () => {
      if (items.length > 0) await new Promise((resolve) => (ask = () => resolve(undefined)));
    };
    /** Keep an item until the loop takes it. */
    const onItem = (/** @type {unknown} */ item) => {
      items.push(item);
      wake();
    };
    const result = this.#call(method, values, { ...options, signal: canceller.signal }, feedFrom && (() => feedFrom(ready)), { onItem }).finally(() => {
      signal?.removeEventListener("abort", cancel);
      hasEnded = true;
      wake();
    });
    result.catch(() => {}); // thrown below, after all items
    try {
      for (;;) {
        while (items.length > 0) yield items.shift();
        if (hasEnded) break;
        ask();
        await new Promise((resolve) => (wake = () => resolve(undefined)));
      }
      await result;
    } finally {
      cancel();
    }
  }

  /** Stop the Workers. Waiting and later calls fail with the status FREED. */
  free() {
    collected.unregister(this);
    this.#pool.end(new WwhoError("FREED", `the tokenizer ${this.name} was freed; load it again`));
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.free();
  }
}

/** The options of every method here. */
const CALL_OPTIONS = new Set(["signal", "transfer"]);
/** The methods that have no other options, of which the Worker would not notice any. */
const PLAIN = new Set(["tokenBytes", "tokenToId", "idToToken", "toBytes", "normalize", "segment", "trace"]);

/**
 * Check options, and divide them into those for this side and those for the Worker, in a form that can be sent.
 * @param {any} options of the caller, or undefined
 * @param {string} method
 * @returns {{ here: Pick<Call, "signal" | "transfer" | "onProgress">, there: any }} the special tokens in `there` are sets, or "all", so they can
 *   be read more than once
 * @throws {WwhoError} ARGUMENT; names of options that a method may have are checked in the Worker
 */
function divideOptions(options = {}, method) {
  requireOptions(options, PLAIN.has(method) ? CALL_OPTIONS : undefined);
  const { signal, transfer = false, onProgress, ...there } = options;
  requireBoolean(transfer, "transfer");
  if (onProgress && !method.endsWith("Stream")) throw new WwhoError("ARGUMENT", `${method} has no onProgress; expected it of encodeStream or countStream`);
  for (const option of ["allowedSpecial", "disallowedSpecial"]) {
    if (there[option] !== undefined) there[option] = nameSet(there[option], option);
  }
  return { here: { signal, transfer, onProgress }, there };
}

/**
 * Return where to cut a list of texts into parts of about as much text each, as many as there are Workers, if there is enough text.
 * @param {readonly number[]} lengths of the texts
 * @param {number} workers the most parts
 * @returns {number[][]} the first text of each part, and the one after its last; each of several has at least half of its share
 */
function boundsOf(lengths, workers) {
  let left = lengths.reduce((sum, length) => sum + length, 0);
  const least = Math.max(PART_BYTES, left / workers);
  /** @type {number[][]} */
  const bounds = [];
  let [start, size] = [0, 0];
  lengths.forEach((length, i) => {
    if (size >= least && 2 * left >= least) {
      bounds.push([start, i]);
      [start, size] = [i, 0];
    }
    size += length;
    left -= length;
  });
  return [...bounds, [start, lengths.length]];
}

/**
 * Tell whether any two texts are views of the same memory, which can be transferred to one Worker alone.
 * @param {readonly (string | Uint8Array)[]} texts
 * @returns {boolean}
 */
function sharesMemory(texts) {
  const buffers = texts.flatMap((text) => (typeof text === "string" ? [] : [text.buffer]));
  return new Set(buffers).size < buffers.length;
}

/**
 * Return bytes of any kind as a Uint8Array, so that only what the view covers is sent, and everything else as it is.
 * @param {any} chunk
 * @returns {any}
 */
const bytesOrSame = (chunk) => bytesOf(chunk) ?? chunk;

/**
 * Return the items of an iterable as a list, because an iterable cannot be sent, and everything else, typed arrays too, as it is.
 * @param {any} ids
 * @returns {any}
 */
function listIfIterable(ids) {
  return isIterable(ids) && !ArrayBuffer.isView(ids) ? Array.from(ids) : ids;
}
