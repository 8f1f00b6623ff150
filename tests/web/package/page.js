// A page that imports the package as it is. Its result is in the document, for whoever drives the browser.

import { NAMES, check, checkAfter } from "./check.js";
import { Tokenizer, getEncoding, init } from "./node_modules/wwho/index.js";
import { getEncoding as getInWorker } from "./node_modules/wwho/worker.js";

const read = async (name) => (await fetch(`vectors/${name}`)).text();

async function run() {
  // Told that it is text, as servers do that do not know .wasm.
  await init("wrong-type/wwho.wasm");
  const checked = await check(getEncoding, read, NAMES);
  Object.assign(checked, await check(() => Tokenizer.load("vectors/tiny.wwho"), read, ["tiny"]));
  const after = await checkAfter((name) => Tokenizer.load(`vectors/${name}.wwho`), read);
  const pool = await getInWorker("wwho_328k", { workers: 2 });
  const counts = await Promise.all(["hello world", "ඔයා 1 special अद्भुत"].map((text) => pool.countTokens(text)));
  counts.push(await pool.countStream(new Blob(["hello world"])));
  pool.free();
  const progress = [];
  const missing = await getEncoding("none").catch(({ status }) => status);
  await getEncoding("o200k_base", { onProgress: (each) => progress.push(each) });
  return { checked, after, counts, missing, progress: progress.at(-1) };
}

run()
  .catch((error) => ({ error: `${error.name}: ${error.message}` }))
  .then((result) => (document.documentElement.dataset.result = JSON.stringify(result)));
