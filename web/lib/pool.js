// Calls to Workers: each has one tokenizer and does one call at a time; what finds none free waits in a queue.
//
// A Worker is started when there is something for it to do, up to the size of the pool. WebAssembly cannot be interrupted: a call
// that is cancelled while it runs ends its Worker, and the next call starts another.

import { WwhoError } from "./errors.js";

/**
 * A Worker of the web, or one of Node that looks like it.
 * @typedef {object} Thread
 * @property {(message: unknown, transfer: Transferable[]) => void} postMessage
 * @property {(type: "message" | "error" | "messageerror", listener: (event: any) => void) => void} addEventListener
 * @property {() => void} terminate
 * @property {() => void} [ref] keep the process alive while there is work, where that is a question
 * @property {() => void} [unref]
 */

/**
 * @typedef {object} Call
 * @property {string} method
 * @property {unknown[]} values
 * @property {Transferable[]} [transfer] of the values
 * @property {AbortSignal} [signal]
 * @property {unknown} [owner] not to be collected as long as somebody waits for its answer
 * @property {AsyncGenerator<any>} [feed] chunks for a method that asks for more
 * @property {(progress: any) => void} [onProgress]
 * @property {(item: any) => void} [onItem]
 */

/** @typedef {{ call: Call, resolve: (value: any) => void, reject: (reason: unknown) => void }} Job */

export class Pool {
  #spawn;
  #size;
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
    this.#size = size;
    this.#setup = setup;
  }

  /** How many Workers there are now. */
  get started() {
    return this.#members.size;
  }

  /** @param {Call} call @returns {Promise<any>} */
  run(call) {
    const { signal } = call;
    return new Promise((resolve, reject) => {
      if (this.#ended) throw this.#ended;
      signal?.throwIfAborted();
      const abort = () => {
        this.#drop(job);
        reject(signal?.reason);
      };
      const forget = () => signal?.removeEventListener("abort", abort);
      /** @type {Job} */
      const job = {
        call,
        resolve: (value) => (forget(), resolve(value)),
        reject: (reason) => (forget(), reject(reason)),
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#queue.push(job);
      this.#next();
    });
  }

  /** End all Workers; calls that wait, and later ones, fail with `reason`. @param {WwhoError} reason */
  end(reason) {
    this.#ended ??= reason;
    const jobs = this.#queue.splice(0);
    for (const member of this.#members) {
      if (member.job) jobs.push(member.job);
      this.#remove(member);
    }
    for (const job of jobs) job.reject(this.#ended);
  }

  /** A job that nobody waits for any more. @param {Job} job */
  #drop(job) {
    this.#queue = this.#queue.filter((each) => each !== job);
    job.call.feed?.next().catch(() => {}); // which sees the signal, and cancels its stream
    for (const member of this.#members) {
      if (member.job === job) this.#remove(member);
    }
    this.#next();
  }

  /** Give jobs to members that are free, and to new ones; but none that its signal, too, is about to drop. */
  #next() {
    this.#queue = this.#queue.filter(({ call }) => !call.signal?.aborted);
    while (this.#queue.length > 0) {
      const member = [...this.#members].find((each) => each.job === undefined) ?? this.#newMember();
      const job = member && this.#queue.shift();
      if (!member || !job) return;
      member.start(job);
    }
  }

  #newMember() {
    if (this.#members.size >= this.#size) return undefined;
    const member = new Member(this.#spawn(), this.#setup, (failed) => {
      if (failed) this.#remove(member);
      this.#next();
    });
    this.#members.add(member);
    return member;
  }

  /** @param {Member} member */
  #remove(member) {
    this.#members.delete(member);
    member.end();
  }
}

/** One Worker, and the job that it does. */
class Member {
  /** @type {Job | undefined} */
  job;
  #thread;
  #setup;
  #onFree;
  #loaded = false;

  /**
   * @param {Thread} thread
   * @param {unknown} setup
   * @param {(failed: boolean) => void} onFree
   */
  constructor(thread, setup, onFree) {
    this.#thread = thread;
    this.#setup = setup;
    this.#onFree = onFree;
    thread.addEventListener("message", ({ data }) => this.#receive(data));
    thread.addEventListener("error", (event) => {
      event.preventDefault?.();
      this.#fail(
        `the Worker failed: ${event.message || "its script cannot be loaded"}; check that all files of wwho are there`,
      );
    });
    thread.addEventListener("messageerror", () => this.#fail("an answer of the Worker cannot be read; load it again"));
  }

  /** @param {Job} job */
  start(job) {
    this.job = job;
    this.#thread.ref?.();
    const { method, values, transfer = [] } = job.call;
    const setup = this.#loaded ? undefined : this.#setup;
    try {
      this.#thread.postMessage({ method, values, setup }, transfer);
      this.#loaded = true;
    } catch (cause) {
      // An argument that is no text, no ids and no option.
      this.#finish().reject(
        new WwhoError("ARGUMENT", `${method} cannot send its arguments to a Worker: ${cause}`, { cause }),
      );
      this.#onFree(false);
    }
  }

  end() {
    this.#thread.terminate();
    this.#leaveFeed();
    this.job = undefined;
  }

  /** @param {any} data */
  #receive({ result, error, item, progress, wanted }) {
    const { job } = this;
    if (!job) return;
    if (item !== undefined) job.call.onItem?.(item);
    else if (progress) this.#report(job, progress);
    else if (wanted) this.#feed(job);
    else {
      const failed = error?.load === true;
      const { reject, resolve } = this.#finish();
      if (error) reject(new WwhoError(error.status, error.message));
      else resolve(result);
      this.#onFree(failed);
    }
  }

  /** What the caller's own function throws ends the call. @param {Job} job @param {unknown} progress */
  #report(job, progress) {
    try {
      job.call.onProgress?.(progress);
    } catch (reason) {
      this.#finish().reject(reason);
      this.#onFree(true);
    }
  }

  /** The next chunk, to a method that asked for it. @param {Job} job */
  async #feed(job) {
    try {
      const { done, value } = await /** @type {AsyncGenerator} */ (job.call.feed).next();
      if (this.job === job) this.#thread.postMessage({ chunk: value, done }, done ? [] : wholeBuffers(value));
    } catch (reason) {
      if (this.job !== job) return;
      this.#finish().reject(reason);
      this.#onFree(true); // the method waits for a chunk that will not come
    }
  }

  #finish() {
    const job = /** @type {Job} */ (this.job);
    this.#leaveFeed();
    this.job = undefined;
    this.#thread.unref?.();
    return job;
  }

  #leaveFeed() {
    this.job?.call.feed?.return(undefined).catch(() => {});
  }

  /** @param {string} message */
  #fail(message) {
    if (this.job) this.#finish().reject(new WwhoError("WORKER", message));
    this.#onFree(true);
  }
}

/** A chunk of a stream is nobody else's: it is handed over where it is all of its buffer. @param {unknown} chunk */
function wholeBuffers(chunk) {
  if (!ArrayBuffer.isView(chunk) || !(chunk.buffer instanceof ArrayBuffer)) return [];
  return chunk.byteLength === chunk.buffer.byteLength ? [chunk.buffer] : [];
}
