/** Other libraries' tokenizers as .wwho files, without a server: `wwho import` in Pyodide, in a Worker of its own. */

import type { Bytes } from "./index.js";

export { WwhoError } from "./index.js";

/** In Node, a string without a scheme is a path. */
export type ImportSource = string | URL | Response | Blob | Bytes;

/** What `wwho import` says of a file. */
export interface ImportReport {
  /** What the file is, such as "a tokenizer.json of Hugging Face". */
  readonly kind: string;
  /** Whose ids the tokenizer gives, with the version; "" where there is no other engine. */
  readonly engine: string;
  /** What was found and not taken over, and why. */
  readonly notes: readonly string[];
  /** How decoding loses text; none where it gives every text back. */
  readonly losses: readonly string[];
}

export interface ImportOptions {
  /**
   * The folder of npm's package pyodide, or its pyodide.mjs. Needed in browsers: serve that folder beside the page. In Node, the
   * package as it is installed.
   */
  pyodideURL?: string | URL;
  /** wwho in Python: a wheel, or the archive that is in this package, which is the default. */
  wheelURL?: string | URL;
  /** The encoding's name; by default that of the file, without its ending. */
  name?: string;
  /** Where the file comes from, for the record; by default its name. */
  source?: string;
  /** Its licence, for the record. */
  license?: string;
  /** Of a rank file, the pretokenizer: "o200k_base", "cl100k_base", "r50k_base" or a regular expression. */
  pattern?: string;
  /** Of a rank file, special tokens and their ids. */
  special?: Readonly<Record<string, number>>;
  /** Of a vocab.txt, whether text is lower-cased. */
  lowercase?: boolean;
  /** Ends the import with its reason, and its Worker. */
  signal?: AbortSignal;
  /** What is being done: files are fetched, Python starts, the tokenizer is imported. */
  onProgress?: (progress: { step: "load" | "start" | "import" }) => void;
  onReport?: (report: ImportReport) => void;
}

/**
 * The bytes that `wwho import` writes, for Tokenizer.load or a download.
 * @param source a tokenizer.json, SentencePiece .model, GGUF, Tekken or rank file, vocab.txt ...; found out by its content. In a list,
 *   the first is the tokenizer and the others lie beside it, such as tokenizer_config.json with the chat template, or merges.txt.
 * @throws {WwhoError} IMPORT: the file cannot be imported; the message says why. FETCH: it, Pyodide or wwho cannot be fetched. ARGUMENT,
 *   MEMORY, WORKER.
 */
export function importTokenizer(
  source: ImportSource | Promise<ImportSource> | readonly ImportSource[],
  options?: ImportOptions,
): Promise<Uint8Array<ArrayBuffer>>;
