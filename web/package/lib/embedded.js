// Files within JavaScript, as the package has them.

/** @param {string} text base64 @returns {Uint8Array<ArrayBuffer>} */
export function fromBase64(text) {
  // A loop: twenty times as fast as Uint8Array.from with a function. (Uint8Array.fromBase64 is of 2025.)
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/**
 * Programs repeat themselves, which compression sees where each byte is a character of its own, as base64 has it not: the core takes
 * 7 KB less with brotli or gzip. (Vocabularies do not, and are smaller as base64 wherever gzip packs them.)
 * @param {string} text ASCII: "#" is the byte 252, and the 89 characters after it the bytes 253 to 85, but for "!" and " ", which stand for
 *   "<" and "\"; "}" and "~" before a character add 90 and 180
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function fromPrintable(text) {
  const bytes = new Uint8Array(text.length);
  let [length, shift] = [0, -39];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 124) shift = 90 * (code - 124) - 39;
    else {
      bytes[length++] = shift + (code === 33 ? 60 : code === 32 ? 92 : code); // modulo 256
      shift = -39;
    }
  }
  return bytes.slice(0, length);
}
