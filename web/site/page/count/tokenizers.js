// Which tokenizer each row has: chosen, on its way, open.

import { FIRST, ORDER, choiceOf, fetchModel, forget, isKnown, own } from "../data/models.js";

/** @typedef {{ name: string, blob: Uint8Array, premium: number[] }} Open a tokenizer */

export class Tokenizers {
  #engine;
  #on;
  /** Encodings or models, by row. @type {string[]} */
  picks = [...FIRST];
  /** What the engine has. @type {(Open | undefined)[]} */
  opened = FIRST.map(() => undefined);
  /** What each row was told to open last. @type {Promise<void>[]} */
  #opening = FIRST.map(() => Promise.resolve());
  #choosing = 0;

  /**
   * @param {import("./engine.js").Engine} engine
   * @param {object} on what to call
   * @param {() => void} on.changed other tokenizers are chosen, or open
   * @param {(message: string) => void} on.failed
   * @param {(progress: { name: string, loaded: number, total: number }) => void} on.progress
   */
  constructor(engine, on) {
    this.#engine = engine;
    this.#on = on;
  }

  /** Whether nothing is on its way. */
  get settled() {
    return this.#choosing === 0;
  }

  /** What the rows are called: by what is open, or should be where nothing is. */
  get labels() {
    return this.picks.map((pick, row) => {
      const { label, encoding } = choiceOf(pick);
      const open = this.opened[row]?.name;
      return open === undefined || open === encoding ? label : choiceOf(open).label;
    });
  }

  /** Those that files are counted with; none while others are on their way. */
  forFiles() {
    const { labels } = this;
    return this.settled ? this.opened.flatMap((open, row) => (open ? [{ ...open, row, label: labels[row] }] : [])) : [];
  }

  /** Choose for all rows. @param {readonly (string | null | undefined)[]} picks a row that has none, or one unknown, gets its first */
  async chooseAll(picks = []) {
    await Promise.all(
      ORDER.map((row) => {
        const pick = picks[row];
        return this.choose(row, pick && (isKnown(pick) || own().includes(pick)) ? pick : FIRST[row]);
      }),
    );
  }

  /** Put a tokenizer in a row. @param {number} row @param {string} pick @returns {Promise<string>} what went wrong, or "" */
  async choose(row, pick) {
    this.picks[row] = pick;
    const { encoding } = choiceOf(pick);
    this.#choosing++;
    this.#on.changed();
    try {
      const blob = await fetchModel(encoding, this.#on.progress);
      if (this.picks[row] !== pick) return ""; // another was chosen meanwhile
      if (this.opened[row]?.blob !== blob) this.#opening[row] = this.#open(row, encoding, blob);
      await this.#opening[row];
      return "";
    } catch (error) {
      await this.#opening[row].catch(() => undefined); // of one that was chosen before, and stays
      return this.picks[row] === pick ? this.#refused(row, encoding, /** @type {Error} */ (error)) : "";
    } finally {
      this.#choosing--;
      this.#on.changed();
    }
  }

  /** @param {number} row @param {string} name @param {Uint8Array} blob */
  async #open(row, name, blob) {
    this.opened[row] = { name, blob, ...(await this.#engine.model(row, blob)) };
  }

  /** A tokenizer that cannot be opened: the one that is open stays. @param {number} row @param {string} name @param {Error} error */
  #refused(row, name, error) {
    forget(name); // fetched again if it is tried again
    this.picks[row] = this.opened[row]?.name ?? this.picks[row];
    const message = `${name} cannot be opened: ${error.message}`;
    this.#on.failed(message);
    return message;
  }
}
