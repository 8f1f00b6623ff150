// Encodings by name, and the one tokenizer of each that all callers share.

import { argumentError, requireOptions } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { unlessAborted } from "./items.js";

/** @typedef {import("./tokenizer.js").BaseTokenizer} BaseTokenizer */
/** @typedef {import("./source.js").LoadOptions} LoadOptions */
/** @typedef {import("./source.js").LoadProgress} LoadProgress */
/** @typedef {{ bytes: () => Uint8Array<ArrayBuffer>, load: () => any }} Entry what modules such as wwho/o200k_base export */

/** Prefixes of model names that people mistake for names of encodings. */
const MODEL = /^(ft:)?(gpt-|chatgpt|o\d(-|$)|text-|code-|codex|davinci|curie|babbage|ada)/i;

/**
 * Return what a list of encodings has under a name.
 * @template T
 * @param {Readonly<Record<string, T>>} list by the names of the encodings
 * @param {unknown} name what the caller passed
 * @returns {T}
 * @throws {WwhoError} ARGUMENT for a name that is not in the list; the message has those that are, and what to call for a model's name
 */
export function findEncoding(list, name) {
  if (typeof name === "string" && Object.hasOwn(list, name)) return list[name];
  const names = Object.keys(list).sort().join(", ");
  const hint =
    typeof name === "string" && MODEL.test(name)
      ? "; for the encoding of a model, call encodingForModel of wwho/openai"
      : "; for a file of your own, call Tokenizer.load";
  throw argumentError("the encoding", name, `one of ${names}${hint}`);
}

/**
 * Import the module of an encoding, and return its tokenizer: getEncoding, where encodings are modules.
 * @param {Readonly<Record<string, () => Promise<Entry>>>} list functions that import the modules, by the names of the encodings
 * @param {string} name
 * @param {LoadOptions} [options] `onProgress` is called once, when all is loaded
 * @returns {Promise<any>} the tokenizer, the same for all callers until it is freed
 * @throws {WwhoError} ARGUMENT for another name or wrong options; otherwise the signal's reason, or what the import throws, unchanged
 */
export async function loadEntry(list, name, options = {}) {
  const importEntry = findEncoding(list, name);
  requireOptions(options);
  const { bytes, load } = await unlessAborted(importEntry(), options.signal);
  const tokenizer = load();
  if (options.onProgress) {
    const { length } = bytes();
    options.onProgress({ loaded: length, total: length });
  }
  return tokenizer;
}

/**
 * Return what to do if a bundler did not copy the file of an encoding, for the end of a message.
 * @param {string} name of the encoding
 * @returns {string}
 */
const remedyFor = (name) =>
  `if a bundler made this program and did not copy that file, import { load } from "wwho/${name}", which has it inside`;

/** One download, shared by all callers that ask for it while it runs. When the last of them stops waiting, it is cancelled. */
class Download {
  /** What callers want to be told about progress. @type {Set<(progress: LoadProgress) => void>} */
  #listeners = new Set();
  /** The last progress, which callers that come later are told at once. @type {LoadProgress | undefined} */
  #latest;
  /** How many callers wait. */
  #waiting = 0;
  /** Cancels the download. */
  #canceller = new AbortController();
  /** @type {() => void} */
  #onEnd;

  /**
   * Start the download.
   * @param {(options: LoadOptions) => Promise<any>} load
   * @param {() => void} onEnd called when the download has failed, or no caller waits for it any more: no other caller may join then
   */
  constructor(load, onEnd) {
    this.#onEnd = onEnd;
    this.result = load({
      signal: this.#canceller.signal,
      onProgress: (progress) => {
        this.#latest = progress;
        for (const listener of this.#listeners) listener(progress);
      },
    });
    this.result.catch(onEnd); // wait() tells each caller of the error
  }

  /**
   * Wait for the result for one caller, who is told the last progress at once, if there was any. The caller's signal, and an error of its
   * `onProgress`, end only its own wait; when the last caller stops waiting, the download is cancelled.
   * @param {LoadOptions} options of the caller
   * @returns {Promise<any>} what `load` gave
   * @throws what `load` or `onProgress` throws, or the signal's reason
   */
  async wait({ signal, onProgress }) {
    const thrown = new AbortController(); // aborted by an error of onProgress
    /** Report progress to the caller, whose errors end its wait. */
    const listener = (/** @type {LoadProgress} */ progress) => {
      try {
        onProgress?.(progress);
      } catch (error) {
        thrown.abort(error);
      }
    };
    this.#waiting++;
    this.#listeners.add(listener);
    if (this.#latest) listener(this.#latest);
    try {
      return await unlessAborted(unlessAborted(this.result, signal), thrown.signal);
    } finally {
      this.#listeners.delete(listener);
      if (--this.#waiting === 0) {
        this.#onEnd();
        this.#canceller.abort();
      }
    }
  }
}

/** Tokenizers that are fetched once for each name: all callers share the tokenizer, and its download. */
export class Fetched {
  #load;
  /** The tokenizers that were loaded, by name; some may have been freed since. @type {Map<string, any>} */
  #open = new Map();
  /** The downloads that run, by name. @type {Map<string, Download>} */
  #running = new Map();

  /** @param {(source: URL, options: LoadOptions) => Promise<any>} load fetches a tokenizer from an address */
  constructor(load) {
    this.#load = load;
  }

  /**
   * Return the tokenizer of a name: the one that is loaded, if it was not freed, or the result of a download, which the call starts or
   * joins. After a failed download, the next call starts another. The caller's signal ends only its own wait.
   * @param {Readonly<Record<string, () => URL>>} list functions that return the files' addresses, by the names of the encodings
   * @param {string} name
   * @param {LoadOptions} [options] of this caller alone; `onProgress` is not called if the tokenizer is loaded already
   * @returns {Promise<any>}
   * @throws {WwhoError} ARGUMENT for another name, FETCH; otherwise the signal's reason
   */
  async get(list, name, options = {}) {
    const addressOf = findEncoding(list, name);
    requireOptions(options);
    options.signal?.throwIfAborted();
    const open = this.#open.get(name);
    if (open && !open.freed) return open;
    return (this.#running.get(name) ?? this.#startDownload(name, addressOf)).wait(options);
  }

  /**
   * Start the download of an encoding, and note it as running until it fails or all callers have left. If it succeeds, the tokenizer is
   * kept for later callers.
   * @param {string} name
   * @param {() => URL} addressOf returns the file's address
   * @returns {Download}
   */
  #startDownload(name, addressOf) {
    const download = new Download(
      async (options) => {
        const tokenizer = await fetchNamed(name, addressOf, (url) => this.#load(url, options));
        this.#open.set(name, tokenizer);
        return tokenizer;
      },
      () => {
        if (this.#running.get(name) === download) this.#running.delete(name);
      },
    );
    this.#running.set(name, download);
    return download;
  }
}

/**
 * Load an encoding from its address, and check that the file is the encoding of that name, because bundlers have mixed files up.
 * @template {{ name: string, free(): void }} T
 * @param {string} name
 * @param {() => URL} addressOf returns the file's address
 * @param {(url: URL) => Promise<T>} load
 * @returns {Promise<T>} the tokenizer; one of another encoding is freed
 * @throws {WwhoError} FETCH, with a remedy in case a bundler did not copy the file; otherwise what `load` throws
 */
export async function fetchNamed(name, addressOf, load) {
  const url = resolveAddress(name, addressOf);
  const tokenizer = await load(url).catch((cause) => {
    // MAGIC: the server answers every address with an HTML page.
    if (!["FETCH", "MAGIC"].includes(cause?.status)) throw cause;
    throw new WwhoError("FETCH", `cannot load ${name} from ${url}: ${cause.message}; ${remedyFor(name)}`, { cause });
  });
  if (tokenizer.name === name) return tokenizer;
  tokenizer.free();
  throw new WwhoError("FETCH", `${url} is the encoding ${tokenizer.name}, expected ${name}; ${remedyFor(name)}`);
}

/**
 * Return the address of an encoding's file.
 * @param {string} name of the encoding, for the message
 * @param {() => URL} addressOf returns the address, or throws in a program that does not know its own
 * @returns {URL}
 * @throws {WwhoError} FETCH if it throws
 */
function resolveAddress(name, addressOf) {
  try {
    return addressOf();
  } catch (cause) {
    // Only bundles that are ES modules have import.meta.url.
    throw new WwhoError(
      "FETCH",
      `this program does not know its own address (${cause}), and so not that of ${name}; ${remedyFor(name)}`,
      { cause },
    );
  }
}
