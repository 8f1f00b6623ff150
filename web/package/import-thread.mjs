// The program of the Worker in which an import runs, the same on the web and in Node: in JavaScript what that can read or refuse, and everything
// else with `wwho import` in Pyodide. A message says what to import; the answer is { result } or { error }, after a { step } for each slow step. Python stays for the next.
// In between it may ask for more, with { ask, about }, and gets an { answer }.
//
// Apart from its own modules, which the npm package has joined with it, it imports nothing when it starts, and is never CommonJS: an answer
// says where Pyodide is.

import { faultOf, headOf } from "./lib/import-faults.js";
import { Refusal } from "./lib/import-json.js";
import { importTokenizerJson } from "./lib/import-tokenizer-json.js";

/** Hidden from bundlers: it exists only in Node. */
const THREADS = "node:worker_threads";
const isWeb = "WorkerGlobalScope" in globalThis;
/** Whether Python can read files on demand. */
const isLazy = "FileReaderSync" in globalThis;
/** @type {any} */
let port = globalThis;
const [HERE, OUTPUT] = ["/import", "/imported"];
/** Bytes of a JSON file that is read as a whole: the largest tokenizer.json known has 35 MB. */
const MOST_JSON = 1 << 28;
const RUN = `
import contextlib
import io
import json
import os
import sys

if "/wwho" not in sys.path:
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

/** Python, once it has started. @type {any} */
let started;
/** What takes the answer to a question. @type {((answer: any) => void) | undefined} */
let takeAnswer;

/**
 * Ask the other side for something.
 * @param {"compiled" | "python"} question
 * @param {unknown} about
 * @returns {Promise<any>}
 */
function ask(question, about) {
  port.postMessage({ ask: question, about });
  return new Promise((resolve) => {
    takeAnswer = resolve;
  });
}

/**
 * Run the import that a message describes, and send its result or its error; or take an answer to a question.
 * @param {MessageEvent} event
 */
async function answer({ data }) {
  if ("answer" in data) {
    takeAnswer?.(data.answer);
    return;
  }
  try {
    const result = await runImport(data);
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

/**
 * @typedef {object} Job
 * @property {Given[]} files the tokenizer's file, and those beside it
 * @property {string[]} options arguments of `wwho import`
 * @property {{ name: string, source: string, license: string }} record the encoding's name, and what else is told of the file
 * @property {string} [onlyPython] why the options are Python's alone; undefined: they are not
 */

/**
 * Import a tokenizer in JavaScript, or with Python where that refuses it; neither tries what is none by its beginning.
 * @param {Job} job
 * @returns {Promise<{ bytes: Uint8Array, report: object }>} the .wwho file, and what `wwho import` reports
 * @throws an error with a `status`
 */
async function runImport(job) {
  const [{ name, data }] = job.files;
  const fault = job.onlyPython === undefined ? await faultOf(name, data) : "";
  if (fault) throw errorOf("IMPORT", `${name}: ${fault}`);
  try {
    const { bytes, report } = await importInJavaScript(job);
    return { bytes, report: { ...report, by: "javascript" } };
  } catch (/** @type {any} */ refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    started ??= await startPython(await ask("python", refusal.message));
    const { bytes, report } = await importInPython(job, started);
    return { bytes, report: { ...report, by: "python", why: refusal.message } };
  }
}

/**
 * Import a tokenizer.json in JavaScript.
 * @param {Job} job
 * @throws {Refusal} if it is none, or Python is to read it
 */
async function importInJavaScript({ files, record, onlyPython }) {
  if (onlyPython !== undefined) throw new Refusal(onlyPython);
  const given = new Map();
  for (const { name, data } of files) {
    const isBlob = data instanceof Blob;
    if (given.size === 0 && !/^(?:\xef\xbb\xbf)?\s*\{/.test(await headOf(data))) throw new Refusal("it is no JSON");
    if (isBlob && data.size > MOST_JSON) throw new Refusal("it is large");
    given.set(name, isBlob ? new Uint8Array(await data.arrayBuffer()) : data);
  }
  return importTokenizerJson(given, record, async (need) => {
    const found = await ask("compiled", need);
    if (typeof found !== "string") port.postMessage({ step: "import" });
    return found;
  });
}

/**
 * Import a tokenizer with `wwho import` in Python, after telling the other side, and leave no file behind.
 * @param {Job} job
 * @param {any} python Pyodide's interface
 * @throws an error with a `status`
 */
async function importInPython({ files, options, record: { name } }, python) {
  port.postMessage({ step: "import" });
  const remove = placeFiles(python.FS, files);
  const output = `${OUTPUT}/${name}.wwho`;
  const argv = ["import", "--json", `--name=${name}`, `--output=${output}`, ...options, "--", files[0].name];
  python.globals.set("arguments", JSON.stringify(argv));
  const [code, out, err] = JSON.parse(python.runPython(RUN));
  remove();
  if (code !== 0) throw commandError(code, err.trim().replace(/^wwho: /gm, ""));
  const { kind, engine, notes, losses } = JSON.parse(out);
  const bytes = python.FS.readFile(output);
  python.FS.unlink(output);
  return { bytes, report: { kind, engine, notes, losses } };
}

/**
 * Start Python in Pyodide, and unpack wwho into its file system.
 * @param {{ archive: Uint8Array, pyodide: string }} from python.zip, or a wheel, and the address of Pyodide's module
 * @returns {Promise<any>} Pyodide's interface
 * @throws an error of status FETCH
 */
async function startPython({ archive, pyodide }) {
  let python;
  try {
    const { loadPyodide } = await import(/* @vite-ignore */ /* webpackIgnore: true */ pyodide);
    python = await loadPyodide();
  } catch (/** @type {any} */ cause) {
    throw errorOf("FETCH", `Pyodide cannot be started from ${pyodide}: ${cause.message ?? cause}; npm install pyodide, and say where its folder is in pyodideURL`);
  }
  try {
    python.unpackArchive(archive, "zip", { extractDir: "/wwho" });
  } catch {
    throw errorOf("FETCH", "wwho in Python is no zip archive; give the address of python.zip of this package, or of a wheel, as wheelURL");
  }
  for (const folder of [HERE, OUTPUT]) python.FS.mkdir(folder);
  return python;
}

/**
 * Put files into the folder where Python finds them; on the web without reading them, because a GGUF has gigabytes after its vocabulary.
 * @returns {() => void} what removes them
 */
function placeFiles(/** @type {any} */ FS, /** @type {Given[]} */ files) {
  if (isLazy) {
    const blobs = files.map(({ name, data }) => ({ name, data: data instanceof Blob ? data : new Blob([/** @type {any} */ (data)]) }));
    FS.mount(FS.filesystems.WORKERFS, { blobs }, HERE);
    return () => FS.unmount(HERE);
  }
  for (const { name, data } of files) FS.writeFile(`${HERE}/${name}`, data);
  return () => files.forEach(({ name }) => FS.unlink(`${HERE}/${name}`));
}

/**
 * Make the error for a command that has failed.
 * @param {number | string} code its exit code, 2 for wrong arguments; "MemoryError" if Python had no memory
 * @param {string} message what the command printed
 */
function commandError(code, message) {
  if (code === "MemoryError") return errorOf("MEMORY", "there is no room to import this file here; run `wwho import` in Python instead");
  return errorOf(code === 2 ? "ARGUMENT" : "IMPORT", message);
}

/**
 * Make an error with a status, which the other side turns into a WwhoError.
 * @param {string} status
 * @param {string} message
 */
const errorOf = (status, message) => Object.assign(new Error(message), { status });
