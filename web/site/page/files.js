// Files instead of the text. They are counted side by side in their own Workers, which end when counting is cancelled.

import { WorkerTokenizer } from "../package/worker.js";
import { read } from "./input/files.js";

const CANCELLED = "cancelled";
/** The number of Workers for each row: together about as many as there are processors. */
const WORKERS = Math.max(1, Math.min(4, Math.round((navigator.hardwareConcurrency || 2) / 3)));

/** @typedef {{ row: number, name: string, label: string, blob: Uint8Array<ArrayBuffer> }} Counting a tokenizer */
/** @typedef {{ path: string, file: Blob, problem?: string }} Given `problem`: why it cannot be counted */
/** @typedef {Given & { read: number, counts?: number[], error?: string }} Entry `read`: bytes; `counts` by tokenizer */

export class Files {
  #wanted;
  #changed;
  /** @type {Entry[]} */
  entries = [];
  /** The tokenizers that count, or that counted last. @type {readonly Counting[]} */
  tokenizers = [];
  /** @type {Promise<WorkerTokenizer[]> | undefined} */
  #pool;
  #run = 0;

  /**
   * @param {() => readonly Counting[]} wanted the tokenizers to count with; none while they are being opened
   * @param {(entry?: Entry) => void} changed called when an entry has progressed, or when there are other entries
   */
  constructor(wanted, changed) {
    this.#wanted = wanted;
    this.#changed = changed;
  }

  /** Add files to the list, and count them. @param {readonly Given[]} files */
  add(files) {
    const fresh = files.map((file) => ({ ...file, read: 0 }));
    this.entries.push(...fresh);
    if (this.#isCurrent()) this.#start(fresh);
    else this.again();
  }

  /** Count all entries again, except cancelled ones, if other tokenizers are open than those that counted. */
  again() {
    if (this.entries.length === 0 || this.#isCurrent()) return;
    this.#stop();
    const entries = this.wanted;
    for (const entry of entries) {
      delete entry.counts;
      delete entry.error;
      entry.read = 0;
    }
    this.#start(entries);
  }

  /**
   * Tell whether the open tokenizers are those that counted last.
   * @returns {boolean}
   */
  #isCurrent() {
    const wanted = this.#wanted();
    return wanted.length === this.tokenizers.length && wanted.every(({ blob }, i) => blob === this.tokenizers[i].blob);
  }

  /** The entries that were not cancelled. */
  get wanted() {
    return this.entries.filter(({ error }) => error !== CANCELLED);
  }

  /**
   * Stop counting, and mark the entries that have neither counts nor an error with the reason.
   * @param {string} why
   */
  cancel(why = CANCELLED) {
    this.#stop();
    for (const entry of this.entries) {
      if (entry.counts || entry.error) continue;
      entry.error = why;
      this.#changed(entry);
    }
  }

  /** Stop counting, and remove all entries. */
  clear() {
    this.#stop();
    this.entries = [];
    this.#changed();
  }

  /** End the Workers, so that results that still come are ignored. */
  #stop() {
    this.#run++;
    this.#pool?.then(freeAll, () => undefined);
    this.#pool = undefined;
  }

  /**
   * Start to count entries side by side; without open tokenizers, again() starts later.
   * @param {readonly Entry[]} entries
   */
  #start(entries) {
    if (!this.#pool) this.tokenizers = this.#wanted();
    this.#changed();
    if (this.tokenizers.length === 0) return; // again() begins when they are there
    this.#pool ??= this.#load();
    for (const entry of entries) this.#count(entry, this.#pool, this.#run);
  }

  /**
   * Start Workers with each tokenizer, all of them or none. After a failure, those that were started are freed, and the next files try
   * again.
   * @returns {Promise<WorkerTokenizer[]>} by the order of `tokenizers`
   * @throws the error of the first that failed
   */
  async #load() {
    const run = this.#run;
    const loaded = await Promise.allSettled(this.tokenizers.map(({ blob }) => WorkerTokenizer.load(blob, { workers: WORKERS })));
    const pool = loaded.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const failed = loaded.find((each) => each.status === "rejected");
    if (!failed) return pool;
    freeAll(pool);
    if (run === this.#run) this.#pool = undefined;
    throw failed.reason;
  }

  /**
   * Count the tokens of an entry with each tokenizer, and note the counts or the error in it, unless counting was stopped meanwhile.
   * @param {Entry} entry changed in place
   * @param {Promise<WorkerTokenizer[]>} pool
   * @param {number} run the #run in which it was started; #stop() ends it
   */
  async #count(entry, pool, run) {
    const { file, problem } = entry;
    let [counts, error] = [/** @type {number[] | undefined} */ (undefined), problem];
    if (!problem) {
      try {
        const tokenizers = await pool;
        const read = tokenizers.map(() => 0);
        const progressOf = (/** @type {number} */ i) => (/** @type {{ bytes: number }} */ { bytes }) => {
          read[i] = bytes;
          entry.read = read.reduce((sum, each) => sum + each) / read.length;
          if (run === this.#run) this.#changed(entry);
        };
        counts = await Promise.all(tokenizers.map((each, i) => each.countStream(file, { fatal: true, onProgress: progressOf(i) })));
      } catch (cause) {
        error = await reasonOf(/** @type {any} */ (cause), file);
      }
    }
    if (run !== this.#run) return;
    Object.assign(entry, { read: file.size, ...(counts ? { counts } : { error }) });
    this.#changed(entry);
  }

  /**
   * Return the tokens of all counted entries, by tokenizer: a sum for each of `tokenizers`.
   * @returns {number[]}
   */
  sums() {
    return this.tokenizers.map((_, i) => this.entries.reduce((sum, { counts }) => sum + (counts?.[i] ?? 0), 0));
  }

  /**
   * Return the tokens of all counted entries, by row; empty without a count, undefined for a row without a tokenizer.
   * @returns {(number | undefined)[]}
   */
  totals() {
    if (!this.entries.some(({ counts }) => counts)) return [];
    /** @type {number[]} */
    const totals = [];
    this.sums().forEach((sum, i) => (totals[this.tokenizers[i].row] = sum));
    return totals;
  }

  /**
   * Return what "Copy JSON" copies: the names of the tokenizers, the files with their sizes in bytes and their counts by tokenizer, and the
   * sums.
   */
  toJSON() {
    return {
      tokenizers: this.tokenizers.map(({ name }) => name),
      files: this.entries.map(({ path, file, counts, error }) => ({ path, bytes: file.size, tokens: counts ?? null, ...(error && { error }) })),
      total: this.sums(),
    };
  }
}

/** Free the tokenizers of a pool. @param {readonly WorkerTokenizer[]} pool */
const freeAll = (pool) => pool.forEach((each) => each.free());

/**
 * Return why a file cannot be counted, in words for the user.
 * @param {{ status?: string, message: string }} cause
 * @param {Blob} file
 * @returns {Promise<string>}
 */
async function reasonOf({ status, message }, file) {
  if (status === "UTF8") return "not UTF-8 text";
  return read(file.slice(0, 1)).then(() => message, (/** @type {Error} */ gone) => gone.message);
}
