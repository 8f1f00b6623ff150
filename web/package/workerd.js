// wwho for workerd (Cloudflare Workers).

import { loadEntry } from "./lib/encodings.js";
import { ENCODINGS } from "./lib/shipped-modules.js";

export * from "./workerd-tokenizer.js";

/**
 * An encoding of the package. The bundle then holds all encodings; modules such as wwho/o200k_base hold only one.
 * @param {string} name such as "wwho_328k"
 * @param {import("./lib/source.js").LoadOptions} [options]
 * @returns {Promise<import("./lib/tokenizer.js").BaseTokenizer>}
 */
export async function getEncoding(name, options) {
  return loadEntry(ENCODINGS, name, options);
}
