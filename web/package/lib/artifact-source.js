// Reads a .wwho file, or one that gzip has compressed: many servers send .wwho files as they are, which takes more bytes.

import { WwhoError } from "./errors.js";
import { itemsOf } from "./items.js";

/** @typedef {import("./source.js").LoadOptions} LoadOptions */

const HEADER_BYTES = 20;

/**
 * Return the bytes of a .wwho file from any source that `read` takes; a file in gzip's format is decompressed, whatever its name.
 * @param {typeof import("./source.js").readBytes} read
 * @param {unknown} source
 * @param {LoadOptions} [options] `onProgress` is told of compressed bytes
 * @returns {Promise<Uint8Array<ArrayBuffer>>} which the core checks
 * @throws {WwhoError} as `read`; FETCH for gzip data that is damaged, or that this runtime cannot decompress; the signal's reason
 */
export async function readArtifact(read, source, options) {
  const bytes = await read(source, "the tokenizer", options);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? decompress(bytes, options?.signal) : bytes;
}

/**
 * Decompress gzip data that should hold a .wwho file: no more than a chunk beyond the size that its header states.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {WwhoError} FETCH; the signal's reason
 */
async function decompress(bytes, signal) {
  if (typeof DecompressionStream === "undefined") {
    throw new WwhoError("FETCH", "the tokenizer is compressed with gzip, and this runtime has no DecompressionStream; give the .wwho file itself");
  }
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const chunks = [];
  let loaded = 0;
  try {
    for await (const chunk of itemsOf(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")), signal)) {
      chunks.push(chunk);
      loaded += chunk.length;
      if (loaded > statedSize(chunks[0])) break;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw new WwhoError("FETCH", `the tokenizer is compressed with gzip, and damaged: ${cause}; fetch it again`, { cause });
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/**
 * Return the size that the header of a .wwho file states.
 * @param {Uint8Array} start the first bytes of the file
 * @returns {number} in bytes; 0 for a file that is too short or another
 */
function statedSize(start) {
  const isArtifact = start.length >= HEADER_BYTES && String.fromCharCode(...start.subarray(1, 5)) === "WWHO";
  return isArtifact ? new DataView(start.buffer, start.byteOffset).getUint32(12, true) : 0;
}
