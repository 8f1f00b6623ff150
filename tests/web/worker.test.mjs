// wwho/worker in Node: the methods as promises, a pool, cancelling, handing over.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, mock, test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";

import * as direct from "../../web/package/node.js";
import { serve } from "../../web/package/lib/far-side.js";
import { BaseWorkerTokenizer } from "../../web/package/lib/worker-tokenizer.js";
import { WorkerTokenizer, getEncoding } from "../../web/package/node-worker.js";
import { O200K, ROOT, TEXTS, WASM, bytesOf } from "./common.mjs";

const run = promisify(execFile);
const text = TEXTS.join("\n");
const here = await direct.getEncoding("wwho_328k");
const there = await getEncoding("wwho_328k");
const here200k = await direct.getEncoding("o200k_base");
after(() => there.free());

async function all(items) {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
}

const METHODS = {
  encode: [text, { allowedSpecial: ["[UNK]"].values() }],
  encodeWithOffsets: [text],
  countTokens: [new TextEncoder().encode(text), { allowedSpecial: "all" }],
  isWithinTokenLimit: [text, 3],
  truncate: [text, 30],
  chunk: [text, 40, { overlap: 3 }],
  decode: [here.encode(text)],
  decodeBytes: [[...here.encode(text)]],
  tokenBytes: [24912],
  segment: [text],
};

for (const [method, values] of Object.entries(METHODS)) {
  test(`${method}: the same answer`, async () => {
    const expected = here[method](
      ...METHODS[method].map((value) => (value?.allowedSpecial?.next ? { allowedSpecial: ["[UNK]"] } : value)),
    );
    assert.deepEqual(await there[method](...values), expected);
  });
}

test("generators, streams and encodeInto", async () => {
  const ids = here.encode(text);
  const long = text.repeat(1000);
  assert.deepEqual(await all(there.encodeGenerator(long)), [...here.encodeGenerator(long)]);
  assert.deepEqual(await all(there.decodeGenerator(ids)), [...here.decodeGenerator(ids)]);
  async function* slowly() {
    for (const id of ids) yield id;
  }
  assert.equal((await all(there.decodeAsyncGenerator(slowly()))).join(""), text);
  const count = here.countTokens(long);
  for (const source of [new Blob([long]), new Blob([long]).stream(), [long], [new TextEncoder().encode(long)]]) {
    const seen = [];
    assert.equal(await there.countStream(source, { onProgress: (progress) => seen.push(progress) }), count);
    assert.ok(seen.length > 1);
    assert.deepEqual(seen.at(-1), { bytes: Buffer.byteLength(long), tokens: count });
  }
  const whole = here.encode(long);
  for (const source of [new Blob([long]), [long, ""], new Blob([long]).stream()]) {
    const seen = [];
    const parts = await all(there.encodeStream(source, { onProgress: (progress) => seen.push(progress) }));
    assert.ok(parts.length > 1);
    assert.deepEqual(parts.flatMap((part) => [...part]), [...whole]);
    assert.deepEqual(seen.at(-1), { bytes: Buffer.byteLength(long), tokens: count });
  }
  const [one, two] = [new Uint32Array(40), new Uint32Array(40)];
  assert.deepEqual(await there.encodeInto(text, one), here.encodeInto(text, two));
  assert.deepEqual(one, two);
});

test("name, info, provenance and special tokens are those of the tokenizer", () => {
  for (const key of ["name", "info", "provenance", "specialTokens"]) assert.deepEqual(there[key], here[key]);
});

test("errors keep their status and message", async () => {
  const refused = { name: "WwhoError", status: "SPECIAL_TOKEN", message: /<\|endoftext\|>/ };
  await assert.rejects(there.encode("<|endoftext|>", { disallowedSpecial: "all" }), refused);
  await assert.rejects(there.decode([4_000_000]), { status: "TOKEN" });
  await assert.rejects(there.countTokens(7), { status: "ARGUMENT", message: /^text is 7/ });
  await assert.rejects(there.encode("a", null), { status: "ARGUMENT", message: /^options is null/ });
  await assert.rejects(
    there.encode(() => {}),
    { status: "ARGUMENT", message: /cannot send/ },
  );
  await assert.rejects(there.encodeInto("a", []), { status: "ARGUMENT" });
  await assert.rejects(there.encode("a", { allowedSpecial: 7 }), { status: "ARGUMENT" });
  await assert.rejects(there.countStream("text"), { status: "ARGUMENT", message: /^the source is/ });
  await assert.rejects(async () => all(there.decodeGenerator([1, 4_000_000])), { status: "TOKEN", message: /index 1/ });
});

test("what cannot be loaded is refused as without a Worker", async () => {
  await assert.rejects(getEncoding("none"), { status: "ARGUMENT", message: /o200k_base/ });
  await assert.rejects(WorkerTokenizer.load("/no/such.wwho"), { status: "FETCH" });
  await assert.rejects(WorkerTokenizer.load(new Uint8Array(30)), { name: "WwhoError", status: "MAGIC" });
  for (const [workers, shown] of [
    [0, "0"],
    [1.5, "1.5"],
    ["2", '"2"'],
    [2n, "2n"],
  ]) {
    const message = new RegExp(`^workers is ${shown}; expected a whole number`);
    await assert.rejects(getEncoding("o200k_base", { workers }), { status: "ARGUMENT", message });
  }
  await assert.rejects(getEncoding("o200k_base", { wasm: new Uint8Array(3) }), { status: "WASM" });
  const [core, blob] = [await WebAssembly.compile(await bytesOf(WASM)), await bytesOf(O200K)];
  const loaded = await WorkerTokenizer.load(blob, { wasm: core });
  assert.equal(await loaded.countTokens("hello world"), 2);
  loaded.free();
});

test("where there are no Workers, that is what is said", async () => {
  const { WorkerTokenizer: Web } = await import("../../web/package/worker.js");
  await assert.rejects(Web.load(await bytesOf(O200K)), {
    name: "WwhoError",
    status: "WORKER",
    message: /no Workers here/,
  });
});

test("a pool starts Workers as they are needed, and no more than it may", async () => {
  const pool = await getEncoding("o200k_base", { workers: 3 });
  assert.equal(pool.started, 1);
  await pool.countTokens("a");
  assert.equal(pool.started, 1);
  const counts = await Promise.all(Array.from({ length: 20 }, (_, i) => pool.countTokens("word ".repeat(i * 1000))));
  assert.deepEqual(
    counts,
    Array.from({ length: 20 }, (_, i) => (i === 0 ? 0 : i * 1000 + 1)),
  );
  assert.equal(pool.started, 3);
  pool.free();
  assert.equal(pool.started, 0);
});

test("a signal ends a call that runs, one that waits, and one that is made too late", async () => {
  const one = await getEncoding("o200k_base");
  const controller = new AbortController();
  const { signal } = controller;
  const reason = new Error("no more");
  const huge = "x".repeat(30_000_000);
  const terminate = mock.method(Worker.prototype, "terminate");
  const running = one.encodeWithOffsets(huge, { signal });
  const waiting = one.countTokens("a", { signal });
  const other = one.countTokens("hello world");
  setTimeout(() => controller.abort(reason), 20);
  await assert.rejects(running, reason);
  await assert.rejects(waiting, reason);
  assert.equal(await other, 2);
  assert.equal(terminate.mock.callCount(), 1);
  terminate.mock.restore();
  await assert.rejects(one.countTokens("a", { signal }), reason);
  assert.equal(await one.countTokens("hello world"), 2);
  one.free();
});

test("a count of a stream is cancelled, and so is the stream", async () => {
  const one = await getEncoding("o200k_base");
  for (const early of [true, false]) {
    const controller = new AbortController();
    let cancelled;
    const stream = new ReadableStream({
      pull: (to) => to.enqueue("word ".repeat(20_000)),
      cancel: (why) => void (cancelled = why),
    });
    const busy = early ? one.countTokens("x".repeat(3_000_000)) : undefined;
    const counted = one.countStream(stream, { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), early ? 1 : 60);
    await assert.rejects(counted, (error) => error === "enough");
    await busy;
    while (cancelled === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.equal(cancelled, "enough");
  }
  const parts = one.encodeGenerator(text.repeat(5000));
  await parts.next();
  await parts.return();
  const failing = { onProgress: () => assert.fail("mine") };
  await assert.rejects(one.countStream([text.repeat(1000)], failing), { message: "mine" });
  assert.equal(await one.countTokens("hello world"), 2);
  one.free();
});

test("options that are none are refused before the stream is touched", async () => {
  const one = await getEncoding("o200k_base");
  for (const [options, message] of [
    [null, /^options is null/],
    ["xy", /^options is "xy"/],
    [["<|endoftext|>"], /^options is a list/],
    [{ signal: null }, /^signal is null; expected an AbortSignal/],
    [{ signal: {} }, /^signal is of type object/],
    [{ signal: "x" }, /^signal is "x"/],
    [{ onProgress: 5 }, /^onProgress is 5; expected a function/],
    [{ allowedSpecial: 5 }, /^allowedSpecial is 5/],
    [{ disallowedSpecial: [null] }, /^a name in disallowedSpecial is null/],
  ]) {
    const refused = { name: "WwhoError", status: "ARGUMENT", message };
    const stream = new ReadableStream();
    await assert.rejects(one.countStream(stream, options), refused);
    await assert.rejects(all(one.encodeStream(stream, options)), refused);
    await assert.rejects(all(one.decodeAsyncGenerator(stream, options)), refused);
    await assert.rejects(all(one.encodeGenerator("a", options)), refused);
    await assert.rejects(one.encode("a", options), refused);
    assert.equal(stream.locked, false);
  }
  assert.equal(await one.countStream(["hello world"]), 2);
  one.free();
});

test("encodeStream reads no further chunk while ids are not taken, and none when it is left", async () => {
  // In this thread, and it answers at once: when a timer runs, it has done all that it was asked for.
  const spawn = () => {
    let hear;
    const postMessage = serve((data) => hear({ data }), { init: async () => {}, Tokenizer: { load: async () => here } });
    return { postMessage, addEventListener: (type, listener) => type === "message" && (hear = listener), terminate() {} };
  };
  const near = await BaseWorkerTokenizer.start(BaseWorkerTokenizer, spawn, { model: new Uint8Array() }, {});
  const chunk = `${text} `.repeat(1000);
  let [given, ended] = [0, false];
  function* source() {
    try {
      for (; given < 20; given++) yield chunk;
    } finally {
      ended = true;
    }
  }
  const parts = near.encodeStream(source());
  for (let taken = 1; taken < 4; taken++) {
    assert.ok((await parts.next()).value.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(given < 4 * taken, `${given} chunks for ${taken} parts`);
  }
  await parts.return();
  assert.ok(ended && given < 16);
});

test("streams that the same pool feeds need a Worker more", async () => {
  const two = await getEncoding("o200k_base", { workers: 2 });
  assert.equal((await all(two.decodeAsyncGenerator(two.encodeGenerator("hello world")))).join(""), "hello world");
  async function* source() {
    for (const word of ["hello", " world"]) yield word.repeat(await two.countTokens(word));
  }
  assert.equal(await two.countStream(source()), 2);
  two.free();
});

test("a generator that is left, or ended by its signal, cancels its stream and gives its Worker back", async () => {
  const one = await getEncoding("o200k_base");
  const controller = new AbortController();
  for (const signal of [undefined, new AbortController().signal, controller.signal]) {
    let cancelled;
    const stream = new ReadableStream({
      pull: (to) => to.enqueue(24912),
      cancel: (reason) => void (cancelled = reason),
    });
    const parts = one.decodeAsyncGenerator(stream, { signal });
    assert.equal((await parts.next()).value, "hello");
    if (signal === controller.signal) {
      controller.abort("enough");
      await assert.rejects(all(parts), (error) => error === "enough");
    } else {
      await parts.return();
    }
    assert.equal(await one.countTokens("hello world"), 2);
    assert.equal(cancelled.name ?? cancelled, signal === controller.signal ? "enough" : "AbortError");
    await assert.rejects(all(one.encodeGenerator("a", { signal: AbortSignal.abort("late") })), (error) => error === "late");
  }
  one.free();
});

test("a Blob that is not UTF-8 is refused where that is asked for", async () => {
  const photo = new Blob([Uint8Array.of(0x89, 0x50)]);
  await assert.rejects(there.countStream(photo, { fatal: true }), { name: "WwhoError", status: "UTF8" });
  assert.ok((await there.countStream(photo)) > 0);
});

test("a stream that fails fails the count, and the Worker goes on", async () => {
  async function* source() {
    yield "a";
    throw new RangeError("the line is dead");
  }
  await assert.rejects(there.countStream(source()), { name: "RangeError" });
  assert.equal(await there.countTokens("hello world"), 2);
});

test("memory is handed over where the caller says so, and results are", async () => {
  const bytes = new TextEncoder().encode("hello world");
  assert.equal(await there.countTokens(bytes), 2);
  assert.equal(bytes.length, 11);
  assert.equal(await there.countTokens(bytes, { transfer: true }), 2);
  assert.equal(bytes.buffer.byteLength, 0, "gone");
  const ids = await there.encode("hello world");
  assert.equal(await there.decode(ids, { transfer: true }), "hello world");
  assert.equal(ids.length, 0);
  const chunk = new TextEncoder().encode("hello world");
  const streamed = () => ReadableStream.from([chunk, chunk]);
  assert.equal(await there.countStream(streamed()), 4);
  assert.equal(chunk.length, 11, "one may be read by another branch of tee()");
  const a = here.encode("a");
  assert.equal((await all(there.decodeAsyncGenerator([a, a]))).join(""), "aa");
  assert.equal(a.length, 1);
  const twice = { status: "ARGUMENT", message: /detached.*transferred/ };
  await assert.rejects(there.countStream(streamed(), { transfer: true }), twice);
  assert.equal(chunk.length, 0, "handed over");
  const [memory, view] = [new TextEncoder().encode("hello").buffer, new DataView(new ArrayBuffer(3))];
  assert.equal(await there.countStream([memory, view]), await there.countTokens("hello\0\0\0"));
  assert.deepEqual([memory.byteLength, view.byteLength], [5, 3]);
  await there.countStream([memory, view], { transfer: true });
  assert.equal(memory.byteLength, 0, "handed over");
  assert.throws(() => view.byteLength, TypeError, "handed over");
  await assert.rejects(there.countTokens(chunk), {
    status: "ARGUMENT",
    message: /^countTokens cannot send .*detached/,
  });
  assert.equal(await there.countTokens("hello world"), 2);
});

test("a call means what its bytes are then, also if it waits; and of a large memory, its part alone", async () => {
  const one = await getEncoding("o200k_base");
  const busy = one.countTokens("word ".repeat(300_000));
  const bytes = new TextEncoder().encode("hello world");
  const large = Buffer.from(`${"!".repeat(500)}hello world`).subarray(500);
  const [first, second] = [one.countTokens(bytes), one.countTokens(large)];
  bytes.fill(33);
  large.fill(33);
  await busy;
  assert.deepEqual([await first, await second], [2, 2]);
  async function* refilled() {
    for (const word of ["hello", " worl", "d "])
      yield bytes.subarray(0, new TextEncoder().encodeInto(word, bytes).written);
  }
  assert.equal(await one.countStream(refilled()), here200k.countTokens("hello world "));
  one.free();
});

test("what cannot be sent is refused, and no Worker is lost to what is no stream", async () => {
  const one = await getEncoding("o200k_base");
  const terminate = mock.method(Worker.prototype, "terminate");
  for (const source of [5, "text", undefined, {}]) {
    await assert.rejects(one.countStream(source), { status: "ARGUMENT", message: /^the source is/ });
    await assert.rejects(all(one.decodeAsyncGenerator(source)), { status: "ARGUMENT", message: /^the source is/ });
  }
  await assert.rejects(one.countStream(Uint8Array.of(7)), { status: "ARGUMENT", message: /chunk of the text is 7/ });
  assert.equal((await all(one.decodeAsyncGenerator(Uint8Array.of(65, 66)))).join(""), here200k.decode([65, 66]));
  assert.equal(terminate.mock.callCount(), 0);
  terminate.mock.restore();
  await assert.rejects(one.countStream([() => 1]), { status: "ARGUMENT", message: /^countStream cannot send/ });
  const sets = [here200k.encode("hello").values(), new Set(here200k.encode(" world")), 24912];
  assert.equal((await all(one.decodeAsyncGenerator(sets))).join(""), "hello worldhello");
  one.free();
});

test("a stream for which there is no count is cancelled", async () => {
  const one = await getEncoding("o200k_base");
  const reasons = [];
  const stream = () => new ReadableStream({ cancel: (reason) => void reasons.push(reason) });
  await assert.rejects(one.countStream(stream(), { signal: AbortSignal.abort("late") }), (error) => error === "late");
  const [running, waiting] = [one.countStream(stream()), one.countStream(stream())];
  setTimeout(() => one.free(), 20);
  for (const call of [running, waiting]) await assert.rejects(call, { status: "FREED" });
  await assert.rejects(one.countStream(stream()), { status: "FREED" });
  while (reasons.length < 4) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(
    reasons.map((reason) => reason?.status ?? reason),
    ["late", "FREED", "FREED", "FREED"],
  );
});

test("freed: calls that wait and later ones fail", async () => {
  const one = await getEncoding("o200k_base");
  const waiting = [one.countTokens("x".repeat(1_000_000)), one.countTokens("a"), all(one.encodeGenerator("a"))];
  const failed = waiting.map((call) => assert.rejects(call, { status: "FREED", message: /o200k_base was freed/ }));
  // At once: no answer can have come.
  one.free();
  one.free();
  await Promise.all(failed);
  await assert.rejects(one.countTokens("a"), { status: "FREED" });
});

const inProcess = async (body, ...flags) => {
  const script = `import { getEncoding } from ${JSON.stringify(new URL("web/package/node-worker.js", ROOT).href)}; ${body}`;
  return (
    await run(process.execPath, [...flags, "--input-type=module", "-e", script])
  ).stdout.trim();
};

test("where no Worker may be started, that is what is said", async () => {
  const permission = process.allowedNodeEnvironmentFlags.has("--permission")
    ? "--permission"
    : "--experimental-permission";
  const body = `
    const calls = [1, 2].map(() => getEncoding("o200k_base").catch((error) => error.status + " " + error.message));
    console.log((await Promise.all(calls)).join("\\n"));`;
  for (const line of (await inProcess(body, permission, "--allow-fs-read=*")).split("\n")) {
    assert.match(line, /^WORKER cannot start a Worker: .*; serve the files/);
  }
});

test("generators do without what Node 20.0 has not", async () => {
  const body = `delete AbortSignal.any;
    const one = await getEncoding("o200k_base");
    const { signal } = new AbortController();
    for await (const ids of one.encodeGenerator("hello world", { signal })) console.log(ids.length);`;
  assert.equal(await inProcess(body), "2");
});

test("a program ends without free()", async () => {
  const body = `console.log(await (await getEncoding("o200k_base", { workers: 2 })).countTokens("hello world"));`;
  assert.equal(await inProcess(body), "2");
});

test("a tokenizer that nobody holds ends its Workers, but not while somebody waits for an answer", async () => {
  const body = `
    const { Worker } = await import("node:worker_threads");
    let ended = 0;
    const { terminate } = Worker.prototype;
    Worker.prototype.terminate = function () { ended++; return terminate.call(this); };
    const turn = () => new Promise((resolve) => setTimeout(resolve, 10));
    const collect = async () => { for (let i = 0; i < 10; i++) { gc(); await turn(); } };
    const counted = (async () => (await getEncoding("o200k_base")).countTokens("x".repeat(8_000_000)))();
    await collect();
    const count = await counted;
    while (!ended) await collect();
    console.log(count, ended);`;
  assert.equal(await inProcess(body, "--expose-gc"), "1000000 1");
});
