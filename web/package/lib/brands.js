// The kind of a value, by its brand. instanceof would reject values of another realm: of a frame, of Jest, or of the sandbox in which
// an edge runtime or `next dev` runs a program.

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
