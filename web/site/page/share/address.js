// The address and the history of the browser: the state in a link, and the state when the user left a history entry.

import { checked, fromFragment, isLink, toFragment } from "./permalink.js";

/** @typedef {import("./permalink.js").Shared} Shared */

export class Address {
  /** The current entry of the browser's history. */
  #entry = entryHere();
  #settings;
  #put;
  #complain;

  /**
   * @param {() => Shared} settings returns the current state
   * @param {(shared: Shared, name: string) => Promise<void>} put applies the state of a link or of a history entry; with a name for its text
   * @param {(message: string) => void} complain
   */
  constructor(settings, put, complain) {
    this.#settings = settings;
    this.#put = put;
    this.#complain = complain;
    addEventListener("pagehide", () => remember(this.#entry, settings()));
    addEventListener("popstate", () => this.#followed());
  }

  /**
   * Apply the state in the address; if it has none, or a damaged one, the state that was left here, otherwise `first`.
   * @param {Shared} first
   */
  async open(first) {
    if (!(await this.#readLink())) await this.#put(recalled(this.#entry) ?? first, "Your text");
  }

  /** Take the link out of the address, because it no longer matches the page. */
  forget() {
    if (isLink(location.hash)) history.replaceState(this.#entry, "", location.pathname + location.search);
  }

  /**
   * Put a state into the address of the page, and return the address.
   * @param {Shared} shared
   * @returns {Promise<string>}
   */
  async link(shared) {
    const fragment = await toFragment(shared);
    history.replaceState(this.#entry, "", fragment);
    return location.href;
  }

  /** Apply the state in the address, unless the address changes meanwhile. @returns {Promise<boolean>} whether it contains a state */
  async #readLink() {
    const { hash } = location;
    try {
      const shared = await fromFragment(hash);
      if (!shared || location.hash !== hash) return false;
      await this.#put(shared, "The text of this link");
      return true;
    } catch (error) {
      if (location.hash === hash) this.#complain(/** @type {Error} */ (error).message);
      return false;
    }
  }

  /** Apply the state of a link that the user followed on the page, or of an entry of the history that the user went back to. */
  async #followed() {
    this.#complain("");
    remember(this.#entry, this.#settings());
    this.#entry = entryHere();
    if (isLink(location.hash)) return this.#readLink();
    const left = recalled(this.#entry);
    if (left) await this.#put(left, "Your text");
  }
}

/**
 * Return the mark of the current entry of the history, which survives a reload; a new entry gets the time in milliseconds as its mark.
 * @returns {number}
 */
function entryHere() {
  const mark = history.state ?? Date.now();
  history.replaceState(mark, "");
  return mark;
}

// The state when the user left a history entry. It is restored when the entry is shown again, even after a reload, and lies in the
// tab's own storage, which ends with the tab.

const KEY = "left";

/** @type {Map<number, Shared>} */
const left = new Map();

/**
 * Keep the state of an entry of the history, in memory and, if the browser allows it, for a reload.
 * @param {number} entry of the browser's history
 * @param {Shared} settings
 */
function remember(entry, settings) {
  left.set(entry, settings);
  try {
    sessionStorage.setItem(KEY + entry, JSON.stringify(settings));
  } catch {
    // The browser allows none, or not so much.
  }
}

/**
 * Return the state in which the user left an entry of the history.
 * @param {number} entry its mark
 * @returns {Shared | undefined} undefined if there is none, as where the page is opened by its address
 */
function recalled(entry) {
  if (left.has(entry)) return left.get(entry);
  try {
    return checked(JSON.parse(sessionStorage.getItem(KEY + entry) ?? "null"));
  } catch {
    return undefined; // there is nothing, or something of another page
  }
}
