// Checks of what callers pass: errors name the value found and the value expected. Below them, the kinds of values.

import { WwhoError } from "./errors.js";

/** The highest possible id, and the highest possible number of tokens. */
export const MAX_ID = 0xffffffff;

/**
 * The error for an argument of the wrong kind.
 * @param {string} what its name
 * @param {unknown} value
 * @param {string} expected and what to do
 */
export function argumentError(what, value, expected) {
  return new WwhoError("ARGUMENT", `${what} is ${named(value)}; expected ${expected}`);
}

/**
 * A value as error messages show it. It may be of any type, even one that cannot be converted to a string.
 * @param {unknown} value
 */
export function named(value) {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  const plain = value === null || ["undefined", "boolean", "number"].includes(typeof value);
  return plain ? String(value) : `of type ${typeof value}`;
}

/** Whether a value is iterable; a string counts as a text, not as an iterable. @param {any} value @returns {value is Iterable<any>} */
export function isIterable(value) {
  return typeof value === "object" && typeof value?.[Symbol.iterator] === "function";
}

/**
 * Only undefined means default: null is rejected, as for each option.
 * @param {any} options
 * @param {ReadonlySet<string>} [known] their names; undefined: another looks at them
 * @throws {WwhoError} ARGUMENT, also for a list of special tokens, as others take it
 */
export function requireOptions(options, known) {
  const expected = 'an object, such as { allowedSpecial: "all" }; leave it out for none';
  if (typeof options !== "object" || options === null) throw argumentError("options", options, expected);
  if (isIterable(options)) throw new WwhoError("ARGUMENT", `options is a list; expected ${expected}`);
  if (known) requireKnown(options, known);
  const { signal, onProgress } = options;
  if (signal !== undefined && typeof signal?.throwIfAborted !== "function") {
    throw argumentError("signal", signal, "an AbortSignal; leave it out for none");
  }
  if (onProgress !== undefined && typeof onProgress !== "function") {
    throw argumentError("onProgress", onProgress, "a function; leave it out for none");
  }
}

/**
 * Rejects unknown options, which are probably misspelt.
 * @param {any} options
 * @param {ReadonlySet<string>} known
 * @throws {WwhoError} ARGUMENT
 */
export function requireKnown(options, known) {
  if (typeof options !== "object" || options === null) {
    throw argumentError("options", options, `an object with any of ${[...known].join(", ")}`);
  }
  for (const name in options) {
    if (!known.has(name)) {
      throw new WwhoError("ARGUMENT", `there is no option ${named(name)}; expected ${[...known].join(", ")}`);
    }
  }
}

/**
 * A view of bytes of any kind; undefined if the value has no bytes.
 * @param {unknown} given
 * @returns {Uint8Array<ArrayBuffer> | undefined}
 * @throws {WwhoError} ARGUMENT if their memory was transferred
 */
export function bytesOf(given) {
  try {
    if (isArrayBuffer(given)) return new Uint8Array(given);
    if (!ArrayBuffer.isView(given)) return undefined;
    return new Uint8Array(/** @type {ArrayBuffer} */ (given.buffer), given.byteOffset, given.byteLength);
  } catch (cause) {
    throw new WwhoError("ARGUMENT", `an array cannot be used: ${cause}; its memory was transferred; pass a copy`, {
      cause,
    });
  }
}

/** An array whose memory was transferred looks empty. @param {any} given @throws {WwhoError} ARGUMENT */
export function requireMemory(given) {
  if (given.byteLength === 0) bytesOf(given);
}

/**
 * Let an object's methods work without it, as in `const { encode } = tokenizer`.
 * @param {any} object
 * @param {any} prototype with the methods, all of which may be bound
 */
export function bindMethods(object, prototype) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== "function" || name === "constructor") continue;
    Object.defineProperty(object, name, { value: object[name].bind(object), configurable: true, writable: true });
  }
}

/** @param {unknown} target of encodeInto */
export function requireTarget(target) {
  if (!isUint32Array(target)) throw argumentError("target", target, "a Uint32Array with room for the ids");
  requireMemory(target);
}

/** @param {unknown} text */
export function requireText(text) {
  if (typeof text === "string") return;
  if (!isUint8Array(text)) throw argumentError("text", text, "a string or a Uint8Array of UTF-8");
  requireMemory(text);
}

/** Bytes have no offsets in UTF-16 units. @param {unknown} text */
export function requireString(text) {
  if (typeof text !== "string") {
    throw argumentError("text", text, "a string; of bytes, make one with a TextDecoder");
  }
}

/**
 * A number of tokens that the core accepts.
 * @param {unknown} value
 * @param {string} option
 * @param {number} least
 * @param {string} [hint]
 */
export function tokensIn(value, option, least, hint = "") {
  if (typeof value !== "number" || !(value >= least)) {
    throw argumentError(option, value, `a number of tokens, ${least} or more${hint}`);
  }
  return Math.min(Math.floor(value), MAX_ID);
}

/** @param {unknown} ids */
export function requireIterable(ids) {
  if (!isIterable(ids)) {
    throw argumentError("ids", ids, "a Uint32Array or another iterable of token ids; for one id, give [id]");
  }
  requireMemory(ids);
}

/**
 * Checks ids: a Uint32Array would silently wrap -1 and truncate 1.5.
 * @param {Iterable<number>} ids
 */
export function checkedIds(ids) {
  requireIterable(ids);
  if (isUint32Array(ids)) return ids;
  return Uint32Array.from(ids, (id) => {
    if (!Number.isInteger(id) || id < 0 || id > MAX_ID) {
      throw new WwhoError("TOKEN", `token id ${named(id)} is not valid; expected an integer of 0 or more`);
    }
    return id;
  });
}

// Kinds of values, by their brands. instanceof would reject values of another realm: of a frame, of Jest, or of the sandbox in which an
// edge runtime or `next dev` runs a program.

/** @param {unknown} value such as "Blob" */
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

/** Those that a class of the platform can inherit from: a File is a Blob. @type {Readonly<Record<string, string>>} */
const SUBCLASSES = { File: "Blob" };

/** @param {unknown} value @param {"URL" | "Response" | "Blob"} name */
function isA(value, name) {
  const tag = tagOf(value);
  return typeof value === "object" && (tag === name || SUBCLASSES[tag] === name);
}

/** @param {unknown} value @returns {value is URL} */
export const isUrl = (value) => isA(value, "URL");
/** @param {unknown} value @returns {value is Response} */
export const isResponse = (value) => isA(value, "Response");
/** @param {unknown} value @returns {value is Blob} */
export const isBlob = (value) => isA(value, "Blob");
/** @param {unknown} value @returns {value is ArrayBuffer} */
export const isArrayBuffer = (value) => tagOf(value) === "ArrayBuffer";

/** @param {unknown} value @returns {value is WebAssembly.Module} */
export function isModule(value) {
  try {
    return WebAssembly.Module.exports(/** @type {any} */ (value)) !== undefined;
  } catch {
    return false; // what the engine itself does not take for one
  }
}

const arrayTag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)?.get;

/** @param {unknown} value @returns {value is Uint8Array} */
export const isUint8Array = (value) => arrayTag?.call(value) === "Uint8Array";
/** @param {unknown} value @returns {value is Uint32Array} */
export const isUint32Array = (value) => arrayTag?.call(value) === "Uint32Array";
