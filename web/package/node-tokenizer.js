// wwho/tokenizer for Node, Deno and Bun: everything in wwho except the encodings. Written by tools/build_npm.py.

import { readFromDisk } from "./lib/disk.js";
import { coreSource } from "./lib/node-core.js";
import { runtime } from "./lib/runtime.js";

export { WwhoError } from "./lib/errors.js";
export { initSync } from "./lib/module.js";

export const { Tokenizer, init } = /* @__PURE__ */ runtime(coreSource, readFromDisk);
