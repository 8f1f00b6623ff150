// wwho for Node, Deno and Bun. Written by tools/build_npm.py.

import { loadEntry } from "./lib/encodings.js";
import { ENCODINGS } from "./lib/shipped-modules.js";

export * from "./node-tokenizer.js";

/**
 * Load an encoding of the package. All callers get the same tokenizer, until it is freed.
 * A bundle with this function holds every encoding; modules such as wwho/o200k_base hold one.
 * @param {string} name such as "wwho_328k"
 * @param {import("./lib/source.js").LoadOptions} [options]
 * @returns {Promise<import("./lib/tokenizer.js").BaseTokenizer>}
 * @throws {import("./lib/errors.js").WwhoError} ARGUMENT for another name; the reason of the signal
 */
export async function getEncoding(name, options) {
  return loadEntry(ENCODINGS, name, options);
}
