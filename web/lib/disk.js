// Files, for Node, Deno and Bun.

import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { WwhoError } from "./errors.js";
import { fileName } from "./source.js";

/** Where the encodings lie: in the npm package, and in the project's repository. */
const MODEL_FOLDERS = ["../models/", "../../py/wwho/models/"];

/**
 * Paths and file: addresses become bytes; everything else stays as it is.
 * @param {unknown} source
 * @param {string} what named in messages, such as "the tokenizer"
 */
export async function fromDisk(source, what) {
  const given = await source;
  const address = given instanceof URL ? given.href : given;
  if (typeof address !== "string" || /^(https?|data|blob):/i.test(address)) {
    return given;
  }
  try {
    return await readFile(/^file:/i.test(address) ? fileURLToPath(address) : address);
  } catch (cause) {
    throw new WwhoError("FETCH", `cannot read ${what} from ${address}: ${cause}; check the path`, { cause });
  }
}

/** @param {string} name such as "wwho_328k" @returns {Promise<URL>} */
export async function encodingUrl(name) {
  for (const folder of MODEL_FOLDERS) {
    const url = new URL(`${folder}${fileName(name)}.wwho`, import.meta.url);
    if (await isThere(url)) return url;
  }
  throw new WwhoError(
    "FETCH",
    `there is no encoding ${JSON.stringify(name)}; expected one of the .wwho files that come with the package ` +
      "(o200k_base, cl100k_base, wwho_328k, wwho_super_328k), or use Tokenizer.load(path)",
  );
}

/** Not access(), for which Deno wants to be allowed more than to read. @param {URL} url */
function isThere(url) {
  return stat(url).then(
    () => true,
    () => false,
  );
}
