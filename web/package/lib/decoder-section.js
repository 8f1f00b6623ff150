// The section DECODER of a file (wasm/FORMAT.md, DECODER): its steps, and the texts that it gives to tokens.

/** The length of a step without its texts, and where the lengths of these are in it. */
const [STEP_BYTES, N_A, N_B] = [6, 4, 5];

/** @typedef {{ head: Uint8Array, kinds: number[], surfaces: Map<number, Uint8Array> }} Decoder all before the surfaces, as it is in the file; the kinds of its steps; the surfaces by id */

/**
 * Return the parts of the section DECODER of a valid file.
 * @param {Uint8Array} [section] without it, texts are concatenated
 * @returns {Decoder} with views of the section
 */
export function readDecoder(section = new Uint8Array(4)) {
  const view = new DataView(section.buffer, section.byteOffset, section.length);
  /** @type {number[]} */
  const kinds = [];
  let at = 4 + section[1];
  for (let i = 0; i < section[0]; i++) {
    kinds.push(section[at]);
    at += STEP_BYTES + section[at + N_A] + section[at + N_B];
  }
  const head = section.subarray(0, at);
  const count = view.getUint16(2, true);
  const texts = section.subarray(at + 8 * count);
  /** @type {Decoder["surfaces"]} */
  const surfaces = new Map();
  for (let i = 0, start = 0; i < count; i++, at += 8) {
    const end = view.getUint32(at + 4, true);
    surfaces.set(view.getUint32(at, true), texts.subarray(start, end));
    start = end;
  }
  return { head, kinds, surfaces };
}

/**
 * Return the bytes of a section DECODER.
 * @param {Uint8Array} head all before the surfaces, as readDecoder gives it; the number of surfaces is written anew
 * @param {ReadonlyMap<number, Uint8Array>} surfaces by id
 * @returns {Uint8Array}
 */
export function writeDecoder(head, surfaces) {
  const sorted = [...surfaces].sort(([a], [b]) => a - b);
  const start = head.length + 8 * sorted.length;
  const section = new Uint8Array(sorted.reduce((sum, [, { length }]) => sum + length, start));
  const view = new DataView(section.buffer);
  section.set(head);
  view.setUint16(2, sorted.length, true);
  let [at, end] = [head.length, 0];
  for (const [id, text] of sorted) {
    section.set(text, start + end);
    view.setUint32(at, id, true);
    view.setUint32(at + 4, (end += text.length), true);
    at += 8;
  }
  return section;
}
