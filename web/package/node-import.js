// wwho/import for Node, Deno and Bun: as import.js, with files from disk and Pyodide from node_modules.

import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { isUrl } from "./lib/arguments.js";
import { readFromDisk, readTokenizer } from "./lib/disk.js";
import { WwhoError } from "./lib/errors.js";
import { importer } from "./lib/importing.js";
import { spawn } from "./lib/node-thread.js";

export { WwhoError };

/**
 * Return the address of Pyodide's module.
 * @param {unknown} given the caller's pyodideURL: a path or address of its folder, or of the module; undefined: the one that is installed
 * @returns {string} a file: address
 * @throws {WwhoError} FETCH if none is installed
 */
function pyodideModule(given) {
  if (given === undefined) return pathToFileURL(installedPyodide()).href;
  const address = isUrl(given) ? given.href : String(given);
  const path = /^file:/i.test(address) ? fileURLToPath(address) : resolve(address);
  return pathToFileURL(statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, "pyodide.mjs") : path).href;
}

/**
 * Return the path of the program's own Pyodide, otherwise of the one that this package finds.
 * @throws {WwhoError} FETCH if there is none
 */
function installedPyodide() {
  for (const from of [resolve("program.js"), fileURLToPath(import.meta.url)]) {
    try {
      return createRequire(from).resolve("pyodide/pyodide.mjs");
    } catch {
      // The next one may be there.
    }
  }
  throw new WwhoError("FETCH", "an import needs Pyodide, which is not installed: npm install pyodide, or say where its folder is in pyodideURL");
}

export const importTokenizer = /* @__PURE__ */ importer({
  spawn: () => spawn(new URL("./import-thread.mjs", import.meta.url)),
  read: readFromDisk,
  readTokenizer,
  archive: () => new URL("./python.zip", import.meta.url),
  pyodide: pyodideModule,
});
