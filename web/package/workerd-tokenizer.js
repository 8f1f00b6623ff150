// wwho/tokenizer for workerd (Cloudflare Workers), which compiles nothing at run time: wwho.wasm is a compiled module.

import { runtime } from "./lib/runtime.js";
import { readBytes } from "./lib/source.js";
import core from "./wwho.wasm";

export { WwhoError } from "./lib/errors.js";
export { initSync } from "./lib/module.js";

export const { Tokenizer, init } = /* @__PURE__ */ runtime(() => core, readBytes);
