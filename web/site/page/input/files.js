// The files of a drop or a file dialog; files in folders have paths.

/** @typedef {{ path: string, file: File, problem?: string }} Found `problem`: why it cannot be counted */

/**
 * Return the files of a drop, those in folders too.
 * @param {DataTransfer} data
 * @returns {Promise<Found[]>}
 */
export async function droppedFiles(data) {
  // Get the entries at once: they are gone when the event is over.
  const entries = [...data.items].map((item) => (item.kind === "file" ? item.webkitGetAsEntry?.() : null));
  const plain = [...data.files].map((file) => ({ path: file.name, file }));
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  return (await Promise.all(entries.map((entry) => (entry ? walk(entry, "") : [])))).flat();
}

/**
 * Return the files of a file dialog, with their paths in the folder that was chosen.
 * @param {FileList} files of an input element
 * @returns {Found[]}
 */
export const pickedFiles = (files) => [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/**
 * Return the files at an entry of a file system; an entry that cannot be read gives one empty file with that problem.
 * @param {any} entry a FileSystemEntry
 * @param {string} folder the path of its folder, with a slash at its end; "" for none
 * @returns {Promise<Found[]>}
 */
async function walk(entry, folder) {
  const path = folder + entry.name;
  return filesIn(entry, path).catch(() => [{ path, file: new File([], entry.name), problem: "cannot be read" }]);
}

/**
 * Return the file of an entry, or the files in its folder and those below.
 * @param {any} entry a FileSystemEntry
 * @param {string} path of it
 * @returns {Promise<Found[]>}
 * @throws the browser's error if the entry itself cannot be read
 */
async function filesIn(entry, path) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ path, file }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    // Each call returns some entries; an empty result is the end.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const each of some) found.push(...(await walk(each, `${path}/`)));
  }
}

/** The names of the browsers' errors for a file that no longer exists. */
const GONE = ["NotReadableError", "NotFoundError"];

/**
 * Read the bytes of a file that the user chose, which may no longer exist.
 * @param {Blob} blob
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {Error} it no longer exists; otherwise the browser's error
 */
export async function read(blob) {
  try {
    return new Uint8Array(await blob.arrayBuffer());
  } catch (cause) {
    if (!GONE.includes(/** @type {Error} */ (cause).name)) throw cause;
    throw new Error("cannot be read; was it moved or changed?", { cause });
  }
}
