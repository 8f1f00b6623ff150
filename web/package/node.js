// wwho for Node, Deno and Bun.

import { loadEntry } from "./lib/encodings.js";
import { ENCODINGS } from "./lib/shipped-modules.js";

export * from "./node-tokenizer.js";

/**
 * An encoding of the package; all callers get the same tokenizer.
 * @param {string} name such as "wwho_328k"
 * @param {import("./lib/source.js").LoadOptions} [options]
 * @returns {Promise<import("./lib/tokenizer.js").BaseTokenizer>}
 */
export async function getEncoding(name, options) {
  return loadEntry(ENCODINGS, name, options);
}
