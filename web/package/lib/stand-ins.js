// The alphabet of ByteLevel: characters that stand for bytes.

/** For each code point below 0x144 the byte that it stands for in ByteLevel's alphabet; -1 for none. */
export const BYTE_OF = /* @__PURE__ */ new Int16Array(0x144).fill(-1);
for (let byte = 0, others = 0x100; byte < 256; byte++) {
  const isItself = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  BYTE_OF[isItself ? byte : others++] = byte;
}

/**
 * Return the bytes that the characters of a text stand for.
 * @param {string} text
 * @returns {number[] | undefined} undefined: one stands for no byte
 */
export function bytesOfStandIns(text) {
  const bytes = Array.from(text, (char) => BYTE_OF[/** @type {number} */ (char.codePointAt(0))] ?? -1);
  return bytes.includes(-1) ? undefined : bytes;
}
