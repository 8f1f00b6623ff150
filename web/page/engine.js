// The page's end of the Worker. The latest text wins: while one is being counted only the newest waits behind it.

/**
 * @typedef {object} Result
 * @property {(number | undefined)[]} counts tokens, per side; none where no tokenizer is open
 * @property {number} characters code points of the text
 * @property {number} units UTF-16 units of the text
 * @property {number} start of the stretch that is shown, in UTF-16 units
 * @property {number} end of the stretch that is shown
 * @property {string} part that stretch
 * @property {(import("./describe.js").Token[] | undefined)[]} tokens of the stretch, per side
 */

/** @typedef {{ sgpe: boolean, premium: number[] }} Opened what the Worker says of a tokenizer */

export class Engine {
  #worker;
  #job = 0;
  /** @type {Map<number, { resolve: (value: any) => void, reject: (reason: Error) => void }>} */
  #asked = new Map();
  /** Why nothing is answered any more. @type {Error | undefined} */
  #ended;
  #busy = false;
  /** @type {{ text: string, at: number } | undefined} */
  #waiting;
  #on;

  /**
   * @param {object} on what to call
   * @param {(result: Result, newest: boolean) => void} on.result
   * @param {(message: string) => void} on.failed a text could not be counted
   * @param {(message: string) => void} on.broken nothing can be counted at all
   */
  constructor(on) {
    this.#on = on;
    this.#worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.#worker.addEventListener("message", ({ data: { job, result, error } }) => {
      const asked = this.#asked.get(job);
      this.#asked.delete(job);
      if (error !== undefined) asked?.reject(new Error(error));
      else asked?.resolve(result);
    });
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#ended = new Error(`The tokenizer's Worker failed: ${event.message || "its script cannot be loaded"}.`);
      on.broken(this.#ended.message);
      for (const { reject } of this.#asked.values()) reject(this.#ended);
      this.#asked.clear();
    });
  }

  /** @param {any} task @returns {Promise<any>} */
  #ask(task) {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      this.#asked.set(++this.#job, { resolve, reject });
      this.#worker.postMessage({ job: this.#job, ...task });
    });
  }

  /**
   * Open a tokenizer on one side.
   * @param {number} side 0 or 1
   * @param {Uint8Array} blob a .wwho file
   * @returns {Promise<Opened>}
   */
  model(side, blob) {
    return this.#ask({ kind: "model", side, blob });
  }

  /** The ids of a whole text, per side. @param {string} text @returns {Promise<(number[] | undefined)[]>} */
  ids(text) {
    return this.#ask({ kind: "ids", text });
  }

  /**
   * Count a text and show the tokens around a place.
   * @param {string} text
   * @param {number} at in UTF-16 units
   */
  async text(text, at) {
    this.#waiting = { text, at };
    if (this.#busy) return;
    this.#busy = true;
    while (this.#waiting) {
      const task = this.#waiting;
      this.#waiting = undefined;
      try {
        const result = await this.#ask({ kind: "text", ...task });
        // A result that is old already is shown all the same: whoever types without a pause should see something.
        this.#on.result(result, this.#waiting === undefined);
      } catch (error) {
        this.#on.failed(/** @type {Error} */ (error).message);
      }
    }
    this.#busy = false;
  }
}
