// Files, for Node, Deno and Bun.

import { open, readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { isBlob, isUrl } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { readBytes } from "./source.js";

/** How much of a GGUF is read, in bytes: more than the metadata at its beginning, and than any other file of a tokenizer. */
const HEAD_BYTES = 1 << 27;

/**
 * Return the bytes of a source as readBytes does, and also of files: paths and file: addresses.
 * @param {unknown} source a path, URL, Response, Blob or bytes, or a promise of one
 * @param {string} what the source's name in messages, such as "the tokenizer"
 * @param {import("./source.js").LoadOptions} [options]
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {WwhoError} FETCH, ARGUMENT; otherwise the signal's reason
 */
export function readFromDisk(source, what, options) {
  return readBytes(readIfPath(source, what), what, options);
}

/**
 * Return the bytes of a tokenizer of another library, as readFromDisk does; of a GGUF of more than 128 MB, which has gigabytes after its
 * metadata, only the first 128 MB.
 * @param {unknown} given a path, URL, Response, Blob or bytes
 * @param {string} what its name in messages
 * @param {import("./source.js").LoadOptions} options
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {WwhoError} FETCH, ARGUMENT; otherwise the signal's reason
 */
export async function readTokenizer(given, what, options) {
  const isLong = isBlob(given) && given.size > HEAD_BYTES && (await given.slice(0, 4).text()) === "GGUF";
  return readBytes(isLong ? given.slice(0, HEAD_BYTES) : readIfPath(given, what, readFileOrHead), what, options);
}

/**
 * Return the bytes of a file; of a GGUF of more than 128 MB, only the first 128 MB.
 * @param {string} path
 * @returns {Promise<Uint8Array>}
 */
async function readFileOrHead(path) {
  if ((await stat(path)).size > HEAD_BYTES) {
    const file = await open(path);
    try {
      const { buffer } = await file.read(new Uint8Array(HEAD_BYTES));
      if (String.fromCharCode(...buffer.subarray(0, 4)) === "GGUF") return buffer;
    } finally {
      await file.close();
    }
  }
  return readFile(path);
}

/**
 * Read a source if it is a path or a file: address; return every other source as it is, such as an https: address or bytes.
 * @param {unknown} source or a promise of one
 * @param {string} what its name in messages
 * @param {(path: string) => Promise<Uint8Array>} [read] reads the file; by default all of it
 * @returns {Promise<unknown>} the file's bytes, or the source
 * @throws {WwhoError} FETCH if the file cannot be read, with a remedy
 */
export async function readIfPath(source, what, read = readFile) {
  const given = await source;
  const address = isUrl(given) ? given.href : given;
  if (typeof address !== "string" || /^(https?|data|blob):/i.test(address)) {
    return given;
  }
  try {
    return await read(/^file:/i.test(address) ? fileURLToPath(address) : address);
  } catch (cause) {
    throw new WwhoError("FETCH", `cannot read ${what} from ${address}: ${cause}; ${remedyFor(cause)}`, { cause });
  }
}

/**
 * Return what a user can do about an error of the file system, for the end of a message; "check the path" if nothing better is known.
 * @param {any} cause the error, of which only `name` and `code` count
 * @returns {string} without a full stop, and never empty
 */
function remedyFor({ name, code }) {
  // Deno's error if a program lacks --allow-read. Modules such as wwho/o200k_base do not need it.
  if (name === "NotCapable") return "allow it, or import the encoding by its name, which needs no permission";
  if (code === "ERR_FS_FILE_TOO_LARGE") return "no tokenizer is that large; check that it is one";
  return ["EACCES", "EPERM"].includes(code) ? "make the file readable" : "check the path";
}
