// Calls to Workers: each Worker loads the same tokenizer and runs one call at a time. Calls wait in a queue until a Worker is free.
//
// Workers are started when there is work, up to the size of the pool. WebAssembly cannot be interrupted, so cancelling a running call
// ends its Worker, and the next call starts another.

import { WwhoError } from "./errors.js";

/**
 * A web Worker, or a Worker of Node with the same interface.
 * @typedef {object} Thread
 * @property {(message: unknown, transfer: Transferable[]) => void} postMessage
 * @property {(type: "message" | "error" | "messageerror", listener: (event: any) => void) => void} addEventListener
 * @property {() => void} terminate
 * @property {() => void} [ref] keep the process alive while there is work, if the runtime has this choice
 * @property {() => void} [unref]
 */

/**
 * @typedef {object} Call
 * @property {string} method
 * @property {unknown[]} values
 * @property {boolean} [transfer] whether the memory of the values and chunks is transferred
 * @property {AbortSignal} [signal]
 * @property {unknown} [owner] kept from garbage collection while a caller waits for the answer
 * @property {import("./items.js").Feed} [feed] chunks for a method that asks for more
 * @property {(progress: any) => void} [onProgress]
 * @property {(item: any) => void} [onItem]
 */

/** @typedef {{ values: unknown[], memory: Transferable[] }} Parcel */
/** @typedef {{ call: Call, parcel: Parcel, resolve: (value: any) => void, reject: (reason: unknown) => void }} Job */

/** The methods of all typed arrays (slice of Node's Buffer does not copy); both throw if the memory was transferred before. */
const { slice, subarray } = Uint8Array.prototype;
/** @type {Parcel} */
const NOTHING = { values: [], memory: [] };

export class Pool {
  #spawn;
  #size;
  /** The most Workers that there can be: fewer than #size if some could not load. */
  #most;
  #setup;
  /** @type {Set<Member>} */
  #members = new Set();
  /** @type {Job[]} */
  #queue = [];
  /** @type {WwhoError | undefined} */
  #ended;

  /**
   * @param {() => Thread} spawn
   * @param {number} size the most Workers
   * @param {unknown} setup what each of them loads
   */
  constructor(spawn, size, setup) {
    this.#spawn = spawn;
    this.#size = this.#most = size;
    this.#setup = setup;
  }

  /** How many Workers there are now. */
  get started() {
    return this.#members.size;
  }

  get ended() {
    return this.#ended !== undefined;
  }

  /** @param {Call} call @returns {Promise<any>} */
  run(call) {
    const { signal, feed } = call;
    return new Promise((resolve, reject) => {
      const abort = () => this.#drop(job, signal?.reason);
      const forget = () => signal?.removeEventListener("abort", abort);
      const fail = (/** @type {unknown} */ reason) => {
        forget();
        feed?.leave(reason);
        reject(reason);
      };
      /** @type {Job} */
      const job = { call, parcel: NOTHING, resolve: (value) => (forget(), resolve(value)), reject: fail };
      try {
        if (this.#ended) throw this.#ended;
        signal?.throwIfAborted();
        job.parcel = packed(call, call.values);
      } catch (reason) {
        fail(reason);
        return;
      }
      signal?.addEventListener("abort", abort, { once: true });
      this.#queue.push(job);
      this.#next();
    });
  }

  /** End all Workers; waiting and later calls fail with `reason`. @param {WwhoError} reason */
  end(reason) {
    this.#ended ??= reason;
    const jobs = this.#queue.splice(0);
    for (const member of this.#members) {
      if (member.job) jobs.push(member.job);
      this.#remove(member);
    }
    for (const job of jobs) job.reject(this.#ended);
  }

  /** Drop a job that no caller waits for any more. @param {Job} job @param {unknown} reason */
  #drop(job, reason) {
    this.#queue = this.#queue.filter((each) => each !== job);
    job.reject(reason);
    for (const member of this.#members) {
      if (member.job === job) this.#remove(member);
    }
    this.#next();
  }

  /** Give jobs to free and to new members, except jobs that their signals are about to drop. */
  #next() {
    while (this.#queue.length > 0) {
      if (this.#queue[0].call.signal?.aborted) {
        this.#queue.shift();
        continue;
      }
      const member = [...this.#members].find((each) => each.job === undefined) ?? this.#newMember();
      if (!member) return;
      member.start(/** @type {Job} */ (this.#queue.shift()));
    }
  }

  #newMember() {
    if (this.#members.size >= this.#most) return undefined;
    const thread = this.#newThread();
    if (!thread) return undefined;
    const member = new Member(thread, this.#setup, {
      free: () => this.#next(),
      failed: (reason) => {
        this.#remove(member);
        if (reason) this.#doWithout(reason);
        this.#next();
      },
    });
    this.#members.add(member);
    return member;
  }

  /**
   * A Worker could not load: the others do the work. If there are none, waiting calls fail, and the next call tries again.
   * @param {WwhoError} reason
   */
  #doWithout(reason) {
    this.#most = this.#members.size || this.#size;
    if (this.#members.size === 0) this.#refuse(reason);
  }

  /** @param {WwhoError} reason */
  #refuse(reason) {
    for (const job of this.#queue.splice(0)) job.reject(reason);
  }

  /** Start a Worker. If that fails, the others do the work; if there are none, the calls fail. */
  #newThread() {
    try {
      return this.#spawn();
    } catch (cause) {
      if (this.#members.size > 0) return undefined;
      const message =
        `cannot start a Worker: ${cause}; serve the files of wwho from the page's own origin, ` +
        "or use wwho instead of wwho/worker";
      const error = cause instanceof WwhoError ? cause : new WwhoError("WORKER", message, { cause });
      this.#refuse(error);
      return undefined;
    }
  }

  /** @param {Member} member */
  #remove(member) {
    this.#members.delete(member);
    member.end();
  }
}

/** One Worker and its job. */
class Member {
  /** @type {Job | undefined} */
  job;
  #thread;
  #setup;
  #on;
  /** Whether the Worker was told what to load, and whether it has loaded it. */
  #told = false;
  #loaded = false;

  /**
   * @param {Thread} thread
   * @param {unknown} setup
   * @param {object} on what to call
   * @param {() => void} on.free called when its job is done
   * @param {(reason?: WwhoError) => void} on.failed called when it can no longer be used, with a reason if it could not load
   */
  constructor(thread, setup, on) {
    this.#thread = thread;
    this.#setup = setup;
    this.#on = on;
    thread.addEventListener("message", ({ data }) => this.#receive(data));
    thread.addEventListener("error", (event) => {
      event.preventDefault?.();
      this.#fail(
        `the Worker failed: ${event.message || "its script cannot be loaded"}; check that all files of wwho are there, and ` +
          "leave wwho out of a bundle whose bundler does not follow `new Worker(new URL(...))`",
      );
    });
    thread.addEventListener("messageerror", () => this.#fail("an answer of the Worker cannot be read; load it again"));
  }

  /** @param {Job} job */
  start(job) {
    this.job = job;
    this.#thread.ref?.();
    const { values, memory } = job.parcel;
    const setup = this.#told ? undefined : this.#setup;
    try {
      this.#send(job, { method: job.call.method, values, setup }, memory);
      this.#told = true;
    } catch (error) {
      this.#finish().reject(error);
      this.#on.free();
    }
  }

  /** @param {Job} job @param {unknown} message @param {Transferable[]} memory */
  #send({ call }, message, memory) {
    try {
      this.#thread.postMessage(message, memory);
    } catch (cause) {
      throw cannotSend(call, cause);
    }
  }

  end() {
    this.#thread.terminate();
    this.job = undefined;
  }

  /** @param {any} data */
  #receive({ result, error, item, progress, wanted }) {
    const { job } = this;
    if (!job) return;
    this.#loaded ||= error?.load !== true;
    if (item !== undefined) job.call.onItem?.(item);
    else if (progress) this.#report(job, progress);
    else if (wanted) this.#feed(job);
    else {
      const { reject, resolve } = this.#finish();
      const failure = error && new WwhoError(error.status, error.message);
      if (failure) reject(failure);
      else resolve(result);
      if (error?.load) this.#on.failed(failure);
      else this.#on.free();
    }
  }

  /** Report progress. If the caller's function throws, the call ends. @param {Job} job @param {unknown} progress */
  #report(job, progress) {
    try {
      job.call.onProgress?.(progress);
    } catch (reason) {
      this.#finish().reject(reason);
      this.#on.failed();
    }
  }

  /** Send the next chunk to a method that asked for it. @param {Job} job */
  async #feed(job) {
    try {
      const { done, value } = await /** @type {import("./items.js").Feed} */ (job.call.feed).next();
      if (this.job !== job) return;
      const { values, memory } = packed(job.call, [value]);
      this.#send(job, { chunk: values[0], done }, memory);
    } catch (reason) {
      if (this.job !== job) return;
      this.#finish().reject(reason);
      this.#on.failed(); // the method waits for a chunk that will not come
    }
  }

  #finish() {
    const job = /** @type {Job} */ (this.job);
    this.job = undefined;
    this.#thread.unref?.();
    return job;
  }

  /** @param {string} message */
  #fail(message) {
    const reason = new WwhoError("WORKER", message);
    if (this.job) this.#finish().reject(reason);
    this.#on.failed(this.#loaded ? undefined : reason);
  }
}

/** The error for an argument or a chunk that cannot be sent. @param {Call} call @param {unknown} cause */
function cannotSend({ method }, cause) {
  return new WwhoError("ARGUMENT", `${method} cannot send what it was given to a Worker: ${cause}`, { cause });
}

/**
 * Values as they are sent. Their memory is copied, and only the part that the view covers, because the caller may change it afterwards.
 * If it is to be transferred, the memory itself is sent.
 * @param {Call} call
 * @param {unknown[]} values
 * @returns {Parcel}
 */
function packed(call, values) {
  try {
    const own = call.transfer ? subarray : slice;
    const sent = values.map((value) => (isArray(value) ? own.call(value) : value));
    return { values: sent, memory: sent.filter(isArray).map(({ buffer }) => /** @type {ArrayBuffer} */ (buffer)) };
  } catch (cause) {
    throw cannotSend(call, cause);
  }
}

/** @param {unknown} value @returns {value is Uint8Array} or another typed array */
const isArray = (value) => ArrayBuffer.isView(value) && !(value instanceof DataView);
