// The far side of worker.js: one tokenizer, called by messages { id, method, values }.

import { Tokenizer, init } from "./index.js";

const METHODS = new Set([
  "encode",
  "encodeWithOffsets",
  "countTokens",
  "isWithinTokenLimit",
  "decode",
  "decodeBytes",
  "tokenBytes",
  "segment",
]);

/** @type {Tokenizer} */
let tokenizer;

/** @param {{ model: import("./index.js").ModelSource, wasm?: import("./index.js").WasmSource }} sources */
async function load({ model, wasm }) {
  await init(wasm);
  tokenizer = await Tokenizer.load(model);
  const { name, info, provenance, specialTokens } = tokenizer;
  return { name, info, provenance, specialTokens };
}

/**
 * @param {string} method
 * @param {any[]} values
 */
function perform(method, values) {
  if (method === "load") return load(values[0]);
  if (METHODS.has(method)) return /** @type {any} */ (tokenizer)[method](...values);
  throw new TypeError(`no method ${method}`);
}

self.addEventListener("message", async ({ data: { id, method, values } }) => {
  try {
    self.postMessage({ id, result: await perform(method, values) });
  } catch (error) {
    const { status = "INTERNAL", message } = /** @type {any} */ (error);
    self.postMessage({ id, error: { status, message } });
  }
});
