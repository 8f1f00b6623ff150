// From whatever a caller names as a source (URL, Response, Blob, bytes) to bytes.

import { WwhoError } from "./errors.js";

/**
 * @param {unknown} source URL (or its text), Response, Blob, ArrayBuffer or a view of one; or a promise of one of these
 * @param {string} what named in messages, such as "the tokenizer"
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {WwhoError} FETCH where the network or the server fails, ARGUMENT for any other kind of source
 */
export async function readBytes(source, what) {
  const given = await source;
  if (typeof given === "string" || given instanceof URL) {
    return readResponse(await request(given, what), what);
  }
  if (typeof Response !== "undefined" && given instanceof Response) {
    return readResponse(given, what);
  }
  if (typeof Blob !== "undefined" && given instanceof Blob) {
    return new Uint8Array(await given.arrayBuffer());
  }
  if (given instanceof ArrayBuffer) {
    return new Uint8Array(given);
  }
  if (ArrayBuffer.isView(given)) {
    return new Uint8Array(/** @type {ArrayBuffer} */ (given.buffer), given.byteOffset, given.byteLength);
  }
  const kind = given === null ? "null" : typeof given;
  throw new WwhoError("ARGUMENT", `${what} was given as ${kind}; expected a URL, a Response, a Blob or bytes`);
}

/**
 * @param {string | URL} url
 * @param {string} what
 */
async function request(url, what) {
  try {
    return await fetch(url);
  } catch (cause) {
    throw new WwhoError("FETCH", `cannot fetch ${what} from ${url}: ${cause}; is the server running?`, { cause });
  }
}

/**
 * @param {Response} response
 * @param {string} what
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function readResponse(response, what) {
  if (!response.ok) {
    throw new WwhoError(
      "FETCH",
      `cannot fetch ${what} from ${response.url}: HTTP status ${response.status}, expected 200; check the address`,
    );
  }
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    throw new WwhoError("FETCH", `${what} from ${response.url} ended early: ${cause}; fetch it again`, { cause });
  }
}
