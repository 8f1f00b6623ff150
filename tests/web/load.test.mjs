// Where the core and the tokenizers may come from. init is memoised per process, so each variant runs in one of its own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import { O200K, ROOT, WASM } from "./common.mjs";

const run = promisify(execFile);
const FILES = { "/wwho.wasm": WASM, "/o200k_base.wwho": O200K };
let server;
let base;

before(async () => {
  server = createServer(async (request, response) => {
    if (await answered(request.url, response)) return;
    const file = FILES[request.url];
    const body = file ? await readFile(file) : "<!doctype html><title>not here</title>";
    // The wrong type on purpose: many servers do not know .wasm.
    response.writeHead(file ? 200 : 404, { "content-type": "text/plain", "content-length": body.length });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

/** Addresses that answer in a way of their own. */
async function answered(url, response) {
  const model = await readFile(O200K);
  switch (url) {
    case "/never.wwho":
      return true;
    case "/slow.wwho":
      response.writeHead(200).write(model.subarray(0, 9999));
      return true;
    case "/broken.wwho":
      response.writeHead(200, { "content-length": model.length }).write(model.subarray(0, 9999));
      setTimeout(() => response.destroy(), 20);
      return true;
    case "/packed.wwho":
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(model, { level: 1 }));
      return true;
    case "/app.html":
      response.writeHead(200).end("<!doctype html><title>every address is this page</title>");
      return true;
  }
  return false;
}

/**
 * @param {string} entry index.js or node.js
 * @param {string} body of an async function; it sees the module's names, `wasm`, `model` (bytes), `base` and `path`
 * @param {string} [before] what runs before the module is there
 * @returns {Promise<any>} what it returned
 */
async function inProcess(entry, body, before = "") {
  const script = `
    import { readFile } from "node:fs/promises";
    import { init, initSync, Tokenizer, getEncoding, WwhoError } from ${JSON.stringify(new URL(`web/package/${entry}`, ROOT).href)};
    const base = ${JSON.stringify(base)}, path = ${JSON.stringify(fileURLToPath(WASM))};
    const wasm = await readFile(path), model = await readFile(${JSON.stringify(fileURLToPath(O200K))});
    const caught = (promise) => promise.then(() => "no error", (error) => [error instanceof WwhoError, error.status, error.message]);
    console.log(JSON.stringify(await (async () => { ${body} })()));`;
  const first = `data:text/javascript,${encodeURIComponent(before)}`;
  const { stdout } = await run(process.execPath, ["--import", first, "--input-type=module", "-e", script]);
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

test("initSync takes a compiled module or bytes, and then loadSync needs no waiting", async () => {
  for (const source of ["new WebAssembly.Module(wasm)", "wasm", "new Uint8Array(wasm).buffer"]) {
    const body = `initSync(${source}); initSync(new Uint8Array(3));
      await init(base + "/nowhere");
      const counts = [model, new Uint8Array(model).buffer].map((each) => Tokenizer.loadSync(each).countTokens("hello world"));
      return [...counts, Tokenizer.loadSync(model) instanceof Tokenizer];`;
    assert.deepEqual(await inProcess("index.js", body), [2, 2, true], source);
  }
});

test("what the calls that do not wait refuse", async () => {
  const results = await inProcess(
    "index.js",
    `const now = (call) => { try { return call(); } catch (error) { return [error instanceof WwhoError, error.status, error.message]; } };
    const results = [
      () => initSync(), () => initSync("/wwho.wasm"), () => initSync(new Uint8Array(3)),
    ].map(now);
    initSync(wasm);
    return [...results, ...[() => Tokenizer.loadSync("x"), () => Tokenizer.loadSync(new Uint8Array(30))].map(now)];`,
  );
  assert.deepEqual(
    results.map(([typed, status]) => [typed, status]),
    ["ARGUMENT", "ARGUMENT", "WASM", "ARGUMENT", "MAGIC"].map((status) => [true, status]),
  );
  assert.match(results[1][2], /await init/);
});

test("an init that fails after initSync has done it does no harm", async () => {
  const body = `const slow = caught(init(new Promise((_, no) => setTimeout(() => no(new Error("late")), 20))));
    await init; initSync(wasm);
    const first = (await slow)[0];
    return [first, (await Tokenizer.load(model)).countTokens("hello world")];`;
  assert.deepEqual(await inProcess("index.js", body), [false, 2]);
});

test("a load tells how far it is, where the length is known", async () => {
  const all = `const seen = []; const onProgress = (each) => seen.push(each); await init(wasm);`;
  const size = (await readFile(O200K)).length;
  for (const source of ["base + '/o200k_base.wwho'", "fetch(base + '/o200k_base.wwho')"]) {
    const body = `${all} await Tokenizer.load(${source}, { onProgress }); return seen;`;
    const seen = await inProcess("index.js", body);
    assert.ok(seen.length > 1);
    assert.ok(seen.every(({ loaded }, i) => i === 0 || loaded > seen[i - 1].loaded));
    assert.deepEqual(seen.at(-1), { loaded: size, total: size });
  }
  const packed = await inProcess(
    "index.js",
    `${all} const enc = await Tokenizer.load(base + "/packed.wwho", { onProgress }); return [seen.at(-1), enc.countTokens("hello world")];`,
  );
  assert.deepEqual(packed, [{ loaded: size }, 2]);
  const named = `${all} await getEncoding("o200k_base", { onProgress }); return seen;`;
  assert.deepEqual(await inProcess("node.js", named), [{ loaded: size, total: size }]);
});

test("a signal ends a load with its reason", async () => {
  const body = (call) => `await init(wasm); const controller = new AbortController(); const { signal } = controller;
    setTimeout(() => controller.abort(new RangeError("enough")), 30);
    return [(await ${call}.then(() => null, (error) => error)).message];`;
  for (const call of [
    "Tokenizer.load(base + '/never.wwho', { signal })",
    "Tokenizer.load(base + '/slow.wwho', { signal })",
    "Tokenizer.load(base + '/slow.wwho', { signal, onProgress() {} })",
    "Tokenizer.load(fetch(base + '/slow.wwho'), { signal })",
    "Tokenizer.load(new Response(new ReadableStream()), { signal })",
    "Tokenizer.load(new Promise(() => {}), { signal })",
  ]) {
    assert.deepEqual(await inProcess("index.js", body(call)), ["enough"], call);
  }
  const early = "getEncoding('o200k_base', { signal: AbortSignal.abort(new RangeError('early')) })";
  assert.equal((await inProcess("node.js", body(early)))[0], "early");
  const own = "Tokenizer.load(new Promise(() => {}), { signal })";
  assert.deepEqual(await inProcess("node.js", body(own)), ["enough"]);
});

test("a download that breaks off is an error, with and without progress", async () => {
  for (const options of ["", ", { onProgress() {} }"]) {
    const body = `await init(wasm); return caught(Tokenizer.load(base + "/broken.wwho"${options}));`;
    const [typed, status, message] = await inProcess("index.js", body);
    assert.deepEqual([typed, status], [true, "FETCH"]);
    assert.match(message, /broken\.wwho ended early.*fetch it again/);
  }
});

test("a server that answers every address with its page", async () => {
  const body = `const wasmStatus = await caught(init(base + "/app.html")); await init(wasm);
    return [wasmStatus, await caught(Tokenizer.load(base + "/app.html"))];`;
  const [core, model] = await inProcess("index.js", body);
  assert.deepEqual([core[1], model[1]], ["WASM", "MAGIC"]);
  assert.match(model[2], /web page/);
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

test("a runtime without WebAssembly, TextDecoder or TextEncoder is told so", async () => {
  for (const name of ["WebAssembly", "TextDecoder", "TextEncoder"]) {
    const [typed, status, message] = await inProcess("index.js", "return caught(init(wasm));", `delete globalThis.${name};`);
    assert.deepEqual([typed, status], [true, `NO_${name.toUpperCase()}`]);
    assert.match(message, new RegExp(`^${name} is missing`));
  }
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
      caught(Tokenizer.load('HTTP://127.0.0.1:1/x.wwho')), caught(Tokenizer.load('file://elsewhere/x.wwho')),
      caught(Tokenizer.load('FILE:///no/such.wwho')),
    ]);`,
  );
  assert.deepEqual(
    results.map(([typed, status]) => [typed, status]),
    [
      [true, "ARGUMENT"],
      [true, "ARGUMENT"],
      [true, "FETCH"],
      [true, "ARGUMENT"],
      ...Array.from({ length: 4 }, () => [true, "FETCH"]),
    ],
  );
  assert.match(results[0][2], /^the tokenizer is 7; expected a URL/);
  assert.match(results[2][2], /\/no\/such\.wwho/);
  assert.match(results[3][2], /^the encoding is "gpt-9"; expected one of cl100k_base, .*o200k_base.*encodingForModel of wwho\/openai/);
  assert.match(results[5][2], /^cannot fetch the tokenizer/);
  assert.match(results[6][2], /^cannot read the tokenizer from file:\/\/elsewhere\/x\.wwho/);
  assert.match(results[7][2], /no such file/);
});

test("names and options that are none, and a Response that was read before", async () => {
  for (const entry of ["index.js", "node.js", "worker.js", "node-worker.js"]) {
    const body = `
      const { Tokenizer, WorkerTokenizer = Tokenizer, getEncoding } = await import(${JSON.stringify(new URL(`web/package/${entry}`, ROOT).href)});
      await init(wasm);
      const used = await fetch(base + "/o200k_base.wwho");
      await used.arrayBuffer();
      const gone = new Uint8Array(model);
      structuredClone(gone, { transfer: [gone.buffer] });
      return Promise.all([
        caught(getEncoding("\\ud800")), caught(getEncoding()),
        caught(WorkerTokenizer.load(model, null)), caught(WorkerTokenizer.load("/no/such.wwho", null)),
        caught(WorkerTokenizer.load(used)),
        caught(WorkerTokenizer.load(model, ["<|endoftext|>"])), caught(WorkerTokenizer.load(model, { signal: null })),
        caught(getEncoding("o200k_base", { signal: {} })), caught(WorkerTokenizer.load(model, { onProgress: 5 })),
        caught(WorkerTokenizer.load(Promise.reject(new Error("nobody waits")), { signal: "x" })),
        caught(WorkerTokenizer.load(gone)),
      ]);`;
    const results = await inProcess("index.js", body);
    const statuses = [...Array(4).fill("ARGUMENT"), "FETCH", ...Array(6).fill("ARGUMENT")];
    assert.deepEqual(
      results.map(([typed, status]) => [typed, status]),
      statuses.map((status) => [true, status]),
      entry,
    );
    assert.match(results[0][2], /^the encoding is "\\ud800"; expected one of cl100k_base, .*Tokenizer\.load/);
    assert.match(results[1][2], /^the encoding is undefined/);
    assert.match(results[2][2], /^options is null/);
    assert.match(results[5][2], /^options is a list/);
    for (const k of [6, 7, 9]) assert.match(results[k][2], /^signal is .*; expected an AbortSignal/);
    assert.match(results[8][2], /^onProgress is 5; expected a function/);
    assert.match(results[10][2], /transferred/);
  }
});

test("the browser's entry in Node: files are not fetched", async () => {
  const [typed, status, message] = await inProcess(
    "index.js",
    "await init(wasm); return caught(getEncoding('o200k_base'));",
  );
  assert.deepEqual([typed, status], [true, "FETCH"]);
  assert.match(message, /^cannot load o200k_base from file:.*import \{ load \} from "wwho\/o200k_base"/);
});

test("the browser entry reaches no Node built-in", async () => {
  const seen = new Set();
  const visit = async (url) => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    const source = await readFile(url, "utf8");
    for (const [, name] of source.matchAll(/^(?:import|export|\})(?:.* from)? "([^"]+)";$/gm)) {
      assert.match(name, /^\.\.?\//, `${url} imports ${name}`);
      await visit(new URL(name.replace(/^(\.\.\/)+package\//, `${ROOT}web/package/`), url)); // the page has it beside it
    }
  };
  for (const entry of ["package/index.js", "package/worker.js", "package/worker-thread.js", "site/page/main.js"]) {
    await visit(new URL(`web/${entry}`, ROOT));
  }
  assert.ok(seen.size > 10);
});

// The table of OpenAI's models, which wwho/openai gives, too, but with all that counts chats: the page loads that when a chat is written.
const TABLES = ["package/lib/openai-models.js"];

test("the page uses the public interface of the package alone", async () => {
  const { exports } = JSON.parse(await readFile(new URL("web/package/package.json", ROOT), "utf8"));
  const entries = Object.values(exports).flatMap((each) => (each.default ?? each).replace(/^\./, "package"));
  const files = await readdir(new URL("web/site/", ROOT), { recursive: true });
  const used = new Set();
  for (const file of files.filter((name) => name.endsWith(".js"))) {
    const source = await readFile(new URL(`web/site/${file}`, ROOT), "utf8");
    for (const [, name] of source.matchAll(/(?:from |import\(|new URL\()["`](?:\.\.\/)+(package\/[^"`]+)["`]/g)) used.add(name.replace(/\$\{.*\}/, "*"));
  }
  assert.deepEqual([...used].filter((name) => !entries.includes(name)), TABLES);
  assert.ok(used.size >= 3);
});
