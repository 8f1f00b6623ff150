// The state when the user left a history entry. It is restored when the entry is shown again, even after a reload, and lies in the
// tab's own storage, which ends with the tab.

import { checked } from "./permalink.js";

const KEY = "left";

/** @typedef {import("./permalink.js").Shared} Shared */

/** @type {Map<number, Shared>} */
const left = new Map();

/** @param {number} entry of the browser's history @param {Shared} settings */
export function remember(entry, settings) {
  left.set(entry, settings);
  try {
    sessionStorage.setItem(KEY + entry, JSON.stringify(settings));
  } catch {
    // The browser allows none, or not so much.
  }
}

/** @param {number} entry @returns {Shared | undefined} nothing where the page is opened by its address */
export function recalled(entry) {
  if (left.has(entry)) return left.get(entry);
  try {
    return checked(JSON.parse(sessionStorage.getItem(KEY + entry) ?? "null"));
  } catch {
    return undefined; // there is nothing, or something of another page
  }
}
