/** wwho without getEncoding, for .wwho files of your own: a bundler copies none of the package's. */

export { Tokenizer, WwhoError, init, initSync } from "./index.js";
export type * from "./index.js";
