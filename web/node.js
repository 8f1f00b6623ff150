// wwho for Node, Deno and Bun: index.js, with files read from disk.

import { encodingUrl, fromDisk } from "./lib/disk.js";
import { WwhoError } from "./lib/errors.js";
import { coreModule, initSync } from "./lib/module.js";
import { readBytes } from "./lib/source.js";
import { BaseTokenizer } from "./lib/tokenizer.js";

export { WwhoError, initSync };

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

export class Tokenizer extends BaseTokenizer {
  /**
   * @param {unknown} source a path, URL, Response, Blob or bytes of a .wwho file
   * @param {import("./lib/source.js").LoadOptions} [options]
   * @returns {Promise<Tokenizer>}
   */
  static async load(source, options) {
    const what = "the tokenizer";
    const [module, blob] = await Promise.all([compiled(), readBytes(fromDisk(source, what), what, options)]);
    return new Tokenizer(module, blob);
  }
}

/**
 * @param {string} name such as "wwho_328k"
 * @param {import("./lib/source.js").LoadOptions} [options]
 * @returns {Promise<Tokenizer>}
 */
export async function getEncoding(name, options) {
  return Tokenizer.load(await encodingUrl(name), options);
}
