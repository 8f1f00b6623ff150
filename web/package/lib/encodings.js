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
 * The entry of a list of encodings under a name.
 * @template T
 * @param {Readonly<Record<string, T>>} list
 * @param {unknown} name
 * @returns {T}
 * @throws {WwhoError} ARGUMENT
 */
export function named(list, name) {
  if (typeof name === "string" && Object.hasOwn(list, name)) return list[name];
  const names = Object.keys(list).sort().join(", ");
  const hint =
    typeof name === "string" && MODEL.test(name)
      ? "; for the encoding of a model, call encodingForModel of wwho/openai"
      : "; for a file of your own, call Tokenizer.load";
  throw argumentError("the encoding", name, `one of ${names}${hint}`);
}

/**
 * getEncoding if the encodings are modules.
 * @param {Readonly<Record<string, () => Promise<Entry>>>} list
 * @param {string} name
 * @param {LoadOptions} [options]
 */
export async function loadEntry(list, name, options = {}) {
  const entry = named(list, name);
  requireOptions(options);
  const { bytes, load } = await unlessAborted(entry(), options.signal);
  const tokenizer = load();
  if (options.onProgress) {
    const { length } = bytes();
    options.onProgress({ loaded: length, total: length });
  }
  return tokenizer;
}

/** @param {string} name */
const remedy = (name) =>
  `if a bundler made this program and did not copy that file, import { load } from "wwho/${name}", which has it inside`;

/** One download, shared by all callers that ask for it while it runs. */
class Download {
  /** @type {Set<(progress: LoadProgress) => void>} */
  #listeners = new Set();
  /** @type {LoadProgress | undefined} */
  #latest;
  #waiting = 0;
  #left = new AbortController();
  /** @type {() => void} */
  #abandoned;

  /**
   * @param {(options: LoadOptions) => Promise<any>} load
   * @param {() => void} abandoned called when the download has failed, or no caller waits for it any more
   */
  constructor(load, abandoned) {
    this.#abandoned = abandoned;
    this.done = load({
      signal: this.#left.signal,
      onProgress: (progress) => {
        this.#latest = progress;
        for (const listener of this.#listeners) listener(progress);
      },
    });
    this.done.catch(abandoned); // each caller is told
  }

  /** @param {LoadOptions} options of one caller; its signal and its errors end only its own wait */
  async wait({ signal, onProgress }) {
    const thrown = new AbortController();
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
      return await unlessAborted(unlessAborted(this.done, signal), thrown.signal);
    } finally {
      this.#listeners.delete(listener);
      if (--this.#waiting === 0) {
        this.#abandoned();
        this.#left.abort();
      }
    }
  }
}

/** Tokenizers that are fetched once for each name. */
export class Fetched {
  #load;
  /** @type {Map<string, any>} */
  #open = new Map();
  /** @type {Map<string, Download>} */
  #running = new Map();

  /** @param {(source: URL, options: LoadOptions) => Promise<any>} load */
  constructor(load) {
    this.#load = load;
  }

  /**
   * @param {Readonly<Record<string, () => URL>>} list
   * @param {string} name
   * @param {LoadOptions} [options]
   * @throws {WwhoError} ARGUMENT, FETCH
   */
  async get(list, name, options = {}) {
    const address = named(list, name);
    requireOptions(options);
    options.signal?.throwIfAborted();
    const there = this.#open.get(name);
    if (there && !there.freed) return there;
    return (this.#running.get(name) ?? this.#begin(name, address)).wait(options);
  }

  /** @param {string} name @param {() => URL} address */
  #begin(name, address) {
    const download = new Download(
      async (options) => {
        const tokenizer = await fetchNamed(name, address, (url) => this.#load(url, options));
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
 * Loads a tokenizer and checks that its file is the requested encoding, because bundlers have mixed files up.
 * @template {{ name: string, free(): void }} T
 * @param {string} name
 * @param {() => URL} address
 * @param {(url: URL) => Promise<T>} load
 * @throws {WwhoError} FETCH, with a remedy in case a bundler did not copy the file
 */
export async function fetchNamed(name, address, load) {
  const url = addressOf(name, address);
  const tokenizer = await load(url).catch((cause) => {
    // MAGIC: the server answers every address with an HTML page.
    if (!["FETCH", "MAGIC"].includes(cause?.status)) throw cause;
    throw new WwhoError("FETCH", `cannot load ${name} from ${url}: ${cause.message}; ${remedy(name)}`, { cause });
  });
  if (tokenizer.name === name) return tokenizer;
  tokenizer.free();
  throw new WwhoError("FETCH", `${url} is the encoding ${tokenizer.name}, expected ${name}; ${remedy(name)}`);
}

/** @param {string} name @param {() => URL} address */
function addressOf(name, address) {
  try {
    return address();
  } catch (cause) {
    // Only bundles that are ES modules have import.meta.url.
    throw new WwhoError(
      "FETCH",
      `this program does not know its own address (${cause}), and so not that of ${name}; ${remedy(name)}`,
      { cause },
    );
  }
}
