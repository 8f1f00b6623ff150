// wwho for Node, Deno and Bun: index.js, with files read from disk.

import { access, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { WwhoError } from "./lib/errors.js";
import { coreModule } from "./lib/module.js";
import { readBytes } from "./lib/source.js";
import { BaseTokenizer } from "./lib/tokenizer.js";

export { WwhoError };

/** Where the encodings lie: in the npm package, and in the project's repository. */
const MODEL_FOLDERS = ["./models/", "../py/wwho/models/"];

/**
 * Compile the core, once; called for you by load and getEncoding.
 * @param {unknown} [source] where wwho.wasm is, if not beside this file
 */
export async function init(source) {
  await compiled(source);
}

/** @param {unknown} [source] */
function compiled(source) {
  return coreModule(() => fromDisk(source ?? new URL("./wwho.wasm", import.meta.url), "wwho.wasm"));
}

/**
 * Paths and file: addresses become bytes; everything else stays as it is.
 * @param {unknown} source
 * @param {string} what
 */
async function fromDisk(source, what) {
  const given = await source;
  const address = given instanceof URL ? given.href : given;
  if (typeof address !== "string" || /^(https?|data|blob):/.test(address)) {
    return given;
  }
  const path = address.startsWith("file:") ? fileURLToPath(address) : address;
  try {
    return await readFile(path);
  } catch (cause) {
    throw new WwhoError("FETCH", `cannot read ${what} from ${path}: ${cause}; check the path`, { cause });
  }
}

export class Tokenizer extends BaseTokenizer {
  /**
   * @param {unknown} source a path, URL, Response, Blob or bytes of a .wwho file
   * @returns {Promise<Tokenizer>}
   */
  static async load(source) {
    const what = "the tokenizer";
    const [module, blob] = await Promise.all([compiled(), readBytes(fromDisk(source, what), what)]);
    return new Tokenizer(module, blob);
  }
}

/**
 * @param {string} name such as "wwho_328k"
 * @returns {Promise<Tokenizer>}
 */
export async function getEncoding(name) {
  for (const folder of MODEL_FOLDERS) {
    const url = new URL(`${folder}${encodeURIComponent(name)}.wwho`, import.meta.url);
    if (
      await access(url).then(
        () => true,
        () => false,
      )
    ) {
      return Tokenizer.load(url);
    }
  }
  throw new WwhoError(
    "FETCH",
    `there is no encoding ${JSON.stringify(name)}; expected one of the .wwho files that come with the package ` +
      "(o200k_base, cl100k_base, wwho_328k, wwho_super_328k), or use Tokenizer.load(path)",
  );
}
