// Files and folders in place of the text: their sums go to the strip, and where there are several, each has a line of a table.

import { CountPool } from "../count/pool.js";
import { element } from "./element.js";
import { bytes, count } from "./format.js";

const ROWS = 500; // in the table; all files are counted
const CANCELLED = "cancelled";
const SHOW_MS = 100; // between two looks at what has changed: to show each of many small files would take longer than to count it

/** @typedef {{ row: number, name: string, label: string, blob: Uint8Array }} Open a tokenizer */
/** @typedef {{ path: string, file: Blob, problem?: string }} Given `problem`: why it cannot be counted */
/** @typedef {Given & { read: number, counts?: number[], error?: string, row?: HTMLElement }} Entry `read`: bytes */

export class FileCounter {
  #find;
  #opened;
  #changedTotals;
  /** @type {Entry[]} */
  #entries = [];
  /** @type {CountPool | undefined} */
  #pool;
  /** Those of the pool, or of the last one. @type {readonly Open[]} */
  #tokenizers = [];
  #run = 0;
  /** Entries that are not shown as they are. @type {Set<Entry>} */
  #changed = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {(id: string) => any} find
   * @param {() => readonly Open[]} opened the tokenizers to count with; none while they are being opened
   * @param {() => void} changed called as there are other sums, or no files any more
   */
  constructor(find, opened, changed) {
    this.#find = find;
    this.#opened = opened;
    this.#changedTotals = changed;
    find("cancel-files").addEventListener("click", () => this.cancel());
    find("clear-files").addEventListener("click", () => this.clear());
  }

  /** Whether there are files, in place of the text. */
  get shown() {
    return this.#entries.length > 0;
  }

  /** What they are called together, such as "notes.md, 1.0 MB". */
  get label() {
    const name = this.#entries.length === 1 ? this.#entries[0].path : files(this.#entries.length);
    return `${name}, ${bytes(this.#entries.reduce((sum, { file }) => sum + file.size, 0))}`;
  }

  /** The first of them. */
  get first() {
    return this.#entries[0]?.file;
  }

  /** @param {Given[]} files */
  add(files) {
    if (files.length === 0) return;
    const fresh = files.map((file) => ({ ...file, read: 0 }));
    this.#entries.push(...fresh);
    if (this.#isCurrent()) this.#start(fresh);
    else this.again();
  }

  /** The tokenizers are there: if they are others than before, count all of them again, but for those that were cancelled. */
  again() {
    if (this.#entries.length === 0 || this.#isCurrent()) return;
    this.#stop();
    const wanted = this.#entries.filter(isWanted);
    for (const entry of wanted) {
      delete entry.counts;
      delete entry.error;
      entry.read = 0;
    }
    this.#start(wanted);
  }

  /** Whether the tokenizers that are open are those that have counted. */
  #isCurrent() {
    const opened = this.#opened();
    return opened.length === this.#tokenizers.length && opened.every(({ blob }, i) => blob === this.#tokenizers[i].blob);
  }

  /** Give up what is not counted. @param {string} why */
  cancel(why = CANCELLED) {
    if (this.#entries.length === 0) return;
    this.#stop();
    for (const entry of this.#entries) {
      if (entry.counts || entry.error) continue;
      entry.error = why;
      this.#changed.add(entry);
    }
    this.#showChanged();
  }

  clear() {
    this.#stop();
    this.#entries = [];
    this.#find("files").hidden = true;
    this.#changedTotals();
  }

  /** What "Copy JSON" gives. */
  toJSON() {
    return {
      tokenizers: this.#tokenizers.map(({ name }) => name),
      files: this.#entries.map(({ path, file, counts, error }) => ({ path, bytes: file.size, tokens: counts ?? null, ...(error && { error }) })),
      total: this.#sums(),
    };
  }

  #stop() {
    this.#run++;
    this.#pool?.end();
    this.#pool = undefined;
  }

  /** @param {Entry[]} entries */
  #start(entries) {
    const pool = this.#open();
    this.#showTable();
    if (pool) for (const entry of entries) this.#count(entry, pool, this.#run);
  }

  /** The pool; none while the tokenizers are not there: again() begins then. */
  #open() {
    if (this.#pool) return this.#pool;
    this.#tokenizers = this.#opened();
    if (this.#tokenizers.length === 0) return undefined;
    this.#pool = new CountPool(this.#tokenizers.map(({ blob }) => blob));
    return this.#pool;
  }

  /** @param {Entry} entry @param {CountPool} pool @param {number} run */
  async #count(entry, pool, run) {
    const progress = (/** @type {number} */ more) => {
      if (run !== this.#run) return;
      entry.read += more;
      this.#showSoon();
    };
    try {
      if (entry.problem) throw new Error(entry.problem);
      entry.counts = await pool.count(entry.file, progress);
    } catch (error) {
      if (run !== this.#run) return;
      entry.error = /** @type {Error} */ (error).message;
    }
    if (run !== this.#run) return;
    entry.read = entry.file.size;
    this.#changed.add(entry);
    this.#showSoon();
  }

  #showSoon() {
    this.#timer ??= setTimeout(() => this.#showChanged(), SHOW_MS);
  }

  #showChanged() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const entry of this.#changed) if (entry.row) fill(entry.row, entry, this.#tokenizers.length);
    this.#changed.clear();
    this.#showState();
  }

  #showTable() {
    this.#find("files").hidden = false;
    const heads = ["File", "Size", ...this.#tokenizers.map(({ label }) => label)].map((name) => {
      const cell = element("th", "", name);
      cell.setAttribute("scope", "col");
      return cell;
    });
    this.#find("file-heads").replaceChildren(...heads);
    const shown = this.#entries.slice(0, ROWS);
    for (const entry of shown) entry.row = fill(entry.row ?? element("tr", ""), entry, this.#tokenizers.length);
    this.#find("file-rows").replaceChildren(...shown.map(({ row }) => /** @type {HTMLElement} */ (row)));
    this.#showState();
  }

  /** Sums by tokenizer. */
  #sums() {
    const counted = this.#entries.flatMap(({ counts }) => (counts ? [counts] : []));
    return this.#tokenizers.map((_, i) => counted.reduce((sum, counts) => sum + counts[i], 0));
  }

  /** The tokens of all that is counted, by row; nothing where nothing is. @returns {(number | undefined)[]} */
  totals() {
    if (!this.#entries.some(({ counts }) => counts)) return [];
    /** @type {number[]} */
    const totals = [];
    this.#sums().forEach((sum, i) => (totals[this.#tokenizers[i].row] = sum));
    return totals;
  }

  #showState() {
    const all = this.#entries.length;
    const wanted = this.#entries.filter(isWanted);
    const size = wanted.reduce((sum, { file }) => sum + file.size, 0);
    const read = wanted.reduce((sum, entry) => sum + entry.read, 0);
    const done = wanted.filter(({ counts, error }) => counts || error).length;
    const failed = wanted.filter(({ error }) => error).length;
    const running = done < wanted.length;
    const single = all === 1 && !this.#entries[0].error;
    this.#find("progress").value = size === 0 ? 1 : read / size;
    this.#find("progress").hidden = !running;
    this.#find("file-list").hidden = single;
    this.#find("file-state").textContent = [
      running ? `Counting: ${count(done)} of ${files(wanted.length)}` : `Counted ${files(wanted.length - failed)}`,
      ...(running ? [`${bytes(read)} of ${bytes(size)}`] : []),
      ...(wanted.length < all ? [`${count(all - wanted.length)} cancelled`] : []),
      ...(failed ? [`${count(failed)} cannot be counted`] : []),
      ...(all > ROWS ? [`the first ${count(ROWS)} are listed`] : []),
    ].join(" · ");
    const cancel = this.#find("cancel-files");
    if (!running && document.activeElement === cancel) this.#find("clear-files").focus();
    cancel.hidden = !running;
    this.#find("files").dataset.state = running ? "counting" : "done";
    this.#changedTotals();
  }
}

const isWanted = (/** @type {Entry} */ { error }) => error !== CANCELLED;

const files = (/** @type {number} */ many) => `${count(many)} ${many === 1 ? "file" : "files"}`;

/** @param {HTMLElement} row @param {Entry} entry @param {number} columns of counts */
function fill(row, { path, file, counts, error }, columns) {
  const name = element("th", "", path);
  name.setAttribute("scope", "row");
  const rest = error
    ? [element("td", "failed", error)]
    : Array.from({ length: columns }, (_, i) => element("td", "", counts ? count(counts[i]) : "…"));
  if (error) rest[0].setAttribute("colspan", String(Math.max(1, columns)));
  row.replaceChildren(name, element("td", "", bytes(file.size)), ...rest);
  return row;
}
