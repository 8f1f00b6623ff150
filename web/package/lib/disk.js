// Files, for Node, Deno and Bun.

import { open, readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { isBlob, isUrl } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { readBytes } from "./source.js";

/** More than the metadata of any GGUF, at its beginning, and than any other file of a tokenizer. */
const HEAD_BYTES = 1 << 27;

/**
 * readBytes that also accepts paths and file: addresses.
 * @param {unknown} source
 * @param {string} what named in messages, such as "the tokenizer"
 * @param {import("./source.js").LoadOptions} [options]
 */
export function readFromDisk(source, what, options) {
  return readBytes(fromDisk(source, what), what, options);
}

/**
 * readFromDisk for an import: of a GGUF with gigabytes after its metadata, the beginning.
 * @param {unknown} given
 * @param {string} what
 * @param {import("./source.js").LoadOptions} options
 */
export async function readTokenizer(given, what, options) {
  const isLong = isBlob(given) && given.size > HEAD_BYTES && (await given.slice(0, 4).text()) === "GGUF";
  return readBytes(isLong ? given.slice(0, HEAD_BYTES) : fromDisk(given, what, readHead), what, options);
}

/** @param {string} path */
async function readHead(path) {
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
 * Paths and file: addresses become bytes; everything else stays as it is.
 * @param {unknown} source
 * @param {string} what
 * @param {(path: string) => Promise<Uint8Array>} [read]
 */
export async function fromDisk(source, what, read = readFile) {
  const given = await source;
  const address = isUrl(given) ? given.href : given;
  if (typeof address !== "string" || /^(https?|data|blob):/i.test(address)) {
    return given;
  }
  try {
    return await read(/^file:/i.test(address) ? fileURLToPath(address) : address);
  } catch (cause) {
    throw new WwhoError("FETCH", `cannot read ${what} from ${address}: ${cause}; ${remedy(cause)}`, { cause });
  }
}

/** @param {any} cause */
function remedy({ name, code }) {
  // Deno's error if a program lacks --allow-read. Modules such as wwho/o200k_base do not need it.
  if (name === "NotCapable") return "allow it, or import the encoding by its name, which needs no permission";
  if (code === "ERR_FS_FILE_TOO_LARGE") return "no tokenizer is that large; check that it is one";
  return ["EACCES", "EPERM"].includes(code) ? "make the file readable" : "check the path";
}
