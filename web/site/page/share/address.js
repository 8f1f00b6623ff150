// The address and the history of the browser: what a link carries to the page, and what was here when an entry was left.

import { recalled, remember } from "./last-visit.js";
import { fromFragment, isLink, toFragment } from "./permalink.js";

/** @typedef {import("./permalink.js").Shared} Shared */

export class Address {
  /** The entry of the browser's history that is shown. */
  #entry = entryHere();
  #settings;
  #put;
  #complain;

  /**
   * @param {() => Shared} settings what is here now
   * @param {(shared: Shared, name: string) => Promise<void>} put take over what a link carries, or what was left; with a name for its text
   * @param {(message: string) => void} complain
   */
  constructor(settings, put, complain) {
    this.#settings = settings;
    this.#put = put;
    this.#complain = complain;
    addEventListener("pagehide", () => remember(this.#entry, settings()));
    addEventListener("popstate", () => this.#followed());
  }

  /** What the address carries, else what was left here, else `first`. @param {Shared} first */
  async open(first) {
    if (!(await this.#readLink())) await this.#put(recalled(this.#entry) ?? first, "Your text");
  }

  /** The link no longer says what is here. */
  forget() {
    if (isLink(location.hash)) history.replaceState(this.#entry, "", location.pathname + location.search);
  }

  /** The address that carries text and settings; it becomes the page's own. @param {Shared} shared */
  async link(shared) {
    const fragment = await toFragment(shared);
    history.replaceState(this.#entry, "", fragment);
    return location.href;
  }

  /** Take over what the address carries, if it is still the address then. @returns {Promise<boolean>} whether it carries anything */
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

  /** A link was followed on the page, or the way back from it, to what was left there. */
  async #followed() {
    this.#complain("");
    remember(this.#entry, this.#settings());
    this.#entry = entryHere();
    if (isLink(location.hash)) return this.#readLink();
    const left = recalled(this.#entry);
    if (left) await this.#put(left, "Your text");
  }
}

/** The mark of the history's entry, which stays when the page is loaded again. @returns {number} */
function entryHere() {
  const mark = history.state ?? Date.now();
  history.replaceState(mark, "");
  return mark;
}
