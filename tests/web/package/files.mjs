// In a runtime with files: Node, Deno, Bun. Prints what was checked.

import { readFile } from "node:fs/promises";

import { Tokenizer, getEncoding, init, initSync } from "wwho";
import { bytes, load } from "wwho/o200k_base";
import { getEncoding as getInWorker } from "wwho/worker";

import { NAMES, check } from "./check.js";

const first = load(); // before anything has been awaited
const file = (path) => readFile(new URL(path, import.meta.url));
const read = async (name) => (await file(`vectors/${name}`)).toString();

const checked = await check(getEncoding, read, NAMES);
Object.assign(checked, await check(async () => Tokenizer.load(await file("vectors/tiny.wwho")), read, ["tiny"]));

await init("/there/is/none.wasm"); // not the first
initSync(new Uint8Array(3));
const model = await file("node_modules/wwho/models/o200k_base.wwho");
const counts = [Tokenizer.loadSync(model), await Tokenizer.load(bytes())].map((each) => each.countTokens("hello world"));
counts.push(first.freed && load().countTokens("hello world")); // check has freed what getEncoding gave

const pool = await getInWorker("o200k_base", { workers: 2 });
counts.push(...(await Promise.all(["a", "hello world", "word ".repeat(1000)].map((text) => pool.countTokens(text)))));
counts.push(await pool.countStream(new Blob(["hello world"])));
pool.free();
console.log(JSON.stringify({ checked, counts }));
