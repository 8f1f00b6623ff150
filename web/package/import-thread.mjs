// The program of the Worker in which an import runs, the same on the web and in Node: `wwho import` in Pyodide. One message says what to
// import; the answer is { result } or { error }, after a { step } for each slow step.
//
// It imports nothing when it starts, and is never CommonJS: the message says where Pyodide is.

/** Hidden from bundlers: it exists only in Node. */
const THREADS = "node:worker_threads";
const isWeb = "WorkerGlobalScope" in globalThis;
/** Whether Python can read files on demand. */
const isLazy = "FileReaderSync" in globalThis;
/** @type {any} */
let port = globalThis;
const [HERE, OUTPUT] = ["/import", "/imported"];
const RUN = `
import contextlib
import io
import json
import os
import sys

sys.path.insert(0, "/wwho")
os.chdir("${HERE}")
from wwho.cli.main import main

out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
    try:
        code = main(json.loads(arguments))
    except SystemExit as usage:
        code = usage.code
    except MemoryError:
        code = "MemoryError"
out.seek(0)
json.dumps([code, out.read(), err.getvalue()])
`;

/** @typedef {{ name: string, data: Blob | Uint8Array }} Given a file */

/** @param {MessageEvent} event */
async function answer({ data }) {
  try {
    const result = await imported(data);
    port.postMessage({ result }, [result.bytes.buffer]);
  } catch (/** @type {any} */ error) {
    const { status, message = error } = error;
    // Of Python's own error, the last line, after its traceback.
    const told = status ? message : String(message).trim().split("\n").at(-1);
    port.postMessage({ error: { status: status ?? "WORKER", message: told } });
  }
}

// No top-level await: bundlers make scripts of Workers.
if (isWeb) port.addEventListener("message", answer);
else {
  import(/* @vite-ignore */ /* webpackIgnore: true */ THREADS).then(({ parentPort }) => {
    port = parentPort;
    port.addEventListener("message", answer);
    port.start();
  });
}

/** @param {{ files: Given[], archive: Uint8Array, pyodide: string, options: string[], name: string }} job `name` of the encoding */
async function imported({ files, archive, pyodide, options, name }) {
  const python = await started(pyodide, archive);
  port.postMessage({ step: "import" });
  placed(python.FS, files);
  python.FS.mkdir(OUTPUT);
  const output = `${OUTPUT}/${name}.wwho`;
  const argv = ["import", "--json", `--name=${name}`, `--output=${output}`, ...options, "--", files[0].name];
  python.globals.set("arguments", JSON.stringify(argv));
  const [code, out, err] = JSON.parse(python.runPython(RUN));
  if (code !== 0) throw failure(code, err.trim().replace(/^wwho: /gm, ""));
  const { kind, engine, notes, losses } = JSON.parse(out);
  return { bytes: python.FS.readFile(output), report: { kind, engine, notes, losses } };
}

/** Python, with wwho. @param {string} pyodide @param {Uint8Array} archive @returns {Promise<any>} */
async function started(pyodide, archive) {
  port.postMessage({ step: "start" });
  let python;
  try {
    const { loadPyodide } = await import(/* @vite-ignore */ /* webpackIgnore: true */ pyodide);
    python = await loadPyodide();
  } catch (/** @type {any} */ cause) {
    throw fault("FETCH", `Pyodide cannot be started from ${pyodide}: ${cause.message ?? cause}; npm install pyodide, and say where its folder is in pyodideURL`);
  }
  try {
    python.unpackArchive(archive, "zip", { extractDir: "/wwho" });
  } catch {
    throw fault("FETCH", "wwho in Python is no zip archive; give the address of python.zip of this package, or of a wheel, as wheelURL");
  }
  return python;
}

/** Put the files where Python finds them; on the web without reading them, because a GGUF file has gigabytes after its vocabulary. */
function placed(/** @type {any} */ FS, /** @type {Given[]} */ files) {
  FS.mkdir(HERE);
  if (isLazy) {
    const blobs = files.map(({ name, data }) => ({ name, data: data instanceof Blob ? data : new Blob([/** @type {any} */ (data)]) }));
    FS.mount(FS.filesystems.WORKERFS, { blobs }, HERE);
    return;
  }
  for (const { name, data } of files) FS.writeFile(`${HERE}/${name}`, data);
}

/** @param {number | string} code @param {string} message */
function failure(code, message) {
  if (code === "MemoryError") return fault("MEMORY", "there is no room to import this file here; run `wwho import` in Python instead");
  return fault(code === 2 ? "ARGUMENT" : "IMPORT", message);
}

/** @param {string} status @param {string} message */
const fault = (status, message) => Object.assign(new Error(message), { status });
