// wwho for browsers and Workers: no Node built-ins, no top-level await, nothing happens on import.

import { Fetched } from "./lib/encodings.js";
import { ENCODINGS } from "./lib/shipped-files.js";
import { Tokenizer } from "./tokenizer.js";

export * from "./tokenizer.js";

const fetched = /* @__PURE__ */ new Fetched((url, options) => Tokenizer.load(url, options));

/**
 * An encoding in the folder models/ next to this file; all callers get the same tokenizer.
 * @param {string} name
 * @param {import("./lib/source.js").LoadOptions} [options]
 * @returns {Promise<InstanceType<typeof Tokenizer>>}
 */
export async function getEncoding(name, options) {
  return fetched.get(ENCODINGS, name, options);
}
