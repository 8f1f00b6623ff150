// A text and settings in the fragment of an address, which is never sent: "#", one letter for the packing, then base64 for
// addresses. z: deflated UTF-8 JSON; j: plain UTF-8 JSON.

import { ROLES } from "../chat.js";

const MOST_BYTES = 4_000_000; // of JSON: nobody's link should fill the memory

/** @typedef {import("../chat.js").Message} Message */

/**
 * @typedef {object} Shared
 * @property {string} text
 * @property {Message[]} [messages] of a chat, in place of the text
 * @property {(string | null)[]} [rows] an encoding or a model for each; null for a tokenizer that others do not have
 * @property {number} [price]
 * @property {number} [texts]
 */

/**
 * Tell whether a fragment has the form of a link with a text.
 * @param {string} fragment with "#"
 * @returns {boolean}
 */
export const isLink = (fragment) => /^#[zj]/.test(fragment);

/**
 * Return a state as JSON in UTF-8.
 * @param {Shared} shared
 * @returns {Uint8Array<ArrayBuffer>}
 */
const written = (shared) => new TextEncoder().encode(JSON.stringify(shared));

/**
 * Return the fragment for a state, with "#", synchronously: for a link that is being clicked.
 * @param {Shared} shared
 * @returns {string}
 */
export const toPlainFragment = (shared) => `#j${toBase64(written(shared))}`;

/**
 * Return the shortest fragment for a state: of compressed or of plain JSON.
 * @param {Shared} shared
 * @returns {Promise<string>} the fragment, with "#"
 */
export async function toFragment(shared) {
  const plain = written(shared);
  const packed = await through(plain, new CompressionStream("deflate-raw"), Infinity);
  return packed.length < plain.length ? `#z${toBase64(packed)}` : toPlainFragment(shared);
}

/**
 * Return the state in a fragment.
 * @param {string} fragment with "#"
 * @returns {Promise<Shared | undefined>} undefined if the fragment has another form
 * @throws {Error} it is damaged
 */
export async function fromFragment(fragment) {
  if (!isLink(fragment)) return undefined;
  try {
    const packed = fromBase64(fragment.slice(2));
    const plain =
      fragment[1] === "z" ? await through(packed, new DecompressionStream("deflate-raw"), MOST_BYTES) : packed;
    return checked(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plain)));
  } catch {
    throw new Error("This link is damaged: the text in it cannot be read. Ask for it again; some programs cut long links.");
  }
}

/**
 * Return a copy of a state with only the fields that are known and of the right type.
 * @param {any} found
 * @returns {Shared} without `messages` if one of them is wrong; a row that is no text becomes null
 * @throws {TypeError} there is no text
 */
export function checked(found) {
  if (typeof found?.text !== "string") throw new TypeError("no text");
  const { text, messages, rows, price, texts } = found;
  const isChat = Array.isArray(messages) && messages.every(isMessage);
  return {
    text,
    ...(isChat && { messages: messages.map(({ role, content }) => ({ role, content })) }),
    ...(Array.isArray(rows) && { rows: rows.map((row) => (typeof row === "string" ? row : null)) }),
    ...(Number.isFinite(price) && price >= 0 && { price }),
    ...(Number.isFinite(texts) && texts >= 1 && { texts }),
  };
}

/**
 * Tell whether a value is a message of a chat.
 * @param {any} found
 * @returns {found is Message}
 */
const isMessage = (found) => ROLES.includes(found?.role) && typeof found.content === "string";

/**
 * Compress or decompress bytes.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {CompressionStream | DecompressionStream} stream
 * @param {number} most bytes to come out
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {RangeError} more bytes come out; otherwise the stream's error for damaged bytes
 */
async function through(bytes, stream, most) {
  const parts = [];
  let length = 0;
  // Any: the types of a compression stream and of a pipe differ in what buffers they know.
  const out = new Blob([bytes]).stream().pipeThrough(/** @type {any} */ (stream));
  for (const reader = out.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) throw new RangeError(`more than ${most} bytes`);
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/**
 * Return bytes as base64 for addresses, without padding.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
function toBase64(bytes) {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Return the bytes of base64 for addresses.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 * @throws {DOMException} it is no base64
 */
function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}
