// Bytes of UTF-8 as text.

/** A decoder that keeps a byte order mark. */
export const newDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });

/** @param {Uint8Array<ArrayBufferLike>} bytes @returns {string} broken UTF-8 becomes U+FFFD */
export const utf8 = (bytes) => newDecoder().decode(bytes);

/** A character of UTF-8, or a byte that belongs to none; each byte is a unit of the string. */
const CHARACTER =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[^]/g;

/** The characters of a text, and each byte that belongs to none. @param {Uint8Array} bytes */
export function charactersOf(bytes) {
  const raw = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  let at = 0;
  return (raw.match(CHARACTER) ?? []).map(({ length }) => bytes.subarray(at, (at += length)));
}
