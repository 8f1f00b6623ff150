// The page's Worker: both tokenizers, and the counting of files. It answers { job, ... }; a job with a higher number makes
// those before it void.

import { Tokenizer, init } from "../index.js";
import { safeParts } from "./cuts.js";
import { beginning, describeTokens } from "./describe.js";

const NAMES = ["wwho_328k", "o200k_base"];
const SHOWN_TOKENS = 2000;
const SHOWN_UNITS = 16000; // of UTF-16; enough for that many tokens in most texts
const CHUNK_BYTES = 512 * 1024;

let latest = 0;

const loaded = load();
loaded.then(
  (tokenizers) => self.postMessage({ kind: "ready", sizes: tokenizers.map(({ info }) => info.nVocab) }),
  (error) => self.postMessage({ kind: "broken", message: error.message }),
);

async function load() {
  await init();
  return Promise.all(NAMES.map((name) => Tokenizer.load(new URL(`../models/${name}.wwho`, import.meta.url))));
}

self.addEventListener("message", async ({ data: { job, text, file } }) => {
  latest = job;
  const tokenizers = await loaded.catch(() => undefined);
  if (tokenizers === undefined) {
    return; // the page knows, and why
  }
  try {
    if (file) await countFile(tokenizers, job, file);
    else self.postMessage({ kind: "counted", job, ...analyse(tokenizers, text) });
  } catch (error) {
    self.postMessage({ kind: "failed", job, message: explain(error, file) });
  }
});

/**
 * @param {Tokenizer[]} tokenizers
 * @param {string} text
 */
function analyse(tokenizers, text) {
  const start = beginning(text, SHOWN_UNITS);
  return {
    counts: tokenizers.map((tokenizer) => tokenizer.countTokens(text)),
    tokens: tokenizers.map((tokenizer) => describeTokens(tokenizer, start, SHOWN_TOKENS)),
  };
}

/**
 * @param {Tokenizer[]} tokenizers
 * @param {number} job
 * @param {File} file
 */
async function countFile(tokenizers, job, file) {
  const counts = tokenizers.map(() => 0);
  let bytes = 0;
  /** @type {import("./describe.js").Token[][] | undefined} */
  let tokens;
  async function* chunks() {
    while (bytes < file.size) {
      const chunk = new Uint8Array(await file.slice(bytes, bytes + CHUNK_BYTES).arrayBuffer());
      bytes += chunk.length;
      yield chunk;
    }
  }
  for await (const part of safeParts(chunks())) {
    if (job !== latest) {
      return;
    }
    tokenizers.forEach((tokenizer, i) => (counts[i] += tokenizer.countTokens(part)));
    if (tokens === undefined) {
      tokens = analyse(tokenizers, beginning(part, SHOWN_UNITS)).tokens;
      self.postMessage({ kind: "progress", job, bytes, counts, tokens });
    } else {
      self.postMessage({ kind: "progress", job, bytes, counts });
    }
  }
  self.postMessage({ kind: "counted", job, counts, tokens: tokens ?? tokenizers.map(() => []) });
}

/**
 * @param {any} error
 * @param {File | undefined} file
 */
function explain(error, file) {
  if (file && error instanceof TypeError) {
    return `${file.name} is not UTF-8 text. Save it as plain text in UTF-8, then drop it again.`;
  }
  if (file && error.name === "NotReadableError") {
    return `${file.name} cannot be read. It may have been moved or changed; drop it again.`;
  }
  return error.message;
}
