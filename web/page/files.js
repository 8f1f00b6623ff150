// Files and folders: a table of their counts, filled in as the pool comes to them.

import { CountPool } from "./count-pool.js";
import { Cuts } from "./cuts.js";
import { bytes, count } from "./format.js";
import { element } from "./tokens.js";

const ROWS = 500; // in the table; all files are counted
const CANCELLED = "cancelled";

/** @typedef {{ path: string, file: Blob, read: number, counts?: number[], error?: string, row?: HTMLElement }} Entry `read`: bytes */

export class FileCounter {
  #find;
  #opened;
  /** @type {Entry[]} */
  #entries = [];
  /** @type {CountPool | undefined} */
  #pool;
  #run = 0;

  /**
   * @param {(id: string) => any} find
   * @param {() => { names: string[], blobs: Promise<Uint8Array[]> }} opened the tokenizers to count with
   */
  constructor(find, opened) {
    this.#find = find;
    this.#opened = opened;
    find("cancel-files").addEventListener("click", () => this.cancel());
    find("clear-files").addEventListener("click", () => this.clear());
  }

  /** @param {{ path: string, file: Blob }[]} files */
  add(files) {
    if (files.length === 0) return;
    const fresh = files.map(({ path, file }) => ({ path, file, read: 0 }));
    this.#entries.push(...fresh);
    this.#start(fresh);
  }

  /** Count all of them again, with other tokenizers. */
  again() {
    if (this.#entries.length === 0) return;
    this.#stop();
    for (const entry of this.#entries) {
      delete entry.counts;
      delete entry.error;
      entry.read = 0;
    }
    this.#start(this.#entries);
  }

  cancel() {
    this.#stop();
    for (const entry of this.#entries) {
      if (entry.counts || entry.error) continue;
      entry.error = CANCELLED;
      if (entry.row) fill(entry.row, entry);
    }
    this.#showState();
  }

  clear() {
    this.#stop();
    this.#entries = [];
    this.#find("files").hidden = true;
    for (const id of ["cancel-files", "copy-files", "clear-files"]) this.#find(id).hidden = true;
    this.#find("open").focus();
  }

  /** What "Copy JSON" gives. */
  toJSON() {
    const { names } = this.#opened();
    return {
      tokenizers: names,
      files: this.#entries.map(({ path, file, counts, error }) => ({ path, bytes: file.size, tokens: counts ?? null, ...(error && { error }) })),
      total: this.#totals(),
    };
  }

  #stop() {
    this.#run++;
    this.#pool?.end();
    this.#pool = undefined;
  }

  /** @param {Entry[]} entries */
  async #start(entries) {
    const run = this.#run;
    const { names, blobs } = this.#opened();
    names.forEach((name, i) => (this.#find(`files-${"ab"[i]}`).textContent = name));
    this.#showTable();
    const opened = await blobs.catch(() => []); // the page says why
    if (run !== this.#run) return;
    if (opened.length === 0) return this.cancel();
    this.#pool ??= new CountPool(opened, opened.map((blob) => new Cuts(blob)));
    const pool = this.#pool;
    await Promise.all(entries.map((entry) => this.#count(entry, pool, run)));
  }

  /** @param {Entry} entry @param {CountPool} pool @param {number} run */
  async #count(entry, pool, run) {
    const progress = (/** @type {number} */ more) => {
      if (run !== this.#run) return;
      entry.read += more;
      this.#showState();
    };
    try {
      entry.counts = await pool.count(entry.file, progress);
    } catch (error) {
      if (run !== this.#run) return;
      entry.error = /** @type {Error} */ (error).message;
    }
    if (run !== this.#run) return;
    entry.read = entry.file.size;
    if (entry.row) fill(entry.row, entry);
    this.#showState();
  }

  #showTable() {
    this.#find("files").hidden = false;
    const shown = this.#entries.slice(0, ROWS);
    for (const entry of shown) entry.row = fill(entry.row ?? element("tr", ""), entry);
    this.#find("file-rows").replaceChildren(...shown.map(({ row }) => /** @type {HTMLElement} */ (row)));
    this.#showState();
  }

  #totals() {
    const counted = this.#entries.flatMap(({ counts }) => (counts ? [counts] : []));
    return [0, 1].map((side) => counted.reduce((sum, counts) => sum + (counts[side] ?? 0), 0));
  }

  #showState() {
    const all = this.#entries.length;
    const wanted = this.#entries.filter(({ error }) => error !== CANCELLED);
    const size = wanted.reduce((sum, { file }) => sum + file.size, 0);
    const read = wanted.reduce((sum, entry) => sum + entry.read, 0);
    const done = wanted.filter(({ counts, error }) => counts || error).length;
    const failed = wanted.filter(({ error }) => error).length;
    const running = done < wanted.length;
    this.#find("progress").value = size === 0 ? 1 : read / size;
    this.#find("file-state").textContent = [
      running ? `Counting: ${count(done)} of ${files(wanted.length)}` : `Counted ${files(wanted.length)}`,
      `${bytes(read)} of ${bytes(size)}`,
      ...(wanted.length < all ? [`${count(all - wanted.length)} cancelled`] : []),
      ...(failed ? [`${count(failed)} cannot be counted`] : []),
      ...(all > ROWS ? [`the first ${count(ROWS)} are listed`] : []),
    ].join(" · ");
    this.#find("all-size").textContent = bytes(size);
    this.#totals().forEach((tokens, i) => {
      const cell = this.#find(`all-${"ab"[i]}`);
      cell.textContent = count(tokens);
      cell.dataset.count = String(tokens);
    });
    this.#find("cancel-files").hidden = !running;
    for (const id of ["copy-files", "clear-files"]) this.#find(id).hidden = running;
    this.#find("files").dataset.state = running ? "counting" : "done";
  }
}

const files = (/** @type {number} */ many) => `${count(many)} ${many === 1 ? "file" : "files"}`;

/** @param {HTMLElement} row @param {Entry} entry */
function fill(row, { path, file, counts, error }) {
  const name = element("th", "", path);
  name.setAttribute("scope", "row");
  const rest = error
    ? [element("td", "failed", error)]
    : [0, 1].map((side) => element("td", "", counts ? count(counts[side]) : "…"));
  if (error) rest[0].setAttribute("colspan", "2");
  row.replaceChildren(name, element("td", "", bytes(file.size)), ...rest);
  return row;
}
