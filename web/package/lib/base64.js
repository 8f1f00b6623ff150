// Files within JavaScript, as the package has them.

/** @param {string} text base64 @returns {Uint8Array<ArrayBuffer>} */
export function fromBase64(text) {
  // A loop: twenty times as fast as Uint8Array.from with a function. (Uint8Array.fromBase64 is of 2025.)
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
