// wwho/tokenizer for the edge runtimes of Vercel and Next.js, which compile nothing at run time: ?module requests a compiled module.

import { runtime } from "./lib/runtime.js";
import { readBytes } from "./lib/source.js";
// @ts-expect-error TypeScript does not know queries in module names
import core from "./wwho.wasm?module";

export { WwhoError } from "./lib/errors.js";
export { initSync } from "./lib/module.js";

export const { Tokenizer, init } = /* @__PURE__ */ runtime(() => core, readBytes);
