// Imports tokenizer.json files in JavaScript alone. argv: a file of JSON, a list of folders, each with a tokenizer.json and the files beside
// it. Prints a line for each: the path of the .wwho file that it has written there, and the report; or why it is handed over to Python.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "./common.mjs";

const lib = (/** @type {string} */ name) => import(new URL(`web/package/lib/${name}.js`, ROOT).href);
const { Refusal } = await lib("import-json");
const { importTokenizerJson } = await lib("import-tokenizer-json");
const { compiledReader } = await lib("compiled-patterns");

const bytesOf = (/** @type {string | URL} */ path) => new Uint8Array(readFileSync(path));
const compiled = compiledReader(async (/** @type {URL} */ url) => bytesOf(url));

for (const folder of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const names = readdirSync(folder).sort((a, b) => Number(b === "tokenizer.json") - Number(a === "tokenizer.json"));
  const files = new Map(names.map((name) => [name, bytesOf(join(folder, name))]));
  try {
    const { bytes, report } = await importTokenizerJson(files, { name: "made", source: "", license: "" }, compiled);
    writeFileSync(join(folder, "made.wwho"), bytes);
    console.log(JSON.stringify({ report }));
  } catch (/** @type {any} */ error) {
    console.log(JSON.stringify(error instanceof Refusal ? { refused: error.message } : { failed: error.stack }));
  }
}
