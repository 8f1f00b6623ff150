// From whatever a caller names as a source (URL, Response, Blob, bytes) to bytes.

import { WwhoError } from "./errors.js";
import { itemsOf } from "./items.js";

/** @typedef {{ loaded: number, total?: number }} LoadProgress bytes; no total where the server does not say it */
/** @typedef {{ signal?: AbortSignal, onProgress?: (progress: LoadProgress) => void }} LoadOptions */

/**
 * @param {unknown} source URL (or its text), Response, Blob, ArrayBuffer or a view of one; or a promise of one of these
 * @param {string} what named in messages, such as "the tokenizer"
 * @param {LoadOptions} [options]
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {WwhoError} FETCH where the network or the server fails, ARGUMENT for any other kind of source; else the signal's reason
 */
export async function readBytes(source, what, options = {}) {
  const { signal, onProgress } = options;
  const given = await source;
  signal?.throwIfAborted();
  if (typeof given === "string" || given instanceof URL) {
    return readResponse(await request(given, what, signal), what, options);
  }
  if (typeof Response !== "undefined" && given instanceof Response) {
    return readResponse(given, what, options);
  }
  const bytes = await bytesAt(given, what);
  signal?.throwIfAborted();
  onProgress?.({ loaded: bytes.length, total: bytes.length });
  return bytes;
}

/**
 * @param {unknown} given
 * @param {string} what
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function bytesAt(given, what) {
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
 * @param {AbortSignal} [signal]
 */
async function request(url, what, signal) {
  try {
    return await fetch(url, { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new WwhoError("FETCH", `cannot fetch ${what} from ${url}: ${cause}; is the server running?`, { cause });
  }
}

/**
 * @param {Response} response
 * @param {string} what
 * @param {LoadOptions} options
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function readResponse(response, what, { signal, onProgress }) {
  if (!response.ok) {
    throw new WwhoError(
      "FETCH",
      `cannot fetch ${what} from ${response.url}: HTTP status ${response.status}, expected 200; check the address`,
    );
  }
  try {
    if (onProgress && response.body) return await readBody(response, response.body, signal, onProgress);
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    signal?.throwIfAborted();
    throw new WwhoError("FETCH", `${what} from ${response.url} ended early: ${cause}; fetch it again`, { cause });
  }
}

/**
 * @param {Response} response
 * @param {ReadableStream<Uint8Array>} body
 * @param {AbortSignal | undefined} signal
 * @param {(progress: LoadProgress) => void} onProgress
 */
async function readBody({ headers }, body, signal, onProgress) {
  // Of a compressed answer, the header states another length than that of what is read here.
  const stated = headers.has("content-encoding") ? null : headers.get("content-length");
  const total = stated === null ? undefined : Number(stated);
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const chunks = [];
  let loaded = 0;
  for await (const chunk of itemsOf(body, signal)) {
    chunks.push(chunk);
    loaded += chunk.length;
    onProgress({ loaded, total });
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
