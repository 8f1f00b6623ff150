// Which tokenizers there are: those that ship, and those that were opened on the page.

import { hexOf } from "./format.js";
import { read } from "./read.js";

/** @type {readonly string[]} */
export const SHIPPED = Object.freeze(["wwho_328k", "o200k_base", "cl100k_base", "wwho_super_328k"]);
const EXPECTED = "89 57 57 48 4F";

/** @type {Map<string, Promise<Uint8Array<ArrayBuffer>>>} the files, by name; one that failed may be tried again */
const files = new Map();

/** The names to choose from, those opened here last. */
export const names = () => [...SHIPPED, ...[...files.keys()].filter((name) => !SHIPPED.includes(name))];

/** @param {string} path of a file @returns {boolean} whether it should be a tokenizer */
export const isModel = (path) => /\.wwho$/i.test(path);

/** @param {string} name @returns {Promise<Uint8Array<ArrayBuffer>>} */
export function fetchModel(name) {
  let file = files.get(name);
  if (file === undefined) {
    file = fetched(name);
    files.set(name, file);
    file.catch(() => files.delete(name));
  }
  return file;
}

/** @param {string} name @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function fetched(name) {
  const url = new URL(`../models/${encodeURIComponent(name)}.wwho`, import.meta.url);
  const response = await fetch(url).catch((cause) => {
    throw new Error(`cannot fetch ${name}.wwho: ${cause.message}; is the network there?`);
  });
  if (!response.ok) throw new Error(`cannot fetch ${name}.wwho: HTTP status ${response.status}, expected 200`);
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * Add a file that the user opened.
 * @param {File} file
 * @returns {Promise<string>} the name to choose it by
 * @throws {Error} it is no .wwho file, or cannot be read
 */
export async function addModel(file) {
  const blob = await read(file).catch((cause) => {
    throw new Error(`${file.name} ${cause.message}`, { cause });
  });
  const start = hexOf(blob.subarray(0, 5));
  if (start !== EXPECTED) {
    throw new Error(`${file.name} begins with ${start || "nothing"}, a .wwho file with ${EXPECTED}; see “Bring your own tokenizer”`);
  }
  const name = free(file.name.replace(/\.wwho$/i, "") || "mine");
  files.set(name, Promise.resolve(blob));
  return name;
}

/** @param {string} name */
export const forget = (name) => files.delete(name);

/** A name that none has yet. @param {string} wanted */
function free(wanted) {
  let name = wanted;
  for (let i = 2; SHIPPED.includes(name) || files.has(name); i++) name = `${wanted} (${i})`;
  return name;
}
