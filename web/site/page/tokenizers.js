// The tokenizer of each row: chosen, loading or open. Each runs in a Worker of the package.

import { WorkerTokenizer } from "../package/worker.js";
import { FIRST, ORDER, choiceOf, fetchModel, forget, isKnown, own, recognize } from "./data/models.js";
import { PARALLEL } from "./data/parallel.js";

/** @typedef {{ name: string, blob: Uint8Array<ArrayBuffer>, tokenizer: WorkerTokenizer, premium: number[] }} Open `premium`: tokens of each parallel text */

export class Tokenizers {
  #on;
  /** Encodings or models, by row. @type {string[]} */
  picks = [...FIRST];
  /** @type {(Open | undefined)[]} by row */
  opened = FIRST.map(() => undefined);
  /** Why the row did not get what was chosen last. */
  problems = FIRST.map(() => "");
  /** The tokenizers that are open or loading, by name: a row may choose one again. @type {Map<string, Promise<Open>>} */
  #known = new Map();
  #choosing = 0;

  /**
   * @param {object} on what to call
   * @param {() => void} on.changed other tokenizers are chosen, or open
   * @param {(progress: { name: string, loaded: number, total: number }) => void} on.progress in bytes
   */
  constructor(on) {
    this.#on = on;
  }

  /** Whether nothing is loading. */
  get settled() {
    return this.#choosing === 0;
  }

  /** The names of the rows: that of the open tokenizer, or of the chosen one if none is open. */
  get labels() {
    return this.picks.map((pick, row) => {
      const { label, encoding } = choiceOf(pick);
      const open = this.opened[row]?.name;
      return open === undefined || open === encoding ? label : choiceOf(open).label;
    });
  }

  /** What the tokens of each row cost, and with which model; undefined where no price is known: ours, and what was opened here. */
  get prices() {
    return this.picks.map((pick, row) => {
      const open = this.opened[row]?.name;
      const chosen = choiceOf(pick);
      const { price, priced = "" } = open === undefined || open === chosen.encoding ? chosen : choiceOf(open);
      return price === undefined ? undefined : { price, priced };
    });
  }

  /**
   * Choose tokenizers for all rows, in the order in which they should be fetched.
   * @param {readonly (string | null | undefined)[]} picks a row without a known one gets its default
   */
  async chooseAll(picks = []) {
    await Promise.all(
      ORDER.map((row) => {
        const pick = picks[row];
        return this.choose(row, pick && (isKnown(pick) || own().includes(pick)) ? pick : FIRST[row]);
      }),
    );
  }

  /**
   * Put a tokenizer in a row. If it cannot be opened, the open one stays, and `problems` says why; if another is chosen meanwhile, that one
   * counts.
   * @param {number} row
   * @param {string} pick an encoding, a model, or a tokenizer opened here
   */
  async choose(row, pick) {
    const { encoding } = choiceOf(pick);
    this.picks[row] = pick;
    this.problems[row] = "";
    this.#choosing++;
    this.#on.changed();
    try {
      const open = await this.#open(encoding);
      if (this.picks[row] === pick) this.opened[row] = open; // else another was chosen meanwhile
    } catch (error) {
      if (this.picks[row] === pick) {
        this.picks[row] = this.opened[row]?.name ?? pick;
        this.problems[row] = `${encoding} cannot be opened: ${/** @type {Error} */ (error).message}`;
      }
    }
    this.#choosing--;
    this.#on.changed();
  }

  /**
   * Return a tokenizer by its name, loaded once for all rows that choose it. One that failed is forgotten, and loaded again at the next
   * call.
   * @param {string} name
   * @returns {Promise<Open>}
   */
  #open(name) {
    const there = this.#known.get(name);
    if (there) return there;
    const open = this.#load(name);
    this.#known.set(name, open);
    open.catch(() => {
      this.#known.delete(name);
      forget(name);
    });
    return open;
  }

  /**
   * Fetch a tokenizer, load it in a Worker, and count the parallel sentences with it.
   * @param {string} name
   * @returns {Promise<Open>}
   */
  async #load(name) {
    const blob = await fetchModel(name, this.#on.progress);
    const tokenizer = await WorkerTokenizer.load(blob);
    const premium = await Promise.all(PARALLEL.map(({ text }) => tokenizer.countTokens(text)));
    await recognize(name, tokenizer.info.nVocab, premium);
    return { name, blob, tokenizer, premium };
  }
}
