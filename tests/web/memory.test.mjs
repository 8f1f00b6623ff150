// Freeing a tokenizer, by hand and by the garbage collector.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

import { Tokenizer } from "../../web/package/node.js";
import { O200K, ROOT, WASM, WWHO } from "./common.mjs";

const run = promisify(execFile);

test("a freed tokenizer refuses every call, and may be freed again", async () => {
  const tokenizer = await Tokenizer.load(O200K);
  tokenizer.free();
  tokenizer.free();
  const calls = [
    () => tokenizer.encode("a"),
    () => tokenizer.decode([1]),
    () => tokenizer.decodeBytes([1]),
    () => tokenizer.countTokens("a"),
    () => tokenizer.isWithinTokenLimit("a", 1),
    () => tokenizer.encodeWithOffsets("a"),
    () => tokenizer.segment("a"),
    () => tokenizer.tokenBytes(1),
    () => tokenizer.truncate("", 1),
    () => tokenizer.chunk("", 1),
    () => [...tokenizer.encodeGenerator("")],
    () => [...tokenizer.decodeGenerator([])],
    () => tokenizer.encodeInto("a", new Uint32Array(1)),
    () => tokenizer.truncate("a", 1),
    () => tokenizer.chunk("a", 1),
    () => tokenizer.encodeGenerator("a").next(),
    () => tokenizer.decodeGenerator([1]).next(),
  ];
  for (const call of calls) {
    assert.throws(call, { name: "WwhoError", status: "FREED", message: /o200k_base was freed; load it again/ });
  }
  await assert.rejects(tokenizer.countStream([]), { status: "FREED" });
  await assert.rejects(tokenizer.decodeAsyncGenerator([]).next(), { status: "FREED" });
  assert.equal(tokenizer.name, "o200k_base");
});

test("Symbol.dispose frees, and another tokenizer lives on", async () => {
  const [one, two] = await Promise.all([Tokenizer.load(O200K), Tokenizer.load(O200K)]);
  one[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
  assert.throws(() => one.encode("a"), { status: "FREED" });
  assert.deepEqual([...two.encode("hello world")], [24912, 2375]);
});

test("tokenizers that nobody holds any more give their memory back", async () => {
  const script = `
    import { Tokenizer } from ${JSON.stringify(new URL("web/package/node.js", ROOT).href)};
    const loads = 30;
    for (let i = 0; i < loads; i++) {
      (await Tokenizer.load(new URL(${JSON.stringify(O200K.href)}))).countTokens("hello world");
      gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    console.log(process.memoryUsage().rss);`;
  const { stdout } = await run(process.execPath, ["--expose-gc", "--input-type=module", "-e", script]);
  assert.ok(Number(stdout) < 500e6, `${stdout.trim()} bytes resident after 30 loads`);
});

/** Bytes by which each of these may grow; what is kept for objects that come and go is in rss. */
const MOST = { rss: 32e6, heapUsed: 1e6, external: 1e6, arrayBuffers: 1e6, wasm: 0 };
const TINY = new URL("tests/vectors/tiny.wwho", ROOT);

/**
 * By how much a process grew, and the WebAssembly memory of its last tokenizer.
 * @param {string} work of number i, over and over; it sees `load` and the artifacts `tiny`, `o200k` and `wwho`
 * @param {number} times
 * @param {number} [first] times before, until nothing that is made once is left to make
 */
async function growth(work, times, first = Math.max(20, times / 10)) {
  const script = `
    import { readFile } from "node:fs/promises";
    import { Tokenizer } from ${JSON.stringify(new URL("web/package/node.js", ROOT).href)};
    const urls = ${JSON.stringify([WASM, TINY, O200K, WWHO].map((url) => url.href))};
    const [core, tiny, o200k, wwho] = await Promise.all(urls.map((url) => readFile(new URL(url))));
    const module = new WebAssembly.Module(core);
    let memory;
    const { Instance } = WebAssembly;
    WebAssembly.Instance = function (...values) {
      const instance = new Instance(...values);
      memory = instance.exports.memory;
      return instance;
    };
    const load = (blob) => new Tokenizer(module, blob);
    const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
    const kept = (i) => { ${work} };
    const text = (i) => i + ": The kettle’s on, ගෙදර යන පාරේ මල්, बगीचे में हवा चल रही थी 😀. ";
    let tokenizer;
    async function repeat(times) {
      for (let i = 0; i < times; i++) {
        kept(i);
        if (i % 500 === 499) await turn();
      }
      for (let k = 0; k < 5; k++) gc(), await turn();
      return { ...process.memoryUsage(), wasm: memory.buffer.byteLength };
    }
    await repeat(${first});
    const before = await repeat(${Math.min(20, first)});
    const after = await repeat(${times});
    console.log(JSON.stringify(Object.keys(after).map((key) => [key, after[key] - before[key]])));`;
  const { stdout } = await run(process.execPath, ["--expose-gc", "--input-type=module", "-e", script]);
  return Object.fromEntries(JSON.parse(stdout));
}

const WORK = {
  "100,000 encodes": ["tokenizer ??= load(wwho); tokenizer.encode(text(i));", 100_000],
  "every method": [
    `tokenizer ??= load(wwho);
     const { ids } = tokenizer.encodeWithOffsets(text(i));
     tokenizer.decode(ids), tokenizer.decodeBytes(ids), tokenizer.tokenBytes(ids[0]);
     tokenizer.countTokens(text(i)), tokenizer.isWithinTokenLimit(text(i), i % 50), tokenizer.segment(text(i));
     tokenizer.truncate(text(i), 9), tokenizer.chunk(text(i), 20), tokenizer.encodeInto(text(i), new Uint32Array(9));
     [...tokenizer.encodeGenerator(text(i))], [...tokenizer.decodeGenerator(ids)];
     try { tokenizer.decode([2 ** 31]); } catch {}`,
    10_000,
    5_000, // the room that V8 keeps for what is short-lived grows until then, and not after
  ],
  "long texts": ["tokenizer ??= load(o200k); tokenizer.encode(text(7).repeat(3000 * (1 + (i % 3))));", 50],
  "tokenizers that are freed": ["load(tiny).free();", 1500],
  "tokenizers that are left to the garbage collector": ["load(tiny).encode(text(i));", 400],
  "tokenizers of o200k_base": ["load(o200k).encode(text(i));", 20, 5],
};

for (const [name, [work, times, first]] of Object.entries(WORK)) {
  test(`memory does not grow: ${name}`, async () => {
    const grown = await growth(work, times, first);
    for (const [what, most] of Object.entries(MOST)) {
      assert.ok(grown[what] <= most, `${what} grew by ${grown[what]} bytes: ${JSON.stringify(grown)}`);
    }
  });
}
