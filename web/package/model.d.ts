import type { ModelSource } from "./index.js";

/** What a bundler or runtime makes of an import of a .wwho file: bytes, or the address of a file. Tokenizer.load takes it. */
declare const model: Exclude<ModelSource, Response | Blob>;
export default model;
