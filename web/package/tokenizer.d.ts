/** wwho without getEncoding, for your own .wwho files: bundlers then copy none of the package's encodings. */

export { Tokenizer, WwhoError, init, initSync } from "./index.js";
export type * from "./index.js";
