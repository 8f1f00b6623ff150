// wwho/import in Node: argv are Pyodide's folder and files, of which JavaScript reads the first. Says what was made of each, and what is
// refused before Python starts.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";

import { importTokenizer } from "wwho/import";

const [pyodideURL, byteLevel, ...files] = process.argv.slice(2);
const steps = [];
const refused = (source, options) =>
  importTokenizer(source, { pyodideURL, ...options }).catch(({ name, status, message }) => ({ name, status, message }));
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");

const made = [];
const common = createRequire(import.meta.url)("wwho/import"); // CommonJS
for (const [i, file] of files.entries()) {
  const import_ = i === 0 ? importTokenizer : common.importTokenizer;
  made.push(hash(await import_(file, { pyodideURL, onProgress: ({ step }) => steps.push(step) })));
}
const reports = [];
const inJavaScript = [];
for (const entry of [{ importTokenizer }, common]) {
  const options = { pyodideURL: "none", onReport: (report) => reports.push(report) };
  inJavaScript.push(hash(await entry.importTokenizer(byteLevel, options)));
}
const found = {
  inJavaScript,
  by: reports.map(({ by }) => by),
  made,
  steps,
  damaged: await refused(new Blob(['{"model": {"type": "Oak", "vocab": {}}, "added_tokens": []}'])),
  option: await refused(files[0], { pattren: "x" }),
  gone: await refused("none/tokenizer.json"),
  without: await refused(files[0], { pyodideURL: "none" }),
  aborted: await refused(files[0], { signal: AbortSignal.abort() }),
  stopped: await refused(files[0], { onProgress: ({ step }) => { if (step === "start") throw new RangeError("enough"); } }),
};
console.log(JSON.stringify(found));
