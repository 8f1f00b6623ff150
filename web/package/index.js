// wwho for browsers and Workers: no Node built-ins, no top-level await, nothing happens on import. Written by tools/build_npm.py.

import { Fetched } from "./lib/encodings.js";
import { ENCODINGS } from "./lib/shipped-files.js";
import { Tokenizer } from "./tokenizer.js";

export * from "./tokenizer.js";

const fetched = /* @__PURE__ */ new Fetched((url, options) => Tokenizer.load(url, options));

/**
 * Fetch an encoding from the folder models/ next to this file. All callers get the same tokenizer,
 * until it is freed, and share one download.
 * @param {string} name such as "wwho_328k"
 * @param {import("./lib/source.js").LoadOptions} [options]
 * @returns {Promise<InstanceType<typeof Tokenizer>>}
 * @throws {import("./lib/errors.js").WwhoError} ARGUMENT for another name, FETCH if the file cannot
 *   be fetched; the reason of the signal
 */
export async function getEncoding(name, options) {
  return fetched.get(ENCODINGS, name, options);
}
