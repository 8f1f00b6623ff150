// wwho/import for browsers: other libraries' tokenizers as .wwho files. Nothing is loaded before it is needed.

import { argumentError, isBlob, isUrl } from "./lib/arguments.js";
import { WwhoError } from "./lib/errors.js";
import { importer } from "./lib/importing.js";
import { readBytes } from "./lib/source.js";

export { WwhoError };

/** Start the Worker in which an import runs. @throws {WwhoError} WORKER if the runtime has none */
function startWorker() {
  if (typeof Worker === "undefined") throw new WwhoError("WORKER", "there are no Workers here, and an import needs one");
  // Written so that bundlers do not recognize a Worker, and just copy the file: some would make it a classic Worker, in which Pyodide does
  // not run. (Vite would inline a file of less than 4 KB into the program, and its Worker might not be allowed to fetch anything.)
  const program = new URL("./import-thread.mjs", import.meta.url);
  return new Worker(program, { type: "module" });
}

/**
 * Return the address of Pyodide's module. Bundlers cannot copy Pyodide, because no import names it, so the page must serve it and say where.
 * @param {unknown} given the caller's pyodideURL: the address of Pyodide's folder
 * @returns {string}
 * @throws {WwhoError} ARGUMENT if there is none
 */
function pyodideModule(given) {
  if (typeof given !== "string" && !isUrl(given)) {
    throw argumentError("pyodideURL", given, "the address of the folder of npm's package pyodide: npm install pyodide, and serve it beside the page");
  }
  const { href } = new URL(given, globalThis.document?.baseURI ?? globalThis.location?.href);
  return /\.m?js$/.test(href) ? href : new URL("pyodide.mjs", href.replace(/\/?$/, "/")).href;
}

export const importTokenizer = /* @__PURE__ */ importer({
  spawn: startWorker,
  read: readBytes,
  // A Blob is read in the Worker, only as far as necessary.
  readTokenizer: async (given, what, options) => (isBlob(given) ? given : readBytes(given, what, options)),
  archive: () => new URL("./python.zip", import.meta.url),
  pyodide: pyodideModule,
});
