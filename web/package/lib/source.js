// Reads the bytes of any source that a caller names: URL, Response, Blob or bytes.

import { argumentError, bytesOf, isBlob, isResponse, isUrl, requireOptions } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { itemsOf, unlessAborted } from "./items.js";

/** @typedef {{ loaded: number, total?: number }} LoadProgress in bytes; no total if the server does not state it */
/** @typedef {{ signal?: AbortSignal, onProgress?: (progress: LoadProgress) => void }} LoadOptions */

/**
 * @param {unknown} source URL (or its text), Response, Blob, ArrayBuffer or a view of one; or a promise of one of these
 * @param {string} what named in messages, such as "the tokenizer"
 * @param {LoadOptions} [options]
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
    return readResponse(await request(given, what, signal), what, options);
  }
  if (isResponse(given)) {
    return readResponse(given, what, options);
  }
  const bytes = await unlessAborted(bytesAt(given, what), signal);
  onProgress?.({ loaded: bytes.length, total: bytes.length });
  return bytes;
}

/**
 * @param {unknown} given
 * @param {string} what
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function bytesAt(given, what) {
  if (isBlob(given)) return new Uint8Array(await given.arrayBuffer());
  const bytes = bytesOf(given);
  if (bytes) return bytes;
  throw argumentError(what, given, "a URL, a Response, a Blob or bytes");
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
    const remedy = String(url).startsWith("file:") ? "read the file, and give its bytes" : "is the server running?";
    throw new WwhoError("FETCH", `cannot fetch ${what} from ${url}: ${cause}; ${remedy}`, { cause });
  }
}

/**
 * @param {Response} response
 * @param {string} what
 * @param {LoadOptions} options
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
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
 * @param {Response} response
 * @param {ReadableStream<Uint8Array>} body
 * @param {LoadOptions} options
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
