// wwho for workerd (Cloudflare Workers).

import { loadEntry } from "./lib/encodings.js";
import { ENCODINGS } from "./lib/shipped-modules.js";

export * from "./workerd-tokenizer.js";

/**
 * An encoding of the package, all of which are then in the bundle: wwho/o200k_base and its like hold one each.
 * @param {string} name such as "wwho_328k"
 * @param {import("./lib/source.js").LoadOptions} [options]
 * @returns {Promise<import("./lib/tokenizer.js").BaseTokenizer>}
 */
export async function getEncoding(name, options) {
  return loadEntry(ENCODINGS, name, options);
}
