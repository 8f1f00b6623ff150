// Where the core and the tokenizers may come from. init is memoised per process, so each variant runs in one of its own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { O200K, ROOT, WASM } from "./common.mjs";

const run = promisify(execFile);
const FILES = { "/wwho.wasm": WASM, "/o200k_base.wwho": O200K };
let server;
let base;

before(async () => {
  server = createServer(async (request, response) => {
    const file = FILES[request.url];
    // The wrong type on purpose: many servers do not know .wasm.
    response.writeHead(file ? 200 : 404, { "content-type": "text/plain" });
    response.end(file ? await readFile(file) : "<!doctype html><title>not here</title>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

/**
 * @param {string} entry index.js or node.js
 * @param {string} body of an async function; it sees the module's names, `wasm`, `model` (bytes), `base` and `path`
 * @returns {Promise<any>} what it returned
 */
async function inProcess(entry, body) {
  const script = `
    import { readFile } from "node:fs/promises";
    import { init, Tokenizer, getEncoding, WwhoError } from ${JSON.stringify(new URL(`web/${entry}`, ROOT).href)};
    const base = ${JSON.stringify(base)}, path = ${JSON.stringify(fileURLToPath(WASM))};
    const wasm = await readFile(path), model = await readFile(${JSON.stringify(fileURLToPath(O200K))});
    const caught = (promise) => promise.then(() => "no error", (error) => [error instanceof WwhoError, error.status, error.message]);
    console.log(JSON.stringify(await (async () => { ${body} })()));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script]);
  return JSON.parse(stdout);
}

const COUNT = "return (await Tokenizer.load(model)).countTokens('hello world');";
const SOURCES = {
  "a URL": "new URL(base + '/wwho.wasm')",
  "the text of a URL": "base + '/wwho.wasm'",
  "a Response": "fetch(base + '/wwho.wasm')",
  "a Buffer": "wasm",
  "an ArrayBuffer": "wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length)",
  "a compiled module": "new WebAssembly.Module(wasm)",
  "a promise of a compiled module": "WebAssembly.compile(wasm)",
};

for (const [name, source] of Object.entries(SOURCES)) {
  test(`init takes ${name}`, async () => {
    assert.equal(await inProcess("index.js", `await init(${source}); ${COUNT}`), 2);
  });
}

test("in Node, init takes nothing, a path or a file: URL, and load calls it", async () => {
  for (const call of ["", "await init();", "await init(path);", "await init(new URL('file://' + path));"]) {
    assert.equal(await inProcess("node.js", call + COUNT), 2, call);
  }
});

test("init is memoised: the first call decides", async () => {
  assert.equal(
    await inProcess("index.js", `await init(wasm); await init(base + '/nowhere'); await init(); ${COUNT}`),
    2,
  );
});

test("an init that failed may be tried again", async () => {
  const [first, count] = await inProcess(
    "index.js",
    "const first = await caught(init(base + '/nowhere.wasm')); await init(wasm); return [first, (await Tokenizer.load(model)).countTokens('hello world')];",
  );
  assert.deepEqual([first[0], first[1], count], [true, "FETCH", 2]);
  assert.match(first[2], /nowhere\.wasm.* 404/);
});

test("bytes that are no WebAssembly are refused with what to check", async () => {
  const [typed, status, message] = await inProcess("index.js", "return caught(init(new Uint8Array([60, 33, 100])));");
  assert.deepEqual([typed, status], [true, "WASM"]);
  assert.match(message, /3 bytes.*wasm-unsafe-eval/);
});

test("a runtime without WebAssembly is told so", async () => {
  assert.equal(
    (await inProcess("index.js", "delete globalThis.WebAssembly; return caught(init(wasm));"))[1],
    "NO_WEBASSEMBLY",
  );
});

test("load takes a URL, Response, Blob, ArrayBuffer and views; in Node a path too", async () => {
  const sources = [
    "base + '/o200k_base.wwho'",
    "fetch(base + '/o200k_base.wwho')",
    "new Blob([model])",
    "model.buffer.slice(model.byteOffset, model.byteOffset + model.length)",
    "new DataView(model.buffer, model.byteOffset, model.length)",
  ];
  const load = (source) => `(await Tokenizer.load(${source})).countTokens('hello world')`;
  assert.deepEqual(await inProcess("index.js", `await init(wasm); return [${sources.map(load)}];`), [2, 2, 2, 2, 2]);
  const path = JSON.stringify(fileURLToPath(O200K));
  assert.deepEqual(
    await inProcess("node.js", `return [${load(path)}, ${load(`new URL('file://' + ${path})`)}];`),
    [2, 2],
  );
});

test("what cannot be loaded says what was given", async () => {
  const results = await inProcess(
    "node.js",
    `return Promise.all([
      caught(Tokenizer.load(7)), caught(Tokenizer.load(null)), caught(Tokenizer.load('/no/such.wwho')),
      caught(getEncoding('gpt-9')), caught(Tokenizer.load('http://127.0.0.1:1/x.wwho')),
    ]);`,
  );
  assert.deepEqual(
    results.map(([typed, status]) => [typed, status]),
    [
      [true, "ARGUMENT"],
      [true, "ARGUMENT"],
      [true, "FETCH"],
      [true, "FETCH"],
      [true, "FETCH"],
    ],
  );
  assert.match(results[0][2], /number; expected a URL/);
  assert.match(results[2][2], /\/no\/such\.wwho/);
  assert.match(results[3][2], /gpt-9.*o200k_base/);
});

test("the browser entry reaches no Node built-in", async () => {
  const seen = new Set();
  const visit = async (url) => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    const source = await readFile(url, "utf8");
    for (const [, name] of source.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      assert.match(name, /^\.\.?\//, `${url} imports ${name}`);
      await visit(new URL(name, url));
    }
  };
  for (const entry of ["index.js", "worker.js", "worker-thread.js", "page/main.js", "page/worker.js"]) {
    await visit(new URL(`web/${entry}`, ROOT));
  }
  assert.ok(seen.size > 10);
});
