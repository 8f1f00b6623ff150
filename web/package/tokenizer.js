// wwho/tokenizer for browsers and Workers: everything in wwho except the encodings. Written by tools/build_npm.py.

import { runtime } from "./lib/runtime.js";
import { coreSource } from "./lib/shipped-core.js";
import { readBytes } from "./lib/source.js";

export { WwhoError } from "./lib/errors.js";
export { initSync } from "./lib/module.js";

export const { Tokenizer, init } = /* @__PURE__ */ runtime(coreSource, readBytes);
