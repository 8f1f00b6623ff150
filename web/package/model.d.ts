import type { ModelSource } from "./index.js";

/** The value of an imported .wwho file, which depends on the bundler or runtime: bytes, or the address of a file. Tokenizer.load takes it. */
declare const model: Exclude<ModelSource, Response | Blob>;
export default model;
