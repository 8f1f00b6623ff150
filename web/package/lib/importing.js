// importTokenizer: prepares its arguments for the Worker of import-thread.mjs. The entries (import.js, node-import.js) find that Worker
// and the files.

import { argumentError, isBlob, isIterable, isResponse, isUrl, requireOptions } from "./arguments.js";
import { WwhoError } from "./errors.js";

/** @typedef {import("./pool.js").Thread} Thread */
/** @typedef {import("./source.js").LoadOptions} LoadOptions */
/** @typedef {{ name: string, data: Blob | Uint8Array }} Given a file */
/** @typedef {{ kind: string, engine: string, notes: string[], losses: string[] }} Report */
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
 * @property {AbortSignal} [signal]
 * @property {(progress: { step: Step }) => void} [onProgress]
 * @property {(report: Report) => void} [onReport]
 */

/** Options of `wwho import` that take a text. */
const TEXTS = /** @type {const} */ (["source", "license", "pattern"]);
const OPTIONS = new Set([...TEXTS, "pyodideURL", "wheelURL", "name", "special", "lowercase", "signal", "onProgress", "onReport"]);
/** The name of a file whose name is unknown. */
const UNNAMED = "tokenizer";

/**
 * @param {object} place
 * @param {() => Thread} place.spawn
 * @param {(source: unknown, what: string, options?: LoadOptions) => Promise<Uint8Array>} place.read
 * @param {(given: unknown, what: string, options: LoadOptions) => Promise<Blob | Uint8Array>} place.readTokenizer as far as necessary
 * @param {() => unknown} place.archive where wwho in Python is
 * @param {(given: unknown) => string} place.pyodide the module, from what the caller says
 */
export function importer({ spawn, read, readTokenizer, archive, pyodide }) {
  /** @param {unknown} source @param {AbortSignal} [signal] @returns {Promise<Given>} */
  const fileOf = async (source, signal) => {
    const given = await source;
    const name = nameOf(given);
    return { name, data: await readTokenizer(given, name || "the tokenizer", { signal }) };
  };

  /** @param {unknown} wheel @param {AbortSignal} [signal] */
  const packed = async (wheel, signal) => {
    try {
      return await read(wheel ?? archive(), "wwho in Python", { signal });
    } catch (/** @type {any} */ cause) {
      if (wheel !== undefined || cause.status !== "FETCH") throw cause;
      throw new WwhoError("FETCH", `${cause.message}; or say as wheelURL where python.zip of this package is`, { cause });
    }
  };

  /**
   * The .wwho file that `wwho import` makes from a tokenizer.
   * @param {unknown} source the file, or a list of it and those beside it
   * @param {ImportOptions} [options]
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  return async function importTokenizer(source, options = {}) {
    requireOptions(options, OPTIONS);
    const { signal, onProgress, onReport, wheelURL } = options;
    signal?.throwIfAborted();
    const arguments_ = argumentsOf(options);
    const module = pyodide(options.pyodideURL);
    onProgress?.({ step: "load" });
    const sources = Array.isArray(source) ? source : [source];
    if (sources.length === 0) throw argumentError("the tokenizer", source, "a file, or a list with one first");
    const [python, ...files] = await Promise.all([packed(wheelURL, signal), ...sources.map((each) => fileOf(each, signal))]);
    files[0].name ||= UNNAMED;
    requireNames(files);
    const name = options.name ?? files[0].name.replace(/(?<=.)\.[^.]*$/, "");
    // A copy, because a Worker in Node must not get a Buffer, which Python does not know.
    const job = { files, archive: Uint8Array.from(python), pyodide: module, options: arguments_, name };
    const { bytes, report } = await answerOf(spawn(), job, signal, onProgress);
    onReport?.(report);
    return bytes;
  };
}

/**
 * Runs a job in a Worker, which then ends together with Python and all its memory.
 * @param {Thread} thread
 * @param {unknown} job
 * @param {AbortSignal} [signal]
 * @param {(progress: { step: Step }) => void} [onProgress]
 * @returns {Promise<{ bytes: Uint8Array<ArrayBuffer>, report: Report }>}
 */
function answerOf(thread, job, signal, onProgress) {
  /** @type {() => void} */
  let abort = () => {};
  const answer = new Promise((resolve, reject) => {
    abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    const ended = (/** @type {any} */ event) => {
      event?.preventDefault?.(); // or the page would report it, too, even where a busy Worker that was ended throws it later
      reject(new WwhoError("WORKER", `the Worker of the import ended: ${event?.message ?? event}; check that wwho/import was bundled completely`));
    };
    thread.addEventListener("error", ended);
    thread.addEventListener("messageerror", ended);
    thread.addEventListener("message", ({ data }) => {
      if (data.error) reject(new WwhoError(data.error.status, data.error.message));
      else if (data.result) resolve(data.result);
      else {
        try {
          onProgress?.(data);
        } catch (error) {
          reject(error);
        }
      }
    });
    thread.postMessage(job, []);
  });
  return answer.finally(() => {
    signal?.removeEventListener("abort", abort);
    thread.terminate();
  });
}

/** The last part of the source's path; "" if it has none. @param {any} source */
function nameOf(source) {
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

/** Python finds files by their names. @param {readonly Given[]} files */
function requireNames(files) {
  for (const [i, { name }] of files.entries()) {
    const found = name === "" ? "no name" : files.findIndex((each) => each.name === name) < i ? `the name of another, ${JSON.stringify(name)}` : "";
    const expected = "pass a File with the name that it has beside the tokenizer, such as tokenizer_config.json";
    if (found) throw new WwhoError("ARGUMENT", `file ${i + 1} of the list has ${found}; ${expected}`);
  }
}

/** As the command takes them. @param {ImportOptions} options @returns {string[]} */
function argumentsOf(options) {
  const { name, special = {}, lowercase, onReport } = options;
  for (const key of /** @type {const} */ (["name", ...TEXTS])) {
    if (options[key] !== undefined && typeof options[key] !== "string") throw argumentError(key, options[key], "a string");
  }
  if (name !== undefined && /^$|[\\/\0]/.test(name)) throw argumentError("name", name, "the name of an encoding, without slashes");
  if (lowercase !== undefined && typeof lowercase !== "boolean") throw argumentError("lowercase", lowercase, "true or false");
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
