// Reads the bytes of any source that a caller names: URL, Response, Blob or bytes.

import { argumentError, bytesOf, isBlob, isResponse, isUrl, requireOptions } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { itemsOf, unlessAborted } from "./items.js";

/** @typedef {{ loaded: number, total?: number }} LoadProgress in bytes; no total if the server does not state it */
/** @typedef {{ signal?: AbortSignal, onProgress?: (progress: LoadProgress) => void }} LoadOptions */

/**
 * Read all bytes of a source: fetch an address, read a response or a Blob, or take bytes as they are, without a copy.
 * @param {unknown} source URL (or its text), Response, Blob, ArrayBuffer or a view of one; or a promise of one of these
 * @param {string} what the source's name in messages, such as "the tokenizer"
 * @param {LoadOptions} [options] `onProgress` is called for each chunk of a response, and once for other sources
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {WwhoError} FETCH if the network or the server fails, ARGUMENT for any other kind of source; otherwise the signal's reason
 */
export async function readBytes(source, what, options = {}) {
  const coming = Promise.resolve(source);
  coming.catch(() => {}); // if the options are rejected, no caller waits for it
  requireOptions(options);
  const { signal, onProgress } = options;
  const given = await unlessAborted(coming, signal);
  if (typeof given === "string" || isUrl(given)) {
    return readResponse(await fetchResponse(given, what, signal), what, options);
  }
  if (isResponse(given)) {
    return readResponse(given, what, options);
  }
  const bytes = await unlessAborted(localBytes(given, what), signal);
  onProgress?.({ loaded: bytes.length, total: bytes.length });
  return bytes;
}

/**
 * Return the bytes of a source that needs no network.
 * @param {unknown} given a Blob, which is read, or bytes, which are not copied
 * @param {string} what its name in messages
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {WwhoError} ARGUMENT for anything else
 */
async function localBytes(given, what) {
  if (isBlob(given)) return new Uint8Array(await given.arrayBuffer());
  const bytes = bytesOf(given);
  if (bytes) return bytes;
  throw argumentError(what, given, "a URL, a Response, a Blob or bytes");
}

/**
 * Fetch an address; the status of the response is not checked.
 * @param {string | URL} url
 * @param {string} what its name in messages
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 * @throws {WwhoError} FETCH if there is no response; otherwise the signal's reason
 */
async function fetchResponse(url, what, signal) {
  try {
    return await fetch(url, { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    const remedy = String(url).startsWith("file:") ? "read the file, and give its bytes" : "is the server running?";
    throw new WwhoError("FETCH", `cannot fetch ${what} from ${url}: ${cause}; ${remedy}`, { cause });
  }
}

/**
 * Read the body of a response.
 * @param {Response} response
 * @param {string} what its name in messages
 * @param {LoadOptions} options
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {WwhoError} FETCH for an HTTP status of an error, a body that was read before, or one that ends early, also if `onProgress` throws;
 *   otherwise the signal's reason
 */
async function readResponse(response, what, options) {
  if (!response.ok) {
    throw new WwhoError(
      "FETCH",
      `cannot fetch ${what} from ${response.url}: HTTP status ${response.status}, expected 200; check the address`,
    );
  }
  try {
    // If the body was read before, arrayBuffer reports it.
    const body = response.bodyUsed ? null : response.body;
    return body ? await readBody(response, body, options) : new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    options.signal?.throwIfAborted();
    throw new WwhoError("FETCH", `${what} from ${response.url} ended early: ${cause}; fetch it again`, { cause });
  }
}

/**
 * Read a stream to its end, and report progress after each chunk: `loaded` and `total` in bytes. `total` is undefined if the headers do not
 * state it, or if the body is compressed.
 * @param {Response} response whose headers are read
 * @param {ReadableStream<Uint8Array>} body
 * @param {LoadOptions} options
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws the signal's reason; what the stream or `onProgress` throws
 */
async function readBody({ headers }, body, { signal, onProgress }) {
  // For a compressed response, the header does not state the length of the bytes that are read here.
  const stated = headers.has("content-encoding") ? null : headers.get("content-length");
  const total = stated === null ? undefined : Number(stated);
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const chunks = [];
  let loaded = 0;
  for await (const chunk of itemsOf(body, signal)) {
    chunks.push(chunk);
    loaded += chunk.length;
    onProgress?.({ loaded, total });
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
