// wwho for browsers, Workers and edge runtimes: no Node built-ins, no top-level await, nothing happens on import.

import { WwhoError } from "./lib/errors.js";
import { coreModule, initSync } from "./lib/module.js";
import { fileName, readBytes } from "./lib/source.js";
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
  return coreModule(() => source ?? new URL("./wwho.wasm", import.meta.url));
}

export class Tokenizer extends BaseTokenizer {
  /**
   * @param {unknown} source a URL, Response, Blob or bytes of a .wwho file
   * @param {import("./lib/source.js").LoadOptions} [options]
   * @returns {Promise<Tokenizer>}
   */
  static async load(source, options) {
    const [module, blob] = await Promise.all([compiled(), readBytes(source, "the tokenizer", options)]);
    return new Tokenizer(module, blob);
  }
}

/**
 * @param {string} name an encoding in the folder models/ beside this file
 * @param {import("./lib/source.js").LoadOptions} [options]
 * @returns {Promise<Tokenizer>}
 */
export async function getEncoding(name, options) {
  return Tokenizer.load(new URL(`./models/${fileName(name)}.wwho`, import.meta.url), options);
}
