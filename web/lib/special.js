// Special tokens: which of them a call allows, and which it refuses to see.

import { WwhoError, named } from "./errors.js";

/** @typedef {Iterable<string> | "all"} Names */

/**
 * @param {Names | undefined} names
 * @param {string} option
 * @returns {"all" | Set<string>}
 */
function nameSet(names, option) {
  if (names === undefined) {
    return new Set();
  }
  if (names === "all") {
    return "all";
  }
  if (typeof names === "string" || typeof names?.[Symbol.iterator] !== "function") {
    throw new WwhoError("ARGUMENT", `${option} is ${named(names)}; expected a Set of special tokens or "all"`);
  }
  return new Set(names);
}

/**
 * One byte for each special token, 1 where it is allowed; null where none is.
 * @param {readonly string[]} specials in ascending order of id
 * @param {Names | undefined} allowed
 * @returns {Uint8Array | null}
 */
export function allowedMask(specials, allowed) {
  if (allowed === undefined) {
    return null;
  }
  const names = nameSet(allowed, "allowedSpecial");
  const mask = Uint8Array.from(specials, (token) => (names === "all" || names.has(token) ? 1 : 0));
  return mask.includes(1) ? mask : null;
}

/**
 * @param {string | Uint8Array} text
 * @param {readonly string[]} specials
 * @param {Names | undefined} allowed
 * @param {Names | undefined} disallowed
 * @throws {WwhoError} SPECIAL_TOKEN
 */
export function refuseDisallowed(text, specials, allowed, disallowed) {
  if (disallowed === undefined) {
    return;
  }
  const refused = nameSet(disallowed, "disallowedSpecial");
  const permitted = nameSet(allowed, "allowedSpecial");
  if (refused !== "all" && refused.size === 0) {
    return;
  }
  const names =
    refused === "all" ? specials.filter((token) => permitted !== "all" && !permitted.has(token)) : [...refused];
  const haystack = typeof text === "string" ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
  const found = names.find((token) => haystack.includes(token));
  if (found !== undefined) {
    const quoted = JSON.stringify(found);
    throw new WwhoError(
      "SPECIAL_TOKEN",
      `the text holds the special token ${quoted}, which this call does not allow; to encode it as that token, ` +
        `pass allowedSpecial: new Set([${quoted}]); to encode it as ordinary text, leave it out of disallowedSpecial`,
    );
  }
}
