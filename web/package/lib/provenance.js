// Where a model came from: the JSON of its section, which the core does not read (FORMAT.md, PROVENANCE).

import { WwhoError, hex } from "./errors.js";
import { utf8 } from "./text.js";

/**
 * @param {Uint8Array} bytes the section
 * @returns {Record<string, string>}
 * @throws {WwhoError} PROVENANCE
 */
export function readProvenance(bytes) {
  const text = utf8(bytes);
  const found = parsed(text);
  if (!isTexts(found) || !sameBytes(bytes, compact(found))) {
    const start = JSON.stringify(text.slice(0, 40));
    throw new WwhoError(
      "PROVENANCE",
      `not a valid .wwho file (PROVENANCE): its provenance begins with ${start}, expected a compact JSON object ` +
        "of strings with sorted keys; write it again",
    );
  }
  return found;
}

/** @param {string} text @returns {unknown} undefined if it is not JSON */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {any} value @returns {value is Record<string, string>} */
function isTexts(value) {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject && Object.values(value).every((text) => typeof text === "string");
}

/** The canonical form of an object of strings, with keys in the order of their UTF-8. @param {Record<string, string>} texts */
function compact(texts) {
  const order = (/** @type {string} */ key) => hex(new TextEncoder().encode(key));
  const keys = Object.keys(texts).sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(texts[key])}`).join(",")}}`;
}

/** @param {Uint8Array} given @param {string} text */
function sameBytes(given, text) {
  const bytes = new TextEncoder().encode(text);
  return bytes.length === given.length && bytes.every((byte, i) => byte === given[i]);
}
