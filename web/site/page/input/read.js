// The bytes of a file that the user chose, which may no longer exist.

/** The name of the browsers' error for that. */
const GONE = ["NotReadableError", "NotFoundError"];

/** @param {Blob} blob @returns {Promise<Uint8Array<ArrayBuffer>>} */
export async function read(blob) {
  try {
    return new Uint8Array(await blob.arrayBuffer());
  } catch (cause) {
    if (!GONE.includes(/** @type {Error} */ (cause).name)) throw cause;
    throw new Error("cannot be read; was it moved or changed?", { cause });
  }
}
