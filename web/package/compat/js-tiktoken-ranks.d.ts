import type { TiktokenBPE } from "./js-tiktoken-lite.js";

/** What `new Tiktoken` of `wwho/compat/js-tiktoken/lite` takes. */
declare const ranks: TiktokenBPE;
export default ranks;
