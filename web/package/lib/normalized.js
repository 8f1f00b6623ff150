// Texts of a model that normalizes: in chunks, and where what it made of a text stands in that text.

import { bytesOf } from "./arguments.js";

/** @typedef {import("./core.js").Core} Core */
/** @typedef {import("./core.js").Text} Text */
/** @typedef {{ ids: Uint32Array, starts: Uint32Array, ends: Uint32Array }} Encoded */

const encoder = new TextEncoder();

/**
 * Offsets in the text as it was given, of tokens of its normalized form. A token that touches one character of several that were
 * made one, or of one that was made several, touches all that it came from.
 * @param {Core} core
 * @param {Text} text
 * @param {{ bytes: Uint8Array, sources: Uint32Array }} normalized
 * @param {Encoded} found with offsets in UTF-16 units of the normalized text
 * @returns {Encoded} with offsets in UTF-16 units of the text
 */
export function placesBefore(core, text, { bytes, sources }, { ids, starts, ends }) {
  const given = typeof text === "string" ? encoder.encode(text) : text;
  const [before, after] = [core.unitsOfBytes(given), core.unitsOfBytes(bytes)];
  const total = typeof text === "string" ? text.length : before.length === 0 ? 0 : before[before.length - 1] + 1;
  const units = after.length === 0 ? 0 : after[after.length - 1] + 2; // the last one may be a pair
  const first = new Int32Array(units + 1).fill(-1);
  first[units] = total;
  for (let i = bytes.length - 1; i >= 0; i--) first[after[i]] = before[sources[i]];
  for (let unit = 1; unit < units; unit++) if (first[unit] < 0) first[unit] = first[unit - 1]; // the half of a pair
  const last = new Uint32Array(units + 1).fill(total);
  for (let unit = units - 1; unit >= 0; unit--) last[unit] = first[unit + 1] > first[unit] ? first[unit + 1] : last[unit + 1];
  return {
    ids,
    starts: starts.map((start) => first[start]),
    ends: ends.map((end, i) => (end > starts[i] ? last[end - 1] : first[starts[i]])),
  };
}

/** A text that comes in chunks, normalized as far as what follows cannot change it. */
export class Normalizing {
  #core;
  #held = new Uint8Array();
  /** A high surrogate whose other half may come. */
  #half = "";

  /** @param {Core} core */
  constructor(core) {
    this.#core = core;
  }

  /** @param {unknown} chunk a string or bytes, cut anywhere; anything else is returned as it is, for others to refuse */
  add(chunk) {
    const bytes = typeof chunk === "string" ? this.#bytes(chunk) : bytesOf(chunk);
    if (!bytes) return chunk;
    const held = new Uint8Array(this.#held.length + bytes.length);
    held.set(this.#held);
    held.set(bytes, this.#held.length);
    const { bytes: normalized, read } = this.#core.normalize(held, true);
    this.#held = held.slice(read);
    return normalized;
  }

  /** What is left. @returns {Uint8Array} */
  end() {
    const rest = encoder.encode(this.#half);
    const held = new Uint8Array(this.#held.length + rest.length);
    held.set(this.#held);
    held.set(rest, this.#held.length);
    return this.#core.normalize(held).bytes;
  }

  /** @param {string} chunk */
  #bytes(chunk) {
    let text = this.#half + chunk;
    this.#half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : "";
    if (this.#half) text = text.slice(0, -1);
    return encoder.encode(text);
  }
}
