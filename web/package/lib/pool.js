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
 * @typedef {object} Call of a method in a Worker
 * @property {string} method
 * @property {unknown[]} values its arguments
 * @property {boolean} [transfer] whether the memory of the values and chunks is transferred
 * @property {AbortSignal} [signal]
 * @property {unknown} [owner] kept from garbage collection while a caller waits for the answer
 * @property {import("./items.js").Feed} [feed] chunks for a method that asks for more
 * @property {(progress: any) => void} [onProgress]
 * @property {(item: any) => void} [onItem]
 */

/** @typedef {{ values: unknown[], memory: Transferable[] }} Parcel values as they are sent, and the memory in them that is transferred */
/** @typedef {{ call: Call, parcel: Parcel, resolve: (value: any) => void, reject: (reason: unknown) => void }} Job a call that waits or runs */

/** The methods of all typed arrays (slice of Node's Buffer does not copy); both throw if the memory was transferred before. */
const { slice, subarray } = Uint8Array.prototype;
/** What a job has before its values are packed. @type {Parcel} */
const NOTHING = { values: [], memory: [] };

/** A queue of calls, and the Workers that run them, each of which has loaded the same tokenizer. */
export class Pool {
  #spawn;
  #size;
  /** The most Workers that there can be: fewer than #size if some could not load. */
  #most;
  #setup;
  /** The Workers that were started, and have not ended. @type {Set<Member>} */
  #members = new Set();
  /** The calls that wait for a Worker. @type {Job[]} */
  #queue = [];
  /** Why calls fail, once the pool has ended. @type {WwhoError | undefined} */
  #endReason;

  /**
   * @param {() => Thread} spawn starts a Worker
   * @param {number} size the most Workers
   * @param {unknown} setup what each of them loads: the first message to it has this
   */
  constructor(spawn, size, setup) {
    this.#spawn = spawn;
    this.#size = this.#most = size;
    this.#setup = setup;
  }

  /**
   * Return a pool of as many Workers of the same kind, none of which is started yet.
   * @param {object} changes fields of what they load that differ
   * @returns {Pool}
   */
  like(changes) {
    return new Pool(this.#spawn, this.#size, { .../** @type {object} */ (this.#setup), ...changes });
  }

  /** The most Workers that this pool was made for. */
  get size() {
    return this.#size;
  }

  /** How many Workers there are now. */
  get started() {
    return this.#members.size;
  }

  /** Whether end() was called. */
  get ended() {
    return this.#endReason !== undefined;
  }

  /**
   * Run a call in a Worker that is free, or will be; start another Worker if none is free and the pool may have more. Its values are copied
   * at once, or transferred.
   * @param {Call} call
   * @returns {Promise<any>} the method's result
   * @throws the error of the method, with its status; the reason of end() or of the signal, which ends the Worker if the call runs already;
   *   WwhoError ARGUMENT if a value cannot be sent, WORKER if no Worker can be started
   */
  run(call) {
    const { signal, feed } = call;
    return new Promise((resolve, reject) => {
      const abort = () => this.#cancel(job, signal?.reason);
      const forget = () => signal?.removeEventListener("abort", abort);
      /** Reject the call, and tell its stream. */
      const fail = (/** @type {unknown} */ reason) => {
        forget();
        feed?.leave(reason);
        reject(reason);
      };
      /** @type {Job} */
      const job = { call, parcel: NOTHING, resolve: (value) => (forget(), resolve(value)), reject: fail };
      try {
        if (this.#endReason) throw this.#endReason;
        signal?.throwIfAborted();
        job.parcel = packValues(call, call.values);
      } catch (reason) {
        fail(reason);
        return;
      }
      signal?.addEventListener("abort", abort, { once: true });
      this.#queue.push(job);
      this.#assignJobs();
    });
  }

  /**
   * End all Workers; calls that wait or run, and later ones, fail with the reason of the first end().
   * @param {WwhoError} reason
   */
  end(reason) {
    this.#endReason ??= reason;
    const jobs = this.#queue.splice(0);
    for (const member of this.#members) {
      if (member.job) jobs.push(member.job);
      this.#remove(member);
    }
    for (const job of jobs) job.reject(this.#endReason);
  }

  /**
   * Reject a job that its caller has given up: take it out of the queue, or end the Worker that runs it.
   * @param {Job} job
   * @param {unknown} reason
   */
  #cancel(job, reason) {
    this.#queue = this.#queue.filter((each) => each !== job);
    job.reject(reason);
    for (const member of this.#members) {
      if (member.job === job) this.#remove(member);
    }
    this.#assignJobs();
  }

  /**
   * Give jobs of the queue to free and to new members, in order, as long as there are any of both; take out jobs whose signals were aborted,
   * which cancel them themselves.
   */
  #assignJobs() {
    while (this.#queue.length > 0) {
      if (this.#queue[0].call.signal?.aborted) {
        this.#queue.shift();
        continue;
      }
      const member = [...this.#members].find((each) => each.job === undefined) ?? this.#addMember();
      if (!member) return;
      member.start(/** @type {Job} */ (this.#queue.shift()));
    }
  }

  /**
   * Start another Worker, if the pool may have one more.
   * @returns {Member | undefined} undefined if it may not, or if none can be started: then calls may have been rejected
   */
  #addMember() {
    if (this.#members.size >= this.#most) return undefined;
    const thread = this.#startThread();
    if (!thread) return undefined;
    const member = new Member(thread, this.#setup, {
      free: () => this.#assignJobs(),
      failed: (reason) => {
        this.#remove(member);
        if (reason) this.#shrink(reason);
        this.#assignJobs();
      },
    });
    this.#members.add(member);
    return member;
  }

  /**
   * Go on with the Workers that are left, after one could not load. If none is left, waiting calls fail, and the next call tries again.
   * @param {WwhoError} reason why it could not load
   */
  #shrink(reason) {
    this.#most = this.#members.size || this.#size;
    if (this.#members.size === 0) this.#rejectQueue(reason);
  }

  /** Reject every call that waits. @param {WwhoError} reason */
  #rejectQueue(reason) {
    for (const job of this.#queue.splice(0)) job.reject(reason);
  }

  /**
   * Start a Worker and return its thread, which the caller adds to the members. No error is thrown if that fails: the other Workers do
   * the work; if there are none, every waiting call is rejected, with the WwhoError that was the cause, or with a new one of status WORKER.
   * @returns {Thread | undefined} undefined if the Worker could not be started
   */
  #startThread() {
    try {
      return this.#spawn();
    } catch (cause) {
      if (this.#members.size > 0) return undefined;
      const message =
        `cannot start a Worker: ${cause}; serve the files of wwho from the page's own origin, ` +
        "or use wwho instead of wwho/worker";
      const error = cause instanceof WwhoError ? cause : new WwhoError("WORKER", message, { cause });
      this.#rejectQueue(error);
      return undefined;
    }
  }

  /** End a Worker, and forget it; its job is neither resolved nor rejected. @param {Member} member */
  #remove(member) {
    this.#members.delete(member);
    member.end();
  }
}

/** One Worker of a pool, and the job that it runs. */
class Member {
  /** The job that runs; undefined while the Worker is free. @type {Job | undefined} */
  job;
  #thread;
  #setup;
  #on;
  /** Whether the setup was sent, and whether the Worker has loaded it. */
  #isSetupSent = false;
  #hasLoaded = false;

  /**
   * @param {Thread} thread
   * @param {unknown} setup what the Worker loads; sent with the first job
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

  /**
   * Send a job to the Worker, which must be free. If a value cannot be sent, the job is rejected, and the Worker stays free.
   * @param {Job} job
   */
  start(job) {
    this.job = job;
    this.#thread.ref?.();
    const { values, memory } = job.parcel;
    const setup = this.#isSetupSent ? undefined : this.#setup;
    try {
      this.#send(job, { method: job.call.method, values, setup }, memory);
      this.#isSetupSent = true;
    } catch (error) {
      this.#releaseJob().reject(error);
      this.#on.free();
    }
  }

  /**
   * Send a message to the Worker.
   * @param {Job} job whose method the error names
   * @param {unknown} message
   * @param {Transferable[]} memory what of it is transferred
   * @throws {WwhoError} ARGUMENT if it cannot be sent
   */
  #send({ call }, message, memory) {
    try {
      this.#thread.postMessage(message, memory);
    } catch (cause) {
      throw sendError(call, cause);
    }
  }

  /** End the Worker at once; its job is forgotten, neither resolved nor rejected. */
  end() {
    this.#thread.terminate();
    this.job = undefined;
  }

  /**
   * Take a message of the Worker to its job: an item, progress or a wish for the next chunk, after which the job goes on, or else the
   * result or the error that resolves or rejects it. The Worker is free then, but for an error of loading, after which it can no longer
   * be used. A message that comes without a job is ignored; one that is no such error shows that the Worker has loaded.
   * @param {any} data the message: one of `item`, `progress`, `wanted`, `error` (`status`, `message`, and `load` if loading failed) and
   *   `result`, which may be undefined
   */
  #receive({ result, error, item, progress, wanted }) {
    const { job } = this;
    if (!job) return;
    this.#hasLoaded ||= error?.load !== true;
    if (item !== undefined) job.call.onItem?.(item);
    else if (progress) this.#reportProgress(job, progress);
    else if (wanted) this.#sendChunk(job);
    else {
      const { reject, resolve } = this.#releaseJob();
      const failure = error && new WwhoError(error.status, error.message);
      if (failure) reject(failure);
      else resolve(result);
      if (error?.load) this.#on.failed(failure);
      else this.#on.free();
    }
  }

  /**
   * Report progress to the caller. If its function throws, the call fails with that error, and the Worker ends.
   * @param {Job} job
   * @param {unknown} progress
   */
  #reportProgress(job, progress) {
    try {
      job.call.onProgress?.(progress);
    } catch (reason) {
      this.#releaseJob().reject(reason);
      this.#on.failed();
    }
  }

  /**
   * Send the next chunk of the caller's stream to the method that asked for it, unless the job has ended meanwhile. If the stream fails, the
   * call fails with its error, and the Worker ends.
   * @param {Job} job
   */
  async #sendChunk(job) {
    try {
      const { done, value } = await /** @type {import("./items.js").Feed} */ (job.call.feed).next();
      if (this.job !== job) return;
      const { values, memory } = packValues(job.call, [value]);
      this.#send(job, { chunk: values[0], done }, memory);
    } catch (reason) {
      if (this.job !== job) return;
      this.#releaseJob().reject(reason);
      this.#on.failed(); // the method waits for a chunk that will not come
    }
  }

  /**
   * Take the job from the Worker, which is free then and no longer keeps the process alive, and return it for an answer. There must be one.
   * @returns {Job}
   */
  #releaseJob() {
    const job = /** @type {Job} */ (this.job);
    this.job = undefined;
    this.#thread.unref?.();
    return job;
  }

  /**
   * Reject the job, if there is one, because the Worker failed, and tell the pool.
   * @param {string} message of an error of status WORKER
   */
  #fail(message) {
    const reason = new WwhoError("WORKER", message);
    if (this.job) this.#releaseJob().reject(reason);
    this.#on.failed(this.#hasLoaded ? undefined : reason);
  }
}

/**
 * Make the error for an argument or a chunk that cannot be sent to a Worker; the caller throws it.
 * @param {Call} call whose method the message names
 * @param {unknown} cause the runtime's error
 * @returns {WwhoError} of status ARGUMENT
 */
function sendError({ method }, cause) {
  return new WwhoError("ARGUMENT", `${method} cannot send what it was given to a Worker: ${cause}`, { cause });
}

/**
 * Prepare values for sending. Typed arrays, also those in lists and in the options `pair` and `pairs`, are copied, only as far as the view
 * reaches, because the caller may change them afterwards. If the call transfers memory, they are sent themselves: the caller can no longer use
 * them, nor anything else in their memory.
 * @param {Call} call
 * @param {unknown[]} values
 * @returns {Parcel}
 * @throws {WwhoError} ARGUMENT if the memory of one was transferred before
 */
function packValues(call, values) {
  /** @type {Set<Transferable>} */
  const memory = new Set();
  const own = call.transfer ? subarray : slice;
  const pack = (/** @type {any} */ value) => {
    // A list of ids is copied as it is sent. Copies of many texts are sent sooner than their memory would be transferred.
    if (Array.isArray(value) && typeof value[0] === "number") return value;
    if (Array.isArray(value)) return value.map((each) => (isArray(each) ? packArray(each, call.transfer) : each));
    return isArray(value) ? packArray(value, true) : value;
  };
  const packArray = (/** @type {Uint8Array} */ array, isTransferred = false) => {
    const sent = own.call(array);
    if (isTransferred) memory.add(/** @type {ArrayBuffer} */ (sent.buffer));
    return sent;
  };
  try {
    const sent = values.map((value) => {
      const { pair, pairs } = /** @type {any} */ (value) ?? {};
      return pair || pairs ? { .../** @type {object} */ (value), ...(pair && { pair: pack(pair) }), ...(pairs && { pairs: pack(pairs) }) } : pack(value);
    });
    return { values: sent, memory: [...memory] };
  } catch (cause) {
    throw sendError(call, cause);
  }
}

/**
 * Tell whether a value is a typed array of any kind.
 * @param {unknown} value
 * @returns {value is Uint8Array}
 */
const isArray = (value) => ArrayBuffer.isView(value) && !(value instanceof DataView);
