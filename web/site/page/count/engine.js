// The page's end of the Worker. The latest text wins: while one is being counted only the newest waits.

/**
 * @typedef {object} Result
 * @property {(number | undefined)[]} counts tokens, by row; none where no tokenizer is open
 * @property {number} characters code points of the text
 * @property {number} units UTF-16 units of the text
 * @property {number} start of the stretch that is shown, in UTF-16 units
 * @property {import("./tokens.js").Block[]} blocks what is shown: a stretch of a text, or the messages of a chat
 */

/** @typedef {{ text: string, at: number } | { messages: import("./chat.js").Message[] }} Input `at`: the place that is looked at, in UTF-16 units */

export class Engine {
  #worker;
  #job = 0;
  /** @type {Map<number, { resolve: (value: any) => void, reject: (reason: Error) => void }>} */
  #asked = new Map();
  /** Why nothing is answered any more. @type {Error | undefined} */
  #ended;
  #busy = false;
  /** @type {Input | undefined} */
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
   * Open a tokenizer.
   * @param {number} row
   * @param {Uint8Array} blob a .wwho file
   * @returns {Promise<{ premium: number[] }>} the tokens of each parallel text
   */
  model(row, blob) {
    return this.#ask({ kind: "model", row, blob });
  }

  /** The ids of whole texts, by row. @param {string[]} texts @returns {Promise<(number[][] | undefined)[]>} */
  ids(texts) {
    return this.#ask({ kind: "ids", texts });
  }

  /** Count a text or a chat, and describe its tokens. @param {Input} input */
  async show(input) {
    this.#waiting = input;
    if (this.#busy) return;
    this.#busy = true;
    while (this.#waiting) {
      const task = this.#waiting;
      this.#waiting = undefined;
      try {
        const result = await this.#ask({ kind: "text" in task ? "text" : "chat", ...task });
        // A result that is old already is shown all the same: whoever types without a pause should see something.
        this.#on.result(result, this.#waiting === undefined);
      } catch (error) {
        this.#on.failed(/** @type {Error} */ (error).message);
      }
    }
    this.#busy = false;
  }
}
