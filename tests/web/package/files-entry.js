// For bundlers: the core and the tokenizer as files beside the bundle (esbuild --loader:.wwho=file --loader:.wasm=file).

import { Tokenizer, init } from "wwho/tokenizer";
import model from "wwho/encodings/wwho_328k.wwho";
import wasm from "wwho/wwho.wasm";

init(new URL(wasm, import.meta.url))
  .then(() => Tokenizer.load(new URL(model, import.meta.url)))
  .then((tokenizer) => ({ count: tokenizer.countTokens("ඔයා 1 special अद्भुत") }))
  .catch((error) => ({ error: `${error.name}: ${error.message}` }))
  .then((result) => (document.documentElement.dataset.result = JSON.stringify(result)));
