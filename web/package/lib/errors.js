// The one error type, and the words for every status of the core (wasm/include/wwho.h, wasm/FORMAT.md).

/** Names of the core's status codes, as in wasm/include/wwho.h. @type {Readonly<Record<number, string>>} */
export const STATUS = Object.freeze({
  1: "ARGUMENT",
  2: "BUFFER",
  3: "TOKEN",
  16: "MAGIC",
  17: "VERSION",
  18: "TRUNCATED",
  19: "TRAILING",
  20: "FEATURES",
  21: "CHECKSUM",
  22: "SECTION_TABLE",
  23: "SECTION_ORDER",
  24: "SECTION_KIND",
  25: "SECTION_BOUNDS",
  26: "PADDING",
  27: "SECTION_MISSING",
  28: "META",
  29: "CLASSES",
  30: "AUTOMATON_SHAPE",
  31: "AUTOMATON_TABLE",
  32: "AUTOMATON_TOTAL",
  33: "ROUTES",
  34: "BASE_BYTES",
  35: "PAIRS",
  36: "PAIR_ORDER",
  37: "PAIR_DUPLICATE",
  38: "TOKEN_LENGTH",
  39: "TOKEN_DUPLICATE",
  40: "ATOMS",
  41: "SPECIALS",
  42: "IDS",
});

const MAGIC = "89 57 57 48 4f 0d 0a 1a";
const HEADER_BYTES = 24;

/** What other files begin with, as characters of one byte each. @type {[RegExp, string][]} */
const FOREIGN = [
  [/^GGUF/, "a GGUF language model; llama.cpp and the package gguf read its tokenizer"],
  // a protocol buffer: a piece in it, the piece's text, and its score
  [/^\n.\n.{2,120}?\x15/s, "a SentencePiece model; the package sentencepiece opens it"],
  [
    /^[A-Za-z0-9+/]+=* [0-9]+\r?\n/,
    "a tiktoken rank file; make an artifact of it with: wwho import tiktoken FILE --pattern PATTERN -o X.wwho",
  ],
  [
    /^\s*\{.*"(?:added_tokens|truncation|pre_tokenizer)"\s*:/s,
    "a tokenizer.json of Hugging Face; Transformers.js opens it",
  ],
  [
    /^\s*\{.*"script_mode"\s*:/s,
    "a vocab.json of the WWHO paper; make an artifact of it with: wwho import wwho-json FILE -o X.wwho",
  ],
  [/^\s*\{.*"(?:grammar|blocks)"\s*:/s, "a schema; wwho train --schema takes it"],
  [/^version https:\/\/git-lfs/, "a Git LFS pointer; fetch the file itself with: git lfs pull"],
  [/^\s*<(?:!doctype|html|\?xml)/i, "a web page; check that the address leads to the file itself"],
];

/** Whatever goes wrong in this module, with a `status` to switch on and a message to read. */
export class WwhoError extends Error {
  /**
   * @param {string} status
   * @param {string} message
   * @param {{cause?: unknown}} [options]
   */
  constructor(status, message, options) {
    super(message, options);
    this.name = "WwhoError";
    /** @readonly */
    this.status = status;
  }
}

/**
 * The error for an artifact that the core refused.
 * @param {number} code the core's status
 * @param {Uint8Array} blob the refused bytes
 * @returns {WwhoError}
 */
export function artifactError(code, blob) {
  const status = STATUS[code] ?? `STATUS_${code}`;
  return new WwhoError(status, `not a valid .wwho file (${status}): ${explain(status, blob)}`);
}

/**
 * @param {string} status
 * @param {Uint8Array} blob
 */
function explain(status, blob) {
  const header = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const whole = blob.length >= HEADER_BYTES;
  switch (status) {
    case "MAGIC": {
      const kind = foreign(blob);
      if (kind) return `the file is no .wwho artifact but ${kind}`;
      return (
        `it begins with ${hex(blob.subarray(0, 8)) || "nothing"}, expected ${MAGIC}; ` +
        "check that the address leads to the file itself"
      );
    }
    case "VERSION":
      return (
        `its version is ${header.getUint16(8, true)}, expected 1; ` +
        "use the release of wwho that wrote it, or write it again"
      );
    case "TRUNCATED":
    case "TRAILING":
      return (
        `it has ${blob.length} bytes, expected ` +
        `${whole ? header.getUint32(16, true) : `at least ${HEADER_BYTES}`}; fetch it again`
      );
    case "FEATURES":
      return (
        `its feature bits are 0x${header.getUint32(12, true).toString(16)}, known are bits 0 to 2, but not 2 without 0 ` +
        "or with 1; a newer release of wwho may read it"
      );
    case "CHECKSUM":
      return "its bytes do not have the CRC-32 that its header states; it was damaged on the way, fetch it again";
    default:
      return "it breaks the rule of that name in FORMAT.md; `wwho verify FILE` tells more, then write it again";
  }
}

/**
 * What bytes are that are no artifact, and what to do with them; "" where that cannot be told. As
 * in py/wwho/format/foreign.py.
 * @param {Uint8Array} blob
 */
function foreign(blob) {
  const head = String.fromCharCode(...blob.subarray(0, 4096)).replace(/^\xef\xbb\xbf/, "");
  return FOREIGN.find(([pattern]) => pattern.test(head))?.[1] ?? "";
}

/**
 * Bytes as two hexadecimal digits each, with spaces between.
 * @param {Uint8Array} bytes
 */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
