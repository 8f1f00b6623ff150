// wwho for workerd (Cloudflare Workers), which compiles nothing at run time: wwho.wasm is imported, as a compiled module.

import { WwhoError } from "./lib/errors.js";
import { coreModule, initSync } from "./lib/module.js";
import { readBytes } from "./lib/source.js";
import { BaseTokenizer } from "./lib/tokenizer.js";
import core from "./wwho.wasm";

export { WwhoError, initSync };

/**
 * Have the core ready; called for you by load.
 * @param {unknown} [source] another compiled module
 */
export async function init(source) {
  await coreModule(() => source ?? core);
}

export class Tokenizer extends BaseTokenizer {
  /**
   * @param {unknown} source bytes of a .wwho file, such as an import of one; a URL, Response or Blob
   * @param {import("./lib/source.js").LoadOptions} [options]
   * @returns {Promise<Tokenizer>}
   */
  static async load(source, options) {
    const [module, blob] = await Promise.all([coreModule(() => core), readBytes(source, "the tokenizer", options)]);
    return new Tokenizer(module, blob);
  }
}

/** @param {string} name @returns {Promise<Tokenizer>} */
export async function getEncoding(name) {
  throw new WwhoError(
    "FETCH",
    `${JSON.stringify(name)} cannot be found by its name here, where there are no files; import it, and load that: ` +
      `import model from "wwho/encodings/${name}.wwho"; await Tokenizer.load(model)`,
  );
}
