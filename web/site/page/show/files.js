// Files and folders: how far they are counted and, if there are several, a table with a line for each.

import { element } from "./element.js";
import { bytes, count } from "./format.js";

const ROWS = 500; // in the table; all files are counted
const SHOW_MS = 100; // between two looks at what has changed: to show each of many small files would take longer than to count it

/** @typedef {import("../files.js").Entry} Entry */

export class FileTable {
  #find;
  #files;
  #shown;
  /** Rows of the table. @type {Map<Entry, HTMLElement>} */
  #rows = new Map();
  /** Entries whose table rows are out of date. @type {Set<Entry>} */
  #changed = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {(id: string) => any} find
   * @param {() => import("../files.js").Files} files
   * @param {() => void} shown called after the state of the files was shown
   */
  constructor(find, files, shown) {
    this.#find = find;
    this.#files = files;
    this.#shown = shown;
  }

  /** A name for all files together, such as "notes.md, 1.0 MB". */
  get label() {
    const { entries } = this.#files();
    const name = entries.length === 1 ? entries[0].path : many(entries.length);
    return `${name}, ${bytes(entries.reduce((sum, { file }) => sum + file.size, 0))}`;
  }

  /**
   * Show that an entry has progressed, soon, or that there are other entries, at once.
   * @param {Entry} [entry]
   */
  show(entry) {
    if (!entry) return this.#showTable();
    this.#changed.add(entry);
    this.#timer ??= setTimeout(() => this.#showChanged(), SHOW_MS);
  }

  /** Fill the rows of the entries that have changed, and show how far counting is. */
  #showChanged() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const entry of this.#changed) this.#fill(entry);
    this.#changed.clear();
    this.#showState();
  }

  /** Make the table anew, with a row for each of the first entries. */
  #showTable() {
    const { entries, tokenizers } = this.#files();
    this.#find("files").hidden = entries.length === 0;
    const heads = ["File", "Size", ...tokenizers.map(({ label }) => label)].map((name) => {
      const cell = element("th", "", name);
      cell.setAttribute("scope", "col");
      return cell;
    });
    this.#find("file-heads").replaceChildren(...heads);
    this.#rows = new Map(entries.slice(0, ROWS).map((entry) => [entry, element("tr", "")]));
    for (const entry of this.#rows.keys()) this.#fill(entry);
    this.#find("file-rows").replaceChildren(...this.#rows.values());
    this.#showState();
  }

  /** Fill the table row of an entry, if it has one. @param {Entry} entry */
  #fill(entry) {
    const { path, file, counts, error } = entry;
    const columns = this.#files().tokenizers.length;
    const name = element("th", "", path);
    name.setAttribute("scope", "row");
    const rest = error
      ? [element("td", "failed", error)]
      : Array.from({ length: columns }, (_, i) => element("td", "", counts ? count(counts[i]) : "…"));
    if (error) rest[0].setAttribute("colspan", String(Math.max(1, columns)));
    this.#rows.get(entry)?.replaceChildren(name, element("td", "", bytes(file.size)), ...rest);
  }

  /** Show how far counting is, in words and as a bar. */
  #showState() {
    const { entries, wanted } = this.#files();
    const size = wanted.reduce((sum, { file }) => sum + file.size, 0);
    const read = wanted.reduce((sum, entry) => sum + entry.read, 0);
    const done = wanted.filter(({ counts, error }) => counts || error).length;
    const failed = wanted.filter(({ error }) => error).length;
    const running = done < wanted.length;
    const cancelled = entries.length - wanted.length;
    this.#find("progress").value = size === 0 ? 1 : read / size;
    this.#find("progress").hidden = !running;
    this.#find("file-list").hidden = entries.length === 1 && !entries[0].error;
    this.#find("file-state").textContent = [
      running ? `Counting: ${count(done)} of ${many(wanted.length)}` : `Counted ${many(wanted.length - failed)}`,
      ...(running ? [`${bytes(read)} of ${bytes(size)}`] : []),
      ...(cancelled ? [`${count(cancelled)} cancelled`] : []),
      ...(failed ? [`${count(failed)} cannot be counted`] : []),
      ...(entries.length > ROWS ? [`the first ${count(ROWS)} are listed`] : []),
    ].join(" · ");
    const cancel = this.#find("cancel-files");
    if (!running && document.activeElement === cancel) this.#find("clear-files").focus();
    cancel.hidden = !running;
    this.#find("files").dataset.state = running ? "counting" : "done";
    this.#shown();
  }
}

/**
 * Return a number of files in words.
 * @param {number} files
 * @returns {string}
 */
const many = (files) => `${count(files)} ${files === 1 ? "file" : "files"}`;
