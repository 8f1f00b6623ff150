// Other libraries' tokenizers, imported on the page with the package's importer, which is fetched when it is first needed.

/** @typedef {import("../../package/import.js").ImportReport} Report */

/** The message for each slow step. */
const STEPS = { load: "fetching the import", start: "starting Python, 14 MB the first time", import: "reading the vocabulary" };
/** A file of another library, by its name; of a file that was chosen as a tokenizer, the importer finds out what it is. */
const NAMES = /^(tokenizer|tekken)[^/]*\.json$|^vocab\.(json|txt)$|\.(model|gguf|tiktoken|json\.gz)$/i;
/** Files next to a tokenizer that belong to it. */
const BESIDE = /^(tokenizer_config\.json|special_tokens_map\.json|chat_template\.jinja|merges\.txt|config\.json)$/i;

/** @param {string} path */
const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);
/** @param {string} path */
export const isBeside = (path) => BESIDE.test(nameOf(path));
/** @param {string} path @returns {boolean} whether it should be a tokenizer of another library */
export const isForeign = (path) => NAMES.test(nameOf(path)) && !isBeside(path);

/**
 * @param {File} file @param {readonly File[]} beside
 * @param {(what: string) => void} onStep
 * @returns {Promise<{ blob: Uint8Array<ArrayBuffer>, report: Report | undefined }>}
 * @throws {Error} it cannot be imported, or Pyodide is not there
 */
export async function imported(file, beside, onStep) {
  const pyodideURL = new URL("pyodide/pyodide.mjs", document.baseURI);
  // As on the Python page: a server without Pyodide may answer with an HTML page.
  const found = await fetch(pyodideURL).catch(() => undefined);
  if (!found?.ok || !/javascript/.test(found.headers.get("Content-Type") ?? "")) {
    throw new Error(
      `${file.name} is no .wwho file, and to import it here this server needs Pyodide: npm install pyodide where wwho serve is started; ` +
        "or import it in Python, see “Bring your own tokenizer”",
    );
  }
  const { importTokenizer } = await import("../../package/import.js");
  /** @type {Report | undefined} */
  let report;
  const blob = await importTokenizer([file, ...beside], {
    pyodideURL,
    onProgress: ({ step }) => onStep(`Importing ${file.name}: ${STEPS[step]}`),
    onReport: (said) => (report = said),
  });
  return { blob, report };
}
