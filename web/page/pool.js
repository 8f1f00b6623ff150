// Workers that count files side by side. A long file is cut into slices, at places where its tokens may be cut, and so it keeps
// all of them busy too.

const MOST_WORKERS = 8;
const SLICE_BYTES = 8 * 1024 * 1024;
const WINDOW_BYTES = 64 * 1024; // in which a place to cut is looked for

/** @typedef {{ blob: Blob, progress: (bytes: number) => void, resolve: (counts: number[]) => void, reject: (reason: Error) => void }} Task */

export class Pool {
  #blobs;
  #cuts;
  /** @type {Worker[]} */
  #idle = [];
  /** @type {Map<number, { worker: Worker, task: Task }>} */
  #running = new Map();
  /** @type {Task[]} */
  #waiting = [];
  #workers = 0;
  #last = 0;
  #ended = false;

  /**
   * @param {Uint8Array[]} blobs .wwho files
   * @param {import("./cuts.js").Cuts[]} cuts of them
   */
  constructor(blobs, cuts) {
    this.#blobs = blobs;
    this.#cuts = cuts;
  }

  /**
   * @param {Blob} file
   * @param {(bytes: number) => void} progress called with bytes that have been read since
   * @returns {Promise<number[]>} its tokens, per tokenizer
   */
  async count(file, progress) {
    const slices = file.size > SLICE_BYTES ? await slicesOf(file, this.#cuts) : [file];
    const counts = await Promise.all(slices.map((blob) => this.#add(blob, progress)));
    return counts.reduce((sum, each) => sum.map((tokens, i) => tokens + each[i]));
  }

  /** Stop everything at once; what is not counted yet fails. */
  end() {
    this.#ended = true;
    const reason = new Error("cancelled");
    for (const { worker, task } of this.#running.values()) {
      worker.terminate();
      task.reject(reason);
    }
    for (const worker of this.#idle) worker.terminate();
    for (const task of this.#waiting) task.reject(reason);
    this.#waiting = [];
    this.#running.clear();
  }

  /** @param {Blob} blob @param {(bytes: number) => void} progress @returns {Promise<number[]>} */
  #add(blob, progress) {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(new Error("cancelled"));
      this.#waiting.push({ blob, progress, resolve, reject });
      this.#next();
    });
  }

  #next() {
    const most = Math.max(1, Math.min((navigator.hardwareConcurrency || 2) - 1, MOST_WORKERS));
    if (this.#waiting.length === 0 || (this.#idle.length === 0 && this.#workers >= most)) return;
    const worker = this.#idle.pop() ?? this.#hire();
    const task = /** @type {Task} */ (this.#waiting.shift());
    this.#running.set(++this.#last, { worker, task });
    worker.postMessage({ id: this.#last, blob: task.blob });
    this.#next();
  }

  #hire() {
    this.#workers++;
    const worker = new Worker(new URL("./count-worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => this.#hear(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      for (const [id, running] of this.#running) {
        if (running.worker === worker) this.#hear({ id, error: `the Worker failed: ${event.message || "its script cannot be loaded"}` });
      }
    });
    worker.postMessage({ blobs: this.#blobs });
    return worker;
  }

  /** @param {{ id: number, bytes?: number, counts?: number[], error?: string }} said */
  #hear({ id, bytes, counts, error }) {
    const running = this.#running.get(id);
    if (!running) return;
    const { worker, task } = running;
    if (bytes !== undefined) return task.progress(bytes);
    this.#running.delete(id);
    this.#idle.push(worker);
    if (counts) task.resolve(counts);
    else task.reject(new Error(error));
    this.#next();
  }
}

/**
 * @param {Blob} file
 * @param {import("./cuts.js").Cuts[]} cuts
 * @returns {Promise<Blob[]>} its parts, whose tokens together are the file's
 */
async function slicesOf(file, cuts) {
  const slices = [];
  let start = 0;
  for (let at = SLICE_BYTES; at < file.size; at += SLICE_BYTES) {
    const end = await cutNear(file, at, cuts);
    if (end === undefined) continue;
    slices.push(file.slice(start, end));
    start = end;
  }
  return [...slices, file.slice(start)];
}

/** @param {Blob} file @param {number} at a byte @param {import("./cuts.js").Cuts[]} cuts @returns {Promise<number | undefined>} a byte */
async function cutNear(file, at, cuts) {
  const window = new Uint8Array(await file.slice(at, at + WINDOW_BYTES).arrayBuffer());
  const skipped = window.findIndex((byte) => (byte & 0xc0) !== 0x80);
  // Broken UTF-8 would move the place; but then the file is refused anyway.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(window.subarray(skipped), { stream: true });
  const first = text.codePointAt(0) ?? 0;
  for (let place = first > 0xffff ? 2 : 1; place < text.length; place++) {
    if (cuts.every((each) => each.isCut(text, place))) {
      return at + skipped + new TextEncoder().encode(text.slice(0, place)).length;
    }
  }
  return undefined;
}
