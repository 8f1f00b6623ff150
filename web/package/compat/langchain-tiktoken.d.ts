import type { Tiktoken, TiktokenEncoding, TiktokenModel } from "./js-tiktoken-lite.js";

/** Return an encoding, which is imported at the first call; LangChain fetches it from tiktoken.pages.dev. */
export function getEncoding(encoding: TiktokenEncoding): Promise<Tiktoken>;

/** Return the encoding of a model. */
export function encodingForModel(model: TiktokenModel): Promise<Tiktoken>;
