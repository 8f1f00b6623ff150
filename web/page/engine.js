// The page's end of the Worker. The latest request wins: while a text is being counted only the newest one waits behind it.

/**
 * @typedef {object} Result
 * @property {number[]} counts tokens, per tokenizer
 * @property {import("./describe.js").Token[][]} [tokens] the first of them, per tokenizer
 * @property {number} [bytes] of a file, counted so far
 * @property {boolean} done
 */

export class Engine {
  #worker;
  #job = 0;
  #busy = false;
  /** @type {string | undefined} */
  #waiting;
  #on;

  /**
   * @param {object} on what to call
   * @param {() => void} on.ready
   * @param {(result: Result) => void} on.result
   * @param {(message: string) => void} on.failed one text or file could not be counted
   * @param {(message: string) => void} on.broken nothing can be counted at all
   */
  constructor(on) {
    this.#on = on;
    this.#worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.#worker.addEventListener("message", ({ data }) => this.#receive(data));
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      on.broken(`The tokenizer's Worker failed: ${event.message || "its script cannot be loaded"}.`);
    });
  }

  /** Count a text and show its tokens. @param {string} text */
  text(text) {
    if (this.#busy) {
      this.#waiting = text;
      return;
    }
    this.#busy = true;
    this.#worker.postMessage({ job: ++this.#job, text });
  }

  /** Count a file, in parts, with progress. @param {Blob} file */
  file(file) {
    this.#waiting = undefined;
    this.#busy = false;
    this.#worker.postMessage({ job: ++this.#job, file });
  }

  /** @param {any} data */
  #receive(data) {
    if (data.kind === "ready") return this.#on.ready();
    if (data.kind === "broken") return this.#on.broken(data.message);
    if (data.job !== this.#job) return;
    if (data.kind === "progress") return this.#on.result({ ...data, done: false });
    this.#busy = false;
    if (this.#waiting !== undefined) {
      const text = this.#waiting;
      this.#waiting = undefined;
      this.text(text);
    }
    if (data.kind === "failed") this.#on.failed(data.message);
    else this.#on.result({ ...data, done: true });
  }
}
