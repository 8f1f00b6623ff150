// Compiles wwho.wasm once per process or page.

import { WwhoError } from "./errors.js";
import { readBytes } from "./source.js";

/** @type {Promise<WebAssembly.Module> | undefined} */
let compiled;

/**
 * The compiled core. The first call decides where it comes from; later ones get the same module whatever they name. A call
 * that failed is forgotten, so that the next may try again.
 * @param {() => unknown} source gives a compiled WebAssembly.Module (runtimes that may not compile bytes) or what readBytes takes
 * @returns {Promise<WebAssembly.Module>}
 * @throws {WwhoError} NO_WEBASSEMBLY, FETCH, WASM or ARGUMENT
 */
export function coreModule(source) {
  compiled ??= compile(source).catch((error) => {
    compiled = undefined;
    throw error;
  });
  return compiled;
}

/** @param {() => unknown} source */
async function compile(source) {
  if (typeof WebAssembly === "undefined") {
    throw new WwhoError(
      "NO_WEBASSEMBLY",
      "WebAssembly is missing or switched off here; wwho needs it: allow it for this site, or use another browser",
    );
  }
  const given = await source();
  if (given instanceof WebAssembly.Module) {
    return given;
  }
  // Compiled from bytes, not as a stream: 64 KiB gain nothing from it, and a server's wrong MIME type does no harm.
  const bytes = await readBytes(given, "wwho.wasm");
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw new WwhoError(
      "WASM",
      `cannot compile wwho.wasm (${bytes.length} bytes): ${cause}; check that the file is whole and that ` +
        "the page's Content-Security-Policy has 'wasm-unsafe-eval' in script-src",
      { cause },
    );
  }
}
