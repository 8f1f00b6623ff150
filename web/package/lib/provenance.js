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
  const found = parsed(bytes);
  if (!isTexts(found) || compact(found) !== text) {
    const start = JSON.stringify(text.slice(0, 40));
    throw new WwhoError(
      "PROVENANCE",
      `not a valid .wwho file (PROVENANCE): its provenance begins with ${start}, expected a compact JSON object ` +
        "of strings with sorted keys; write it again",
    );
  }
  return found;
}

/** @param {Uint8Array} bytes @returns {unknown} undefined if they are not UTF-8, or not JSON */
function parsed(bytes) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
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
  const pairs = Object.entries(texts).map(([key, text]) => ({
    order: hex(new TextEncoder().encode(key)),
    json: `${JSON.stringify(key)}:${JSON.stringify(text)}`,
  }));
  pairs.sort((a, b) => (a.order < b.order ? -1 : 1));
  return `{${pairs.map(({ json }) => json).join(",")}}`;
}
