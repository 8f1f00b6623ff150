// Compiles wwho.wasm once per process or page.

import { argumentError } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { readBytes } from "./source.js";

/** @type {Promise<WebAssembly.Module> | undefined} */
let compiled;
/** The same, once it is there. @type {WebAssembly.Module | undefined} */
let ready;

/**
 * The compiled core. The first call decides where it comes from; later ones get the same module whatever they name. A call
 * that failed is forgotten, so that the next may try again.
 * @param {() => unknown} source gives a compiled WebAssembly.Module (runtimes that may not compile bytes) or what readBytes takes
 * @returns {Promise<WebAssembly.Module>}
 * @throws {WwhoError} NO_WEBASSEMBLY, FETCH, WASM or ARGUMENT
 */
export function coreModule(source) {
  compiled ??= compile(source).then(
    (module) => (ready ??= module),
    (error) => {
      compiled = ready && Promise.resolve(ready);
      throw error;
    },
  );
  return compiled;
}

/**
 * Have the core without waiting. Like init: where there is one already, nothing happens.
 * @param {unknown} source a compiled WebAssembly.Module, or the bytes of wwho.wasm
 * @throws {WwhoError} NO_WEBASSEMBLY, WASM or ARGUMENT
 */
export function initSync(source) {
  requireWebAssembly();
  ready ??= compileSync(source);
  compiled = Promise.resolve(ready);
}

/** The core that init or initSync has compiled. @throws {WwhoError} WASM */
export function readyModule() {
  if (ready === undefined) {
    throw new WwhoError(
      "WASM",
      "wwho.wasm is not compiled yet; call initSync(module), or await init(), before loadSync",
    );
  }
  return ready;
}

/** @param {unknown} source */
function compileSync(source) {
  if (source instanceof WebAssembly.Module) {
    return source;
  }
  if (!(source instanceof ArrayBuffer) && !ArrayBuffer.isView(source)) {
    throw argumentError("wwho.wasm", source, "a WebAssembly.Module or bytes; for a URL or a Response, await init()");
  }
  try {
    return new WebAssembly.Module(/** @type {BufferSource} */ (source));
  } catch (cause) {
    throw cannotCompile(source.byteLength, cause);
  }
}

function requireWebAssembly() {
  if (typeof WebAssembly === "undefined") {
    throw new WwhoError(
      "NO_WEBASSEMBLY",
      "WebAssembly is missing or switched off here; wwho needs it: allow it for this site, or use another browser",
    );
  }
}

/** @param {number} length of the bytes @param {unknown} cause */
function cannotCompile(length, cause) {
  return new WwhoError(
    "WASM",
    `cannot compile wwho.wasm (${length} bytes): ${cause}; check that the file is whole and that ` +
      "the page's Content-Security-Policy has 'wasm-unsafe-eval' in script-src",
    { cause },
  );
}

/** @param {() => unknown} source */
async function compile(source) {
  requireWebAssembly();
  const given = await source();
  if (given instanceof WebAssembly.Module) {
    return given;
  }
  // Compiled from bytes, not as a stream: 64 KiB gain nothing from it, and a server's wrong MIME type does no harm.
  const bytes = await readBytes(given, "wwho.wasm");
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw cannotCompile(bytes.length, cause);
  }
}
