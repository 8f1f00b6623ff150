// The two sections of an artifact that the core does not hand out: which routes are SGPE's, and where it all came from.
// Read only after the core has checked the file (FORMAT.md sections 1, 5 and 9).

import { WwhoError, hex } from "./errors.js";

const HEADER_BYTES = 24;
const ENTRY_BYTES = 12;
const ROUTES = 4;
const PROVENANCE = 9;

/**
 * @param {Uint8Array} blob
 * @param {number} kind
 * @returns {DataView | undefined}
 */
function section(blob, kind) {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  for (let i = 0; i < view.getUint16(10, true); i++) {
    const at = HEADER_BYTES + i * ENTRY_BYTES;
    if (view.getUint32(at, true) === kind) {
      return new DataView(blob.buffer, blob.byteOffset + view.getUint32(at + 4, true), view.getUint32(at + 8, true));
    }
  }
  return undefined;
}

/** @param {DataView} view @param {number} at @param {number} length */
function utf8(view, at, length) {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    new Uint8Array(/** @type {ArrayBuffer} */ (view.buffer), view.byteOffset + at, length),
  );
}

/**
 * @param {Uint8Array} blob a file that the core has opened
 * @returns {{ name: string, sgpe: boolean }[]}
 */
export function readRoutes(blob) {
  const view = /** @type {DataView} */ (section(blob, ROUTES));
  const routes = [];
  for (let i = 0, at = 4; i < view.getUint16(2, true); i++) {
    const length = view.getUint8(at + 3);
    routes.push({ name: utf8(view, at + 4, length), sgpe: view.getUint8(at + 2) === 1 });
    at += 4 + length;
  }
  return routes;
}

/**
 * @param {Uint8Array} blob a file that the core has opened
 * @returns {Record<string, string>} empty where the file has no such section
 * @throws {WwhoError} PROVENANCE
 */
export function readProvenance(blob) {
  const view = section(blob, PROVENANCE);
  if (view === undefined) {
    return {};
  }
  const text = utf8(view, 0, view.byteLength);
  const found = parsed(text);
  if (!isTexts(found) || !sameBytes(view, compact(found))) {
    const start = JSON.stringify(text.slice(0, 40));
    throw new WwhoError(
      "PROVENANCE",
      `not a valid .wwho file (PROVENANCE): its provenance begins with ${start}, expected a compact JSON object ` +
        "of strings with sorted keys; write it again",
    );
  }
  return found;
}

/** @param {string} text @returns {unknown} undefined where it is no JSON */
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

/** The one way to write an object of strings: keys in the order of their UTF-8. @param {Record<string, string>} texts */
function compact(texts) {
  const order = (/** @type {string} */ key) => hex(new TextEncoder().encode(key));
  const keys = Object.keys(texts).sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(texts[key])}`).join(",")}}`;
}

/** @param {DataView} view @param {string} text */
function sameBytes(view, text) {
  const bytes = new TextEncoder().encode(text);
  return bytes.length === view.byteLength && bytes.every((byte, i) => byte === view.getUint8(i));
}
