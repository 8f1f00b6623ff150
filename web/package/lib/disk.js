// Files, for Node, Deno and Bun.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { isUrl } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { readBytes } from "./source.js";

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
 * Paths and file: addresses become bytes; everything else stays as it is.
 * @param {unknown} source
 * @param {string} what
 */
export async function fromDisk(source, what) {
  const given = await source;
  const address = isUrl(given) ? given.href : given;
  if (typeof address !== "string" || /^(https?|data|blob):/i.test(address)) {
    return given;
  }
  try {
    return await readFile(/^file:/i.test(address) ? fileURLToPath(address) : address);
  } catch (cause) {
    throw new WwhoError("FETCH", `cannot read ${what} from ${address}: ${cause}; ${remedy(cause)}`, { cause });
  }
}

/** @param {any} cause */
function remedy({ name, code }) {
  // Deno's error if a program lacks --allow-read. Modules such as wwho/o200k_base do not need it.
  if (name === "NotCapable") return "allow it, or import the encoding by its name, which needs no permission";
  return ["EACCES", "EPERM"].includes(code) ? "make the file readable" : "check the path";
}
