// Compiles wwho.wasm once per process or page.

import { argumentError, bytesOf, isModule } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { readBytes } from "./source.js";

/** The core, compiled or being compiled. @type {Promise<WebAssembly.Module> | undefined} */
let compiled;
/** The core, once it is compiled. @type {WebAssembly.Module | undefined} */
let ready;

/**
 * Compile the core, and return it. The first call decides where it comes from; later calls get the same module, whatever they name. A
 * failed call is forgotten, so that the next one can try again.
 * @param {() => unknown} source returns a compiled WebAssembly.Module (for runtimes that cannot compile bytes) or what `read` takes
 * @param {typeof readBytes} [read] reads the bytes of a source
 * @returns {Promise<WebAssembly.Module>}
 * @throws {WwhoError} NO_WEBASSEMBLY, NO_TEXTDECODER, NO_TEXTENCODER, FETCH, WASM or ARGUMENT
 */
export function coreModule(source, read = readBytes) {
  compiled ??= compile(source, read).then(
    (module) => (ready ??= module),
    (error) => {
      compiled = ready && Promise.resolve(ready);
      throw error;
    },
  );
  return compiled;
}

/**
 * Compile the core synchronously. Like init, this does nothing if the core is already compiled, not even read `source`.
 * @param {unknown} source a compiled WebAssembly.Module, or the bytes of wwho.wasm
 * @throws {WwhoError} NO_WEBASSEMBLY, NO_TEXTDECODER, NO_TEXTENCODER, WASM or ARGUMENT
 */
export function initSync(source) {
  readyModule(() => source);
}

/**
 * Return the core, and compile it synchronously if it was not compiled before.
 * @param {() => unknown} source returns a compiled WebAssembly.Module or the bytes of wwho.wasm; called only if it is needed
 * @returns {WebAssembly.Module}
 * @throws {WwhoError} NO_WEBASSEMBLY, NO_TEXTDECODER, NO_TEXTENCODER, WASM or ARGUMENT
 */
export function readyModule(source) {
  requireRuntime();
  ready ??= compileSync(source());
  compiled = Promise.resolve(ready);
  return ready;
}

/**
 * Return a module as it is, or compile bytes.
 * @param {unknown} source a WebAssembly.Module, or the bytes of wwho.wasm
 * @returns {WebAssembly.Module}
 * @throws {WwhoError} ARGUMENT for anything else, such as a URL; WASM if the bytes cannot be compiled
 */
function compileSync(source) {
  if (isModule(source)) return source;
  const bytes = bytesOf(source);
  if (!bytes) {
    throw argumentError("wwho.wasm", source, "a WebAssembly.Module or bytes; for a URL or a Response, await init()");
  }
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    throw compileError(bytes.length, cause);
  }
}

/**
 * Throw an error if the runtime lacks what the package needs: WebAssembly, or TextDecoder or TextEncoder, as some versions of Hermes do.
 * @throws {WwhoError} NO_WEBASSEMBLY, NO_TEXTDECODER or NO_TEXTENCODER
 */
function requireRuntime() {
  if (typeof WebAssembly === "undefined") {
    throw new WwhoError(
      "NO_WEBASSEMBLY",
      "WebAssembly is missing or switched off here; wwho needs it: allow it for this site, or use another browser",
    );
  }
  // Not `name in globalThis`: Jest's jsdom lacks both, and the package for require has them from node:util.
  const needed = [
    { name: "TextDecoder", status: "NO_TEXTDECODER", isThere: typeof TextDecoder !== "undefined" },
    { name: "TextEncoder", status: "NO_TEXTENCODER", isThere: typeof TextEncoder !== "undefined" },
  ];
  for (const { name, status, isThere } of needed) {
    if (!isThere) throw new WwhoError(status, `${name} is missing here; wwho needs it: load a polyfill of it before wwho`);
  }
}

/**
 * Make the error for bytes that the engine does not compile; the caller throws it.
 * @param {number} length how many bytes there are
 * @param {unknown} cause the engine's error
 * @returns {WwhoError} of status WASM
 */
function compileError(length, cause) {
  return new WwhoError(
    "WASM",
    `cannot compile wwho.wasm (${length} bytes): ${cause}; check that the file is whole and that ` +
      "the page's Content-Security-Policy has 'wasm-unsafe-eval' in script-src",
    { cause },
  );
}

/**
 * Read the core and compile it; a module that is compiled already is returned as it is.
 * @param {() => unknown} source returns a WebAssembly.Module or what `read` takes, or a promise of one
 * @param {typeof readBytes} read
 * @returns {Promise<WebAssembly.Module>}
 * @throws {WwhoError} NO_WEBASSEMBLY, NO_TEXTDECODER, NO_TEXTENCODER, FETCH, WASM or ARGUMENT
 */
async function compile(source, read) {
  requireRuntime();
  const given = await source();
  if (isModule(given)) return given;
  // Compiled from bytes, not from a stream: some 100 KiB gain nothing from streaming, and a server's wrong MIME type does no harm.
  const bytes = await read(given, "wwho.wasm");
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw compileError(bytes.length, cause);
  }
}
