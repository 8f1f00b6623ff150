// For bundlers: the core inside, the tokenizer as bytes in the bundle (esbuild --loader:.wwho=binary).

import { Tokenizer } from "wwho/inline";
import model from "wwho/encodings/wwho_328k.wwho";

Tokenizer.load(model)
  .then((tokenizer) => ({
    count: tokenizer.countTokens("ඔයා 1 special अद्भुत"),
    fetched: performance.getEntriesByType("resource").filter(({ name }) => /\.(wasm|wwho)$/.test(name)).length,
  }))
  .catch((error) => ({ error: `${error.name}: ${error.message}` }))
  .then((result) => (document.documentElement.dataset.result = JSON.stringify(result)));
