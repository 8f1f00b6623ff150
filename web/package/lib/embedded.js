// Files that the package embeds in JavaScript, and the tokenizers in them. It imports nothing: each encoding imports it.

/**
 * Decode base64 with the quickest way that the runtime has.
 * @param {string} text base64 without white space
 * @returns {Uint8Array<ArrayBuffer>} a new array
 */
export function fromBase64(text) {
  // What the runtime brings takes a tenth of the time of a loop. Not every name is there: the first is from 2025, the second Node's.
  const { Uint8Array: Bytes, Buffer } = /** @type {any} */ (globalThis);
  if (Bytes.fromBase64) return Bytes.fromBase64(text);
  if (Buffer?.from) return new Uint8Array(Buffer.from(text, "base64"));
  // Twenty times as fast as Uint8Array.from with a function.
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/**
 * Decode printable ASCII in which each byte is one character, or two, unlike in base64. So compression can find the repetitions in a
 * program: the core takes 7 KB less with brotli or gzip. (Vocabularies have few repetitions, and are smaller as base64 with gzip.)
 * tools/build_npm.py writes the text.
 * @param {string} text ASCII: "#" is the byte 252, and the 89 characters after it the bytes 253 to 85, but for "!" and " ", which stand for
 *   "<" and "\"; "}" and "~" before a character add 90 and 180
 * @returns {Uint8Array<ArrayBuffer>} a new array
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

/**
 * Return a function that opens a tokenizer at its first call, and returns the same one at each later call, until that one is freed: then
 * the next call opens another.
 * @template {import("./tokenizer.js").BaseTokenizer} T
 * @param {() => T} open
 * @returns {() => T} which throws what `open` throws, and then tries again at the next call
 */
export function openOnce(open) {
  /** @type {T | undefined} */
  let tokenizer;
  return () => (tokenizer === undefined || tokenizer.freed ? (tokenizer = open()) : tokenizer);
}
