import type { Tiktoken, TiktokenEncoding, TiktokenModel } from "./js-tiktoken-lite.js";

export * from "./js-tiktoken-lite.js";

/** Return an encoding by its name, at once: all of them are in the bundle. `wwho/compat/js-tiktoken/lite` holds none. */
export function getEncoding(encoding: TiktokenEncoding, extendSpecialTokens?: Record<string, number>): Tiktoken;

/** Return the encoding of a model. */
export function encodingForModel(model: TiktokenModel, extendSpecialTokens?: Record<string, number>): Tiktoken;
