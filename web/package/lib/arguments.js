// Checks of what callers pass: errors name the value found and the value expected. Below them, the kinds of values.

import { WwhoError } from "./errors.js";

/** The highest possible id, and the highest possible number of tokens. */
export const MAX_ID = 0xffffffff;

/**
 * Make the error for an argument of the wrong kind; the caller throws it.
 * @param {string} what the argument's name in the message
 * @param {unknown} value what was passed, of any type
 * @param {string} expected what is accepted, and perhaps what to do instead
 * @returns {WwhoError} of status ARGUMENT
 */
export function argumentError(what, value, expected) {
  return new WwhoError("ARGUMENT", `${what} is ${quoteValue(value)}; expected ${expected}`);
}

/**
 * Return a short text for any value, for an error message: simple values as JavaScript writes them, of others only the type.
 * @param {unknown} value even one that cannot be converted to a string
 * @returns {string} such as '"abc"', "5n", "null", "a list" or "of type object"
 */
export function quoteValue(value) {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return "a list";
  const isSimple = value === null || ["undefined", "boolean", "number"].includes(typeof value);
  return isSimple ? String(value) : `of type ${typeof value}`;
}

/**
 * Tell whether a value can be iterated over; a string counts as a text, not as an iterable.
 * @param {any} value
 * @returns {value is Iterable<any>}
 */
export function isIterable(value) {
  return typeof value === "object" && typeof value?.[Symbol.iterator] === "function";
}

/**
 * Reject a method's argument `options` that is no object, that is a list, that has a name which the method does not take, or whose
 * `signal` is no AbortSignal or `onProgress` no function. A signal or a function that is undefined counts as left out; null is rejected.
 * Returns nothing; other values are not looked at.
 * @param {any} options an object; undefined is rejected too, so callers give {} for none
 * @param {ReadonlySet<string>} [known] the names that the method takes; undefined: names are checked elsewhere
 * @throws {WwhoError} ARGUMENT, also for a list of special tokens, which other libraries take in this place
 */
export function requireOptions(options, known) {
  if (typeof options !== "object" || options === null || isIterable(options)) {
    const found = isIterable(options) ? "a list" : quoteValue(options);
    throw new WwhoError("ARGUMENT", `options is ${found}; expected an object${known ? ` with any of ${[...known].join(", ")}` : ""}; leave it out for none`);
  }
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
 * Reject an option that is neither true nor false.
 * @param {unknown} value
 * @param {string} option its name
 * @throws {WwhoError} ARGUMENT
 */
export function requireBoolean(value, option) {
  if (typeof value !== "boolean") throw argumentError(option, value, "true or false");
}

/**
 * Reject an object with a name that the method does not take, which is probably misspelt.
 * @param {any} options also rejected if it is no object
 * @param {ReadonlySet<string>} known the names that the method takes
 * @param {string} [what] the argument's name in messages
 * @throws {WwhoError} ARGUMENT, with the names that are known
 */
export function requireKnown(options, known, what = "options") {
  if (typeof options !== "object" || options === null) {
    throw argumentError(what, options, `an object with any of ${[...known].join(", ")}`);
  }
  for (const name in options) {
    if (!known.has(name)) {
      throw new WwhoError("ARGUMENT", `there is no option ${quoteValue(name)}; expected ${[...known].join(", ")}`);
    }
  }
}

/**
 * Return a view of the bytes of an ArrayBuffer, a typed array or a DataView, without copying them.
 * @param {unknown} given
 * @returns {Uint8Array<ArrayBuffer> | undefined} undefined for every other kind of value
 * @throws {WwhoError} ARGUMENT if the memory was transferred, for example to a Worker
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

/**
 * Reject an array whose memory was transferred, which otherwise looks like an empty one.
 * @param {any} given an array or a view; anything without bytes is accepted
 * @throws {WwhoError} ARGUMENT
 */
export function requireMemory(given) {
  if (given.byteLength === 0) bytesOf(given);
}

/**
 * Bind each method of an object to it, as properties of its own, so that `const { encode } = tokenizer` works.
 * @param {any} object changed in place
 * @param {any} prototype the methods to bind are its own ones, without getters; if the object overrides one, its own is bound
 */
export function bindMethods(object, prototype) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== "function" || name === "constructor") continue;
    Object.defineProperty(object, name, { value: object[name].bind(object), configurable: true, writable: true });
  }
}

/**
 * Reject a target of encodeInto that is no Uint32Array, or whose memory was transferred.
 * @param {unknown} target
 * @throws {WwhoError} ARGUMENT
 */
export function requireTarget(target) {
  if (!isUint32Array(target)) throw argumentError("target", target, "a Uint32Array with room for the ids");
  requireMemory(target);
}

/**
 * Reject a text that is neither a string nor a Uint8Array, or whose memory was transferred. Whether bytes are UTF-8 is not checked.
 * @param {unknown} text
 * @throws {WwhoError} ARGUMENT
 */
export function requireText(text) {
  if (typeof text === "string") return;
  if (!isUint8Array(text)) {
    throw argumentError("text", text, `a string or a Uint8Array of UTF-8${Array.isArray(text) ? "; for a list of texts, encodeBatch or countBatch" : ""}`);
  }
  requireMemory(text);
}

/**
 * Return texts as a list, each checked as requireText does.
 * @param {any} texts an iterable
 * @param {string} what the argument's name in messages
 * @returns {(string | Uint8Array)[]} a new list
 * @throws {WwhoError} ARGUMENT, also for a single text
 */
export function textList(texts, what) {
  if (!isIterable(texts) || ArrayBuffer.isView(texts)) throw argumentError(what, texts, "a list of strings or of Uint8Arrays of UTF-8");
  const list = Array.from(texts);
  list.forEach((text, i) => {
    if (typeof text !== "string" && !isUint8Array(text)) throw argumentError(`number ${i} of ${what}`, text, "a string or a Uint8Array of UTF-8");
    requireText(text);
  });
  return list;
}

/**
 * Reject a text that is no string, where a method gives offsets in UTF-16 units, which bytes do not have.
 * @param {unknown} text
 * @throws {WwhoError} ARGUMENT
 */
export function requireString(text) {
  if (typeof text !== "string") {
    throw argumentError("text", text, "a string; of bytes, make one with a TextDecoder");
  }
}

/**
 * Return a number of tokens as the core takes it: rounded down, and at most MAX_ID, so Infinity means no limit.
 * @param {unknown} value what the caller passed
 * @param {string} option its name in an error message
 * @param {number} least the lowest number that is accepted
 * @param {string} [hint] what to do instead, at the end of an error message
 * @returns {number} an integer from `least` to MAX_ID
 * @throws {WwhoError} ARGUMENT for another type, NaN, or a lower number
 */
export function tokenLimit(value, option, least, hint = "") {
  if (typeof value !== "number" || !(value >= least)) {
    throw argumentError(option, value, `a number of tokens, ${least} or more${hint}`);
  }
  return Math.min(Math.floor(value), MAX_ID);
}

/**
 * Reject ids that cannot be iterated over, or whose memory was transferred. The ids themselves are not checked.
 * @param {unknown} ids
 * @throws {WwhoError} ARGUMENT
 */
export function requireIterable(ids) {
  if (!isIterable(ids)) {
    throw argumentError("ids", ids, "a Uint32Array or another iterable of token ids; for one id, give [id]");
  }
  requireMemory(ids);
}

/**
 * Return ids as a Uint32Array: a Uint32Array itself, without a copy, and every other iterable as a new one. Each id of another iterable
 * is checked, because a Uint32Array would silently wrap -1 and cut 1.5.
 * @param {Iterable<number>} ids
 * @returns {Uint32Array}
 * @throws {WwhoError} ARGUMENT if it is no iterable; TOKEN for an id that is no integer from 0 to MAX_ID
 */
export function checkedIds(ids) {
  requireIterable(ids);
  if (isUint32Array(ids)) return ids;
  return Uint32Array.from(ids, (id) => {
    if (!Number.isInteger(id) || id < 0 || id > MAX_ID) {
      throw new WwhoError("TOKEN", `token id ${quoteValue(id)} is not valid; expected an integer of 0 or more`);
    }
    return id;
  });
}

// Kinds of values, by their brands. instanceof would reject values of another realm: of a frame, of Jest, or of the sandbox in which an
// edge runtime or `next dev` runs a program.

/**
 * Return the name that the platform gives a value, such as "Blob" or "Object".
 * @param {unknown} value
 * @returns {string}
 */
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

/** The class that a class of the platform inherits from: a File is a Blob. @type {Readonly<Record<string, string>>} */
const SUBCLASSES = { File: "Blob" };

/**
 * Tell whether a value is an object of a class of the platform, or of one that inherits from it.
 * @param {unknown} value
 * @param {"URL" | "Response" | "Blob"} name of the class
 * @returns {boolean}
 */
function isA(value, name) {
  const tag = tagOf(value);
  return typeof value === "object" && (tag === name || SUBCLASSES[tag] === name);
}

/**
 * Tell whether a value is a URL object, of any realm; a string is none.
 * @param {unknown} value
 * @returns {value is URL}
 */
export const isUrl = (value) => isA(value, "URL");
/**
 * Tell whether a value is a Response, of any realm.
 * @param {unknown} value
 * @returns {value is Response}
 */
export const isResponse = (value) => isA(value, "Response");
/**
 * Tell whether a value is a Blob or a File, of any realm.
 * @param {unknown} value
 * @returns {value is Blob}
 */
export const isBlob = (value) => isA(value, "Blob");
/**
 * Tell whether a value is an ArrayBuffer, of any realm; a view of one is none.
 * @param {unknown} value
 * @returns {value is ArrayBuffer}
 */
export const isArrayBuffer = (value) => tagOf(value) === "ArrayBuffer";

/**
 * Tell whether a value is a compiled WebAssembly module, of any realm. The engine itself is asked, because a brand can be forged.
 * @param {unknown} value
 * @returns {value is WebAssembly.Module}
 */
export function isModule(value) {
  try {
    return WebAssembly.Module.exports(/** @type {any} */ (value)) !== undefined;
  } catch {
    return false;
  }
}

const arrayTag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)?.get;

/**
 * Tell whether a value is a Uint8Array, of any realm; Node's Buffer is one.
 * @param {unknown} value
 * @returns {value is Uint8Array}
 */
export const isUint8Array = (value) => arrayTag?.call(value) === "Uint8Array";
/**
 * Tell whether a value is a Uint32Array, of any realm.
 * @param {unknown} value
 * @returns {value is Uint32Array}
 */
export const isUint32Array = (value) => arrayTag?.call(value) === "Uint32Array";
