// What was here when the page was left, for when it is loaded again: in the tab's own storage, which ends with the tab.

const KEY = "left";

/** @typedef {import("./permalink.js").Shared} Shared */

/** @param {Shared} settings */
export function remember(settings) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // The browser allows none, or not so much.
  }
}

/** @returns {Shared | undefined} nothing where the page is opened by its address */
export function recalled() {
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  if (visit?.type === "navigate") return undefined;
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
