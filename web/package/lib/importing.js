// importTokenizer: prepares its arguments for the Worker of import-thread.mjs, and finds what that asks for. The entries (import.js,
// node-import.js) find that Worker and the files.

import { argumentError, bytesOf, isBlob, isIterable, isResponse, isUrl, requireBoolean, requireOptions } from "./arguments.js";
import { compiledReader } from "./compiled-patterns.js";
import { WwhoError } from "./errors.js";

/** @typedef {import("./pool.js").Thread} Thread */
/** @typedef {import("./source.js").LoadOptions} LoadOptions */
/** @typedef {{ name: string, data: Blob | Uint8Array }} Given a file */
/** @typedef {{ kind: string, engine: string, notes: string[], losses: string[], by: "javascript" | "python", why?: string }} Report */
/** @typedef {Record<string, (about: any) => Promise<unknown>>} Answers what the Worker may ask for */
/** @typedef {"load" | "start" | "import"} Step */
/**
 * @typedef {object} ImportOptions
 * @property {unknown} [pyodideURL]
 * @property {unknown} [wheelURL]
 * @property {string} [name]
 * @property {string} [source]
 * @property {string} [license]
 * @property {string} [pattern]
 * @property {Readonly<Record<string, number>>} [special]
 * @property {boolean} [lowercase]
 * @property {boolean} [keepPython]
 * @property {AbortSignal} [signal]
 * @property {(progress: { step: Step }) => void} [onProgress]
 * @property {(report: Report) => void} [onReport]
 */

/** The options that are a text, and that `wwho import` has under the same name. */
const TEXTS = /** @type {const} */ (["source", "license", "pattern"]);
const OPTIONS = new Set([...TEXTS, "pyodideURL", "wheelURL", "name", "special", "lowercase", "keepPython", "signal", "onProgress", "onReport"]);
/** Options for files that Python alone reads. */
const ONLY_PYTHON = /** @type {const} */ (["pattern", "special", "lowercase"]);
/** What an import fails with that leaves Python as it was. */
const HARMLESS = ["IMPORT", "ARGUMENT"];
/** The name of a file whose name is unknown. */
const UNNAMED = "tokenizer";

/**
 * Return importTokenizer for a runtime, which says how it finds and reads what an import needs.
 * @param {object} runtime
 * @param {() => Thread} runtime.spawn starts the Worker of import-thread.mjs
 * @param {(source: unknown, what: string, options?: LoadOptions) => Promise<Uint8Array>} runtime.read reads all of a source
 * @param {(given: unknown, what: string, options: LoadOptions) => Promise<Blob | Uint8Array>} runtime.readTokenizer reads as much of a
 *   tokenizer's file as an import needs
 * @param {() => unknown} runtime.archive returns the source of python.zip, wwho in Python
 * @param {(given: unknown) => string} runtime.pyodide returns the address of Pyodide's module, from the caller's pyodideURL; it throws if
 *   there is none
 */
export function importer({ spawn, read, readTokenizer, archive, pyodide }) {
  /** A Worker with Python, for the next import that may use it. @type {ImportWorker | undefined} */
  let kept;

  /**
   * Return a Worker for an import: the one that is kept, if its Python is the same, or a new one.
   * @param {ImportOptions} options
   */
  const workerFor = ({ keepPython = false, pyodideURL, wheelURL }) => {
    const python = [String(pyodideURL), isUrl(wheelURL) ? wheelURL.href : wheelURL];
    const found = keepPython ? kept : undefined;
    if (found) kept = undefined;
    if (found && !found.hasEnded && found.python.every((each, i) => each === python[i])) {
      found.thread.ref?.();
      return found;
    }
    found?.thread.terminate();
    return new ImportWorker(spawn(), python);
  };

  /**
   * Keep a Worker for the next import, or end it, together with Python and all its memory.
   * @param {ImportWorker} worker
   * @param {boolean} isKept whether it is sound, and the caller keeps Python
   */
  const release = (worker, isKept) => {
    if (!isKept || !worker.hasPython || kept) {
      worker.thread.terminate();
      return;
    }
    kept = worker;
    worker.thread.unref?.();
  };

  /**
   * Read a file of the tokenizer.
   * @param {unknown} source a URL, Response, Blob or bytes, or a promise of one
   * @param {AbortSignal} [signal]
   * @returns {Promise<Given & { isOurs: boolean }>} with the name "" if the source has none; whether the data is no memory of the caller's
   */
  const readFile = async (source, signal) => {
    const given = await source;
    const name = fileNameOf(given);
    return { name, data: await readTokenizer(given, name || "the tokenizer", { signal }), isOurs: bytesOf(given) === undefined };
  };

  /**
   * Read the archive with wwho in Python.
   * @param {unknown} wheel the caller's wheelURL; undefined: the archive of this package
   * @param {AbortSignal} [signal]
   * @returns {Promise<Uint8Array>}
   * @throws {WwhoError} FETCH, with a remedy for the archive of this package
   */
  const readArchive = async (wheel, signal) => {
    try {
      return await read(wheel ?? archive(), "wwho in Python", { signal });
    } catch (/** @type {any} */ cause) {
      if (wheel !== undefined || cause.status !== "FETCH") throw cause;
      throw new WwhoError("FETCH", `${cause.message}; or say as wheelURL where python.zip of this package is`, { cause });
    }
  };

  /**
   * Convert a tokenizer of another library into a .wwho file, in a Worker that then ends, unless it keeps Python: in JavaScript, or with `wwho import` in Python.
   * @param {unknown} source the tokenizer's file, or a list of it and the files beside it, the tokenizer first
   * @param {ImportOptions} [options] `onReport` is called once, before the promise is fulfilled
   * @returns {Promise<Uint8Array<ArrayBuffer>>} the bytes of the .wwho file
   * @throws {WwhoError} ARGUMENT, FETCH, IMPORT, MEMORY or WORKER; otherwise the signal's reason
   */
  return async function importTokenizer(source, options = {}) {
    requireOptions(options, OPTIONS);
    const { signal, onProgress, onReport, wheelURL, source: from = "", license = "" } = options;
    signal?.throwIfAborted();
    const arguments_ = commandArguments(options);
    if (options.keepPython !== undefined) requireBoolean(options.keepPython, "keepPython");
    onProgress?.({ step: "load" });
    const sources = Array.isArray(source) ? source : [source];
    if (sources.length === 0) throw argumentError("the tokenizer", source, "a file, or a list with one first");
    const files = await Promise.all(sources.map((each) => readFile(each, signal)));
    files[0].name ||= UNNAMED;
    requireUniqueNames(files);
    const name = options.name ?? files[0].name.replace(/(?<=.)\.[^.]*$/, "");
    const onlyPython = ONLY_PYTHON.find((key) => options[key] !== undefined);
    const transfer = files.flatMap(({ data, isOurs }) => (isOurs && ArrayBuffer.isView(data) && data.length === data.buffer.byteLength ? [data.buffer] : []));
    const job = { files, options: arguments_, record: { name, source: from, license }, onlyPython: onlyPython && `the option ${onlyPython} is given` };
    const worker = workerFor(options);
    const ended = (/** @type {boolean} */ isSound) => release(worker, isSound && options.keepPython === true);
    const { bytes, report } = await runJob(worker, job, transfer, signal, onProgress, ended, {
      compiled: compiledReader((url, what) => read(url, what, { signal })),
      python: async (why) => {
        const module = pythonModule(options.pyodideURL, files[0].name, why);
        worker.hasPython = true;
        onProgress?.({ step: "start" });
        // A copy, because a Worker in Node must not get a Buffer, which Python does not know.
        return { archive: Uint8Array.from(await readArchive(wheelURL, signal)), pyodide: module };
      },
    });
    onReport?.(report);
    return bytes;
  };

  /**
   * Return the address of Pyodide's module.
   * @param {unknown} given the caller's pyodideURL
   * @param {string} file the name of the file that Python is to read
   * @param {string} why JavaScript does not
   * @throws {WwhoError} as `pyodide`, with the file and the reason
   */
  function pythonModule(given, file, why) {
    try {
      return pyodide(given);
    } catch (/** @type {any} */ cause) {
      throw new WwhoError(cause.status, `${file} is imported by Python, because ${why}: ${cause.message}`, { cause });
    }
  }
}

/** A Worker of import-thread.mjs, which runs one import after the other. */
class ImportWorker {
  /** Whether it has been asked to start Python. */
  hasPython = false;
  hasEnded = false;
  /** What takes its messages. @param {any} _data */
  take = (_data) => {};
  /** What is told that it has ended. @param {any} _event */
  fail = (_event) => {};

  /**
   * Listen to a Worker.
   * @param {Thread} thread
   * @param {readonly unknown[]} python where its Python is to come from
   */
  constructor(thread, python) {
    this.thread = thread;
    this.python = python;
    const end = (/** @type {any} */ event) => {
      event?.preventDefault?.(); // or the page would report it, too, even where a busy Worker that was ended throws it later
      this.hasEnded = true;
      this.fail(event);
    };
    thread.addEventListener("error", end);
    thread.addEventListener("messageerror", end);
    thread.addEventListener("message", ({ data }) => this.take(data));
  }
}

/**
 * Run an import in a Worker.
 * @param {ImportWorker} worker
 * @param {unknown} job the message that import-thread.mjs takes
 * @param {Transferable[]} transfer memory in it that moves to the Worker
 * @param {AbortSignal | undefined} signal ends the Worker
 * @param {((progress: { step: Step }) => void) | undefined} onProgress if it throws, the import ends with that error
 * @param {(isSound: boolean) => void} ended is called at the end, with whether the Worker may run another import
 * @param {Answers} answers
 * @returns {Promise<{ bytes: Uint8Array<ArrayBuffer>, report: Report }>}
 * @throws {WwhoError} with the status that the Worker sends; WORKER if it ends early; otherwise the signal's reason
 */
function runJob(worker, job, transfer, signal, onProgress, ended, answers) {
  const { thread } = worker;
  let isSound = false;
  /** @type {() => void} */
  let abort = () => {};
  const answer = new Promise((resolve, reject) => {
    abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    worker.fail = (event) => {
      reject(new WwhoError("WORKER", `the Worker of the import ended: ${event?.message ?? event}; check that wwho/import was bundled completely`));
    };
    worker.take = (data) => {
      isSound = "result" in data || HARMLESS.includes(data.error?.status);
      if (data.error) reject(new WwhoError(data.error.status, data.error.message));
      else if (data.result) resolve(data.result);
      else if (data.ask) answers[data.ask](data.about).then((found) => thread.postMessage({ answer: found }, []), reject);
      else {
        try {
          onProgress?.(data);
        } catch (error) {
          reject(error);
        }
      }
    };
    thread.postMessage(job, transfer);
  });
  return answer.finally(() => {
    signal?.removeEventListener("abort", abort);
    ended(isSound);
  });
}

/**
 * Return the name of a source's file: the last part of its path or address, decoded, without characters that Python's paths do not allow.
 * @param {any} source
 * @returns {string} "" if it has none: for bytes, data: addresses, and names such as ".."
 */
function fileNameOf(source) {
  const isAddress = typeof source === "string" || isUrl(source);
  const path = isBlob(source) ? /** @type {any} */ (source).name : isResponse(source) ? source.url : isAddress ? String(source) : "";
  if (!isBlob(source) && /^data:/i.test(path)) return "";
  const last = String(path ?? "").replace(/[?#].*$/, "").split(/[\\/]/).pop() ?? "";
  try {
    return (isBlob(source) ? last : decodeURIComponent(last)).replace(/[/\0]/g, "_").replace(/^\.{1,2}$/, "");
  } catch {
    return last;
  }
}

/**
 * Reject files without a name, or with the name of one before: Python finds files by their names.
 * @param {readonly Given[]} files
 * @throws {WwhoError} ARGUMENT
 */
function requireUniqueNames(files) {
  for (const [i, { name }] of files.entries()) {
    const isTaken = files.findIndex((each) => each.name === name) < i;
    const fault = name === "" ? "no name" : isTaken ? `the name of another, ${JSON.stringify(name)}` : "";
    const expected = "pass a File with the name that it has beside the tokenizer, such as tokenizer_config.json";
    if (fault) throw new WwhoError("ARGUMENT", `file ${i + 1} of the list has ${fault}; ${expected}`);
  }
}

/**
 * Check the options of importTokenizer, and return those that `wwho import` has as arguments of its command line.
 * @param {ImportOptions} options
 * @returns {string[]} such as ["--source=...", "--special=<s>=1"]; the name is not among them
 * @throws {WwhoError} ARGUMENT for an option of the wrong kind
 */
function commandArguments(options) {
  const { name, special = {}, lowercase, onReport } = options;
  for (const key of /** @type {const} */ (["name", ...TEXTS])) {
    if (options[key] !== undefined && typeof options[key] !== "string") throw argumentError(key, options[key], "a string");
  }
  if (name !== undefined && /^$|[\\/\0]/.test(name)) throw argumentError("name", name, "the name of an encoding, without slashes");
  if (lowercase !== undefined) requireBoolean(lowercase, "lowercase");
  if (onReport !== undefined && typeof onReport !== "function") throw argumentError("onReport", onReport, "a function; leave it out for none");
  if (typeof special !== "object" || special === null || isIterable(special)) throw argumentError("special", special, "an object of special tokens and their ids");
  for (const [text, id] of Object.entries(special)) {
    if (!Number.isInteger(id)) throw argumentError(`the id of ${JSON.stringify(text)}`, id, "an integer");
  }
  return [
    ...TEXTS.flatMap((key) => (options[key] === undefined ? [] : [`--${key}=${options[key]}`])),
    ...Object.entries(special).map(([text, id]) => `--special=${text}=${id}`),
    ...(lowercase === undefined ? [] : [lowercase ? "--lowercase" : "--no-lowercase"]),
  ];
}
