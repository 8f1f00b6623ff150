// Why a file is no tokenizer, for wwho/import: its beginning tells that of most files, without Python, and in Python's words.

import { JsonReader, Refusal } from "./import-json.js";
import { BEGINS, FOREIGN, HEAD, JSON_BEGINS, KNOWN, MARKS, OTHERS, SAY_LITTLE } from "./import-kinds.js";

/** Bytes of a JSON file that is looked through: those of settings have less, and a tokenizer more. */
const MOST_LOOKED_THROUGH = 1 << 20;
/** How Python writes bytes that are no printable characters, but for those it writes as numbers. */
const ESCAPES = new Map(Object.entries({ "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" }));
/** How many bytes of a file of no known kind are shown. */
const SHOWN = 16;

/**
 * Return why `wwho import` refuses a file whatever its options, as far as that is known without Python.
 * @param {string} name the name of the file
 * @param {Blob | Uint8Array} data the file
 * @returns {Promise<string>} the reason, as `wwho import` says it behind the name; "" if the file may be a tokenizer
 */
export async function faultOf(name, data) {
  if (SAY_LITTLE.includes(name)) return "";
  const head = await headOf(data);
  const mayBe = JSON_BEGINS.test(head) ? await mayBeJsonOfTokenizer(data) : BEGINS.some((pattern) => pattern.test(head));
  if (mayBe) return "";
  const unmarked = head.replace(/^\xef\xbb\xbf/, "");
  const [, what = ""] = FOREIGN.find(([pattern]) => pattern.test(unmarked)) ?? OTHERS.find(([pattern]) => pattern.test(head)) ?? [];
  if (what.includes("wwho import")) return `${what.replace(/;.*/, "")}, but without its vocabulary; fetch it again`;
  return what || `it begins with ${asPythonWrites(head.slice(0, SHOWN))}, and is no kind of tokenizer that is known: ${KNOWN.join(", ")}`;
}

/**
 * Return the first HEAD bytes of a file, each as a character.
 * @param {Blob | Uint8Array} data the file
 * @returns {Promise<string>}
 */
export async function headOf(data) {
  return String.fromCharCode(...(await beginningOf(data, HEAD)));
}

/**
 * Return the first bytes of a file.
 * @param {Blob | Uint8Array} data the file
 * @param {number} most how many
 * @returns {Promise<Uint8Array>}
 */
async function beginningOf(data, most) {
  return data instanceof Blob ? new Uint8Array(await data.slice(0, most).arrayBuffer()) : data.subarray(0, most);
}

/**
 * Tell whether a JSON file may be a tokenizer, or have a fault of its own that Python would name.
 * @param {Blob | Uint8Array} data the file
 * @returns {Promise<boolean>}
 */
async function mayBeJsonOfTokenizer(data) {
  if ((data instanceof Blob ? data.size : data.length) >= MOST_LOOKED_THROUGH) return true;
  const bytes = await beginningOf(data, MOST_LOOKED_THROUGH);
  const text = new TextDecoder().decode(bytes);
  if (text.includes("\\u") || MARKS.some((mark) => text.includes(mark))) return true;
  try {
    const reader = new JsonReader(bytes, true);
    reader.value();
    reader.end();
    return false;
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}

/**
 * Return bytes as Python writes them in a program, such as b'a\xff'.
 * @param {string} bytes each a character
 * @returns {string}
 */
function asPythonWrites(bytes) {
  const quote = bytes.includes("'") && !bytes.includes('"') ? '"' : "'";
  const written = bytes.replace(/[^ -~]|['\\]/g, (byte) => {
    if (byte === "'") return byte === quote ? "\\'" : byte;
    return ESCAPES.get(byte) ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return `b${quote}${written}${quote}`;
}
