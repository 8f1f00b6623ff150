// Bytes of UTF-8 as text.

/** A decoder that keeps a byte order mark. */
export const newDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });

/** @param {Uint8Array<ArrayBufferLike>} bytes @returns {string} broken UTF-8 becomes U+FFFD */
export const utf8 = (bytes) => newDecoder().decode(bytes);
