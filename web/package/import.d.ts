/** Converts other libraries' tokenizers to .wwho files, without a server, in a Worker: in JavaScript, or with `wwho import` in Pyodide. */

import type { Bytes } from "./index.js";

export { WwhoError } from "./index.js";

/** In Node, a string without a scheme is a path. Of a GGUF, only the beginning is read, unless it comes from a URL. */
export type ImportSource = string | URL | Response | Blob | Bytes;

/** What `wwho import` reports about a file. */
export interface ImportReport {
  /** What the file is, such as "a tokenizer.json of Hugging Face". */
  readonly kind: string;
  /** The library whose ids the tokenizer gives, with its version; "" if there is none. */
  readonly engine: string;
  /** What the file has that was not imported, and why. */
  readonly notes: readonly string[];
  /** How decoding loses text; empty if it restores every text. */
  readonly losses: readonly string[];
  /** What imported the file; the result is the same bytes. */
  readonly by: "javascript" | "python";
  /** If Python did: why JavaScript did not. */
  readonly why?: string;
}

export interface ImportOptions {
  /**
   * The folder of the npm package pyodide, or its pyodide.mjs, for files that JavaScript does not read. Browsers need it for those: serve
   * that folder with the page. In Node, the default is the installed package.
   */
  pyodideURL?: string | URL;
  /** The Python package wwho: a wheel, or by default the archive in this package. */
  wheelURL?: string | URL;
  /** The encoding's name; by default the file's name without its extension. */
  name?: string;
  /** Where the file comes from, for the provenance; by default its name. */
  source?: string;
  /** Its licence, for the provenance. */
  license?: string;
  /** For a rank file, the pretokenizer: "o200k_base", "cl100k_base", "r50k_base" or a regular expression. */
  pattern?: string;
  /** For a rank file, special tokens and their ids. */
  special?: Readonly<Record<string, number>>;
  /** For a vocab.txt, whether text is lower-cased. */
  lowercase?: boolean;
  /**
   * Keep the Worker, if Python has started in it, for the next import with this option and the same Python, which then starts at once. Its
   * memory is kept, too, until the page or program ends.
   */
  keepPython?: boolean;
  /** Ends the import and its Worker, with the signal's reason. */
  signal?: AbortSignal;
  /** Reports the current step: files are fetched, Python starts (where it is needed), the tokenizer is imported. */
  onProgress?: (progress: { step: "load" | "start" | "import" }) => void;
  onReport?: (report: ImportReport) => void;
}

/**
 * The bytes that `wwho import` writes, for Tokenizer.load or a download.
 * @param source a tokenizer.json, SentencePiece .model, GGUF, Tekken or rank file, vocab.txt ...; the kind is detected from the content. In
 *   a list, the first is the tokenizer, and the others belong to it, such as tokenizer_config.json with the chat template, or merges.txt;
 *   they are found by their names, so pass them as paths, addresses or Files.
 * @throws {WwhoError} IMPORT: the file cannot be imported; the message says why. FETCH: it, Pyodide or wwho cannot be fetched. ARGUMENT,
 *   MEMORY, WORKER.
 */
export function importTokenizer(
  source: ImportSource | Promise<ImportSource> | readonly ImportSource[],
  options?: ImportOptions,
): Promise<Uint8Array<ArrayBuffer>>;
