// What the core does not hand out of an artifact: which routes are SGPE's, the scanners, and where it all came from.
// Read only after the core has checked the file (FORMAT.md sections 1, 3 to 5 and 9).

import { WwhoError, hex } from "./errors.js";

const HEADER_BYTES = 24;
/** Where the feature bits stand in a file, and two of them: some merges join words, and the file states its ids. */
const FEATURES_AT = 12;
const SUPERWORDS = 2;
const IDS = 4;
const ENTRY_BYTES = 12;
const CLASSES = 2;
const AUTOMATA = 3;
const ROUTES = 4;
const PROVENANCE = 9;
/** Where the pages of classes begin in their section: behind two counts and page[8704]. */
const PAGES_AT = 4 + 2 * 8704;
const NONE = 0xffff;

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

/** @typedef {{ name: string, sgpe: boolean, scanner: number }} Route */

/**
 * @param {Uint8Array} blob a file that the core has opened
 * @returns {Route[]}
 */
export function readRoutes(blob) {
  const view = /** @type {DataView} */ (section(blob, ROUTES));
  const routes = [];
  for (let i = 0, at = 4; i < view.getUint16(2, true); i++) {
    const [scanner, sgpe, length] = [view.getUint16(at, true), view.getUint8(at + 2) === 1, view.getUint8(at + 3)];
    routes.push({ name: utf8(view, at + 4, length), sgpe, scanner });
    at += 4 + length;
  }
  return routes;
}

/** Whether unknown syllables become the unknown token in every call. @param {Uint8Array} blob a file that the core has opened */
export const statesIds = (blob) => (blob[FEATURES_AT] & IDS) !== 0;

/** @typedef {{ column: Uint8Array, nColumns: number, table: Uint16Array }} Automaton */

/**
 * The class of each code point, the automata over classes, which of them are the router's and the routes', and whether some merges
 * join words.
 * @param {Uint8Array} blob a file that the core has opened
 */
export function readScanners(blob) {
  const { buffer, byteOffset, byteLength } = /** @type {DataView} */ (section(blob, CLASSES));
  const classes = new DataView(buffer.slice(byteOffset, byteOffset + byteLength)); // outlives the blob
  const router = /** @type {DataView} */ (section(blob, ROUTES)).getUint16(0, true);
  const nClasses = classes.getUint16(0, true);
  return {
    nClasses,
    classOf: (/** @type {number} */ codePoint) =>
      classes.getUint8(PAGES_AT + 128 * classes.getUint16(4 + 2 * (codePoint >> 7), true) + (codePoint & 127)),
    automata: readAutomata(blob, nClasses),
    router: router === NONE ? null : router,
    routes: readRoutes(blob),
    superwords: (new DataView(blob.buffer, blob.byteOffset).getUint32(FEATURES_AT, true) & SUPERWORDS) !== 0,
  };
}

/** @param {number} at @param {number} size a power of two */
const aligned = (at, size) => at + (-at & (size - 1));

/** @param {Uint8Array} blob @param {number} nClasses @returns {Automaton[]} */
function readAutomata(blob, nClasses) {
  const view = /** @type {DataView} */ (section(blob, AUTOMATA));
  const automata = [];
  for (let i = 0, at = 4; i < view.getUint32(0, true); i++) {
    const [nStates, nColumns] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    const column = Uint8Array.from({ length: nClasses }, (_, k) => view.getUint8(at + 4 + k));
    const start = aligned(at + 4 + nClasses, 2);
    const table = Uint16Array.from({ length: nStates * nColumns }, (_, k) => view.getUint16(start + 2 * k, true));
    at = aligned(start + 2 * table.length, 4);
    automata.push({ column, nColumns, table });
  }
  return automata;
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
