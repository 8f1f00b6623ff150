// A .wwho file that gzip has compressed is a source like the file itself.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { Tokenizer as FromWeb } from "../../web/package/index.js";
import { Tokenizer } from "../../web/package/node.js";
import { WorkerTokenizer } from "../../web/package/node-worker.js";
import { ROOT } from "./common.mjs";

const GPT2 = await readFile(new URL("py/wwho/models/gpt2.wwho", ROOT));
const PACKED = gzipSync(GPT2, { level: 9 });
/** As a server sends them that knows the ending, or does not. @type {Record<string, Record<string, string>>} */
const SENT = { "/gpt2.wwho.gz": {}, "/known.wwho.gz": { "content-encoding": "gzip" } };
let folder;
let server;
let base;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "wwho-gzip-"));
  await writeFile(join(folder, "gpt2.wwho.gz"), PACKED);
  server = createServer((request, response) => response.writeHead(200, SENT[request.url]).end(PACKED));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${server.address().port}`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

test("from a server, a path, a Response, a Blob and bytes", async () => {
  const expected = [...Tokenizer.loadSync(GPT2).encode("hello wörld")];
  const everywhere = [...Object.keys(SENT).map((path) => base + path), PACKED, new Blob([PACKED])];
  for (const [Class, sources] of [
    [FromWeb, [...everywhere, new Response(PACKED)]],
    [Tokenizer, [...everywhere, new Response(PACKED), join(folder, "gpt2.wwho.gz")]],
  ]) {
    for (const source of sources) assert.deepEqual([...(await Class.load(source)).encode("hello wörld")], expected);
  }
  const far = await WorkerTokenizer.load(join(folder, "gpt2.wwho.gz"));
  assert.deepEqual([...(await far.encode("hello wörld"))], expected);
  far.free();
});

test("progress is that of what is downloaded", async () => {
  const told = [];
  await Tokenizer.load(PACKED, { onProgress: (progress) => told.push(progress) });
  assert.deepEqual(told, [{ loaded: PACKED.length, total: PACKED.length }]);
});

test("damaged data is refused", async () => {
  for (const each of [PACKED.subarray(0, 9999), PACKED.subarray(0, -4)]) {
    await assert.rejects(Tokenizer.load(each), { name: "WwhoError", status: "FETCH", message: /gzip, and damaged/ });
  }
  const damaged = Uint8Array.from(PACKED).fill(0xff, 5000, 5100);
  await assert.rejects(Tokenizer.load(damaged), { name: "WwhoError" });
});

test("what is no .wwho file is refused, and never decompressed to its end", async (t) => {
  const { DecompressionStream } = globalThis;
  t.after(() => (globalThis.DecompressionStream = DecompressionStream));
  let decompressed = 0;
  /** Counts the bytes that it gives. */
  globalThis.DecompressionStream = class {
    constructor(format) {
      const { readable, writable } = new DecompressionStream(format);
      const counted = new TransformStream({
        transform(chunk, controller) {
          decompressed += chunk.length;
          controller.enqueue(chunk);
        },
      });
      Object.assign(this, { writable, readable: readable.pipeThrough(counted) });
    }
  };
  const zeros = new Uint8Array(1 << 25);
  await assert.rejects(Tokenizer.load(gzipSync(zeros)), { name: "WwhoError", status: "MAGIC" });
  await assert.rejects(Tokenizer.load(gzipSync(Buffer.concat([GPT2, zeros]))), { name: "WwhoError", status: "TRAILING" });
  assert.ok(decompressed < GPT2.length + (1 << 21), `${decompressed} bytes`);
  await assert.rejects(Tokenizer.load(gzipSync("")), { name: "WwhoError" });
});

test("an abort ends it with the signal's reason", async () => {
  const reason = new Error("enough");
  await assert.rejects(Tokenizer.load(PACKED, { signal: AbortSignal.abort(reason) }), reason);
});

test("a runtime that cannot decompress says so", async () => {
  const { DecompressionStream } = globalThis;
  delete globalThis.DecompressionStream;
  try {
    await assert.rejects(Tokenizer.load(PACKED), { name: "WwhoError", status: "FETCH", message: /no DecompressionStream/ });
  } finally {
    globalThis.DecompressionStream = DecompressionStream;
  }
});
