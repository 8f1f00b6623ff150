// Other libraries' tokenizers, imported on the page with the package's importer, which is fetched when it is first needed.

/** @typedef {import("../../package/import.js").ImportReport} Report */

/** The message for each slow step. */
const STEPS = { load: "fetching the import", start: "starting Python, 14 MB the first time", import: "reading the vocabulary" };

/**
 * Import a tokenizer of another library, with the files beside it, into a .wwho file: in JavaScript if that can read it, otherwise in Python.
 * @param {File} file
 * @param {readonly File[]} beside
 * @param {(what: string) => void} onStep
 * @returns {Promise<{ blob: Uint8Array<ArrayBuffer>, report: Report | undefined }>}
 * @throws {Error} it cannot be imported, or needs Pyodide, which cannot be fetched or is not there
 */
export async function imported(file, beside, onStep) {
  const pyodideURL = new URL("pyodide/pyodide.mjs", document.baseURI);
  const { importTokenizer } = await import("../../package/import.js");
  /** @type {Report | undefined} */
  let report;
  try {
    const blob = await importTokenizer([file, ...beside], {
      pyodideURL,
      keepPython: true,
      onProgress: ({ step }) => onStep(`Importing ${file.name}: ${STEPS[step]}`),
      onReport: (said) => (report = said),
    });
    return { blob, report };
  } catch (/** @type {any} */ cause) {
    if (cause.status === "FETCH") await requirePyodide(pyodideURL, file.name);
    throw cause;
  }
}

/**
 * Check that the server has Pyodide, because something could not be fetched.
 * @param {URL} url
 * @param {string} name the file that Pyodide imports
 * @throws {Error} it has not, or the network is not there; the message says what to do
 */
async function requirePyodide(url, name) {
  const found = await fetch(url).catch((cause) => {
    throw new Error(`cannot fetch Pyodide, which imports ${name}: ${cause.message}; is the network there?`);
  });
  // As on the Python page: a server without Pyodide may answer with an HTML page.
  if (!found.ok || !/javascript/.test(found.headers.get("Content-Type") ?? "")) {
    throw new Error(
      `${name} is no .wwho file, and to import it here this server needs Pyodide: npm install pyodide where wwho serve is started; ` +
        "or import it in Python, see “Bring your own tokenizer”",
    );
  }
}
