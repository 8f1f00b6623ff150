// The only error type, and messages for statuses of the core (wasm/FORMAT.md).

const MAGIC = "89 57 57 48 4f 0d 0a 1a";
const HEADER_BYTES = 20;

/** How other kinds of files begin, as characters of one byte each. @type {[RegExp, string][]} */
const FOREIGN = [
  [/^GGUF/, "a GGUF language model; make an artifact of its tokenizer with: wwho import FILE"],
  // a protocol buffer: a SentencePiece token ("piece"), its text, and its score
  [/^\n.\n.{2,120}?\x15/s, "a SentencePiece model; make an artifact of it with: wwho import FILE"],
  [
    /^[A-Za-z0-9+/]+=* [0-9]+\r?\n/,
    "a tiktoken rank file; make an artifact of it with: wwho import FILE --pattern PATTERN",
  ],
  [
    /^\s*\{.*"(?:added_tokens|truncation|pre_tokenizer)"\s*:/s,
    "a tokenizer.json of Hugging Face; make an artifact of it with: wwho import FILE",
  ],
  [
    /^\s*\{.*"script_mode"\s*:/s,
    "a vocab.json of the WWHO paper; make an artifact of it with: wwho import FILE",
  ],
  [
    /^\s*\{.*"(?:added_tokens_decoder|tokenizer_class|model_max_length|chat_template|(?:add_)?(?:cls|bos|eos|unk)_token)"\s*:/s,
    "the settings of a tokenizer; take the tokenizer.json beside it",
  ],
  [/^\s*\{.*"(?:grammar|blocks)"\s*:/s, "a schema; wwho train --schema takes it"],
  [/^version https:\/\/git-lfs/, "a Git LFS pointer; fetch the file itself with: git lfs pull"],
  [/^\s*<(?:!doctype|html|\?xml)/i, "a web page; check that the address leads to the file itself"],
];

/** Every error of this package: a `status` for programs, and a message for people. */
export class WwhoError extends Error {
  /**
   * @param {string} status a word for programs, such as "ARGUMENT"
   * @param {string} message what is wrong, what was expected, and what to do
   * @param {{cause?: unknown}} [options] `cause`: the error that led to this one
   */
  constructor(status, message, options) {
    super(message, options);
    this.name = "WwhoError";
    /** @readonly */
    this.status = status;
  }
}

/**
 * Make the error for a file that the core rejected; the caller throws it.
 * @param {string} status the name of the core's status, such as "MAGIC"
 * @param {Uint8Array} blob the whole file, from which the message takes what it found
 * @returns {WwhoError} of that status
 */
export function artifactError(status, blob) {
  return new WwhoError(status, `not a valid .wwho file (${status}): ${explain(status, blob)}`);
}

/**
 * Return what is wrong with a file that the core refuses, and what to do, in a sentence for an error message without a full stop: what was
 * found there, and what was expected.
 * @param {string} status the core's status for the file
 * @param {Uint8Array} blob the whole file
 * @returns {string}
 */
function explain(status, blob) {
  const header = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const hasHeader = blob.length >= HEADER_BYTES;
  switch (status) {
    case "MAGIC": {
      const kind = foreignKind(blob);
      if (kind) return `the file is no .wwho artifact but ${kind}`;
      return (
        `it begins with ${hex(blob.subarray(0, 8)) || "nothing"}, expected ${MAGIC}; ` +
        "check the file, or the address that it came from"
      );
    }
    case "VERSION":
      return (
        `its version is ${header.getUint16(8, true)}, expected 3; ` +
        "use the release of wwho that wrote it, or write it again"
      );
    case "TRUNCATED":
    case "TRAILING":
      return (
        `it has ${blob.length} bytes, expected ` +
        `${hasHeader ? header.getUint32(12, true) : `at least ${HEADER_BYTES}`}; fetch it again`
      );
    case "CHECKSUM":
      return "its bytes do not have the CRC-32 that its header states; it was damaged on the way, fetch it again";
    default:
      return "it breaks the rule of that name in FORMAT.md; `wwho verify FILE` tells more, then write it again";
  }
}

/**
 * Return what a file that is no artifact probably is, and what to do with it, as py/wwho/format/foreign.py does. The first 4,096 bytes
 * decide.
 * @param {Uint8Array} blob
 * @returns {string} "" if the kind is unknown
 */
function foreignKind(blob) {
  const head = String.fromCharCode(...blob.subarray(0, 4096)).replace(/^\xef\xbb\xbf/, "");
  return FOREIGN.find(([pattern]) => pattern.test(head))?.[1] ?? "";
}

/**
 * Return bytes as two hexadecimal digits each, in small letters, with spaces between.
 * @param {Uint8Array} bytes
 * @returns {string} "" for no bytes
 */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
