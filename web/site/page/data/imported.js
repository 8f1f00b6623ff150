// Other libraries' tokenizers, imported on the page with the package's importer, which is fetched when it is first needed.

/** @typedef {import("../../package/import.js").ImportReport} Report */

/** The message for each slow step. */
const STEPS = { load: "fetching the import", start: "starting Python, 14 MB the first time", import: "reading the vocabulary" };

/**
 * Import a tokenizer of another library, with the files beside it, into a .wwho file.
 * @param {File} file
 * @param {readonly File[]} beside
 * @param {(what: string) => void} onStep
 * @returns {Promise<{ blob: Uint8Array<ArrayBuffer>, report: Report | undefined }>}
 * @throws {Error} it cannot be imported, or Pyodide cannot be fetched or is not there
 */
export async function imported(file, beside, onStep) {
  const pyodideURL = new URL("pyodide/pyodide.mjs", document.baseURI);
  const found = await fetch(pyodideURL).catch((cause) => {
    throw new Error(`cannot fetch Pyodide, which imports ${file.name}: ${cause.message}; is the network there?`);
  });
  // As on the Python page: a server without Pyodide may answer with an HTML page.
  if (!found.ok || !/javascript/.test(found.headers.get("Content-Type") ?? "")) {
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
