const { readFileSync } = require("node:fs");

const { Tokenizer, WwhoError, getEncoding, initSync } = require("wwho");
const { bytes, load } = require("wwho/o200k_base");
const { countChat } = require("wwho/openai");
const far = require("wwho/worker");

test("an encoding by its name, and in a Worker", async () => {
  const enc = await getEncoding("o200k_base");
  expect(load()).toBe(enc);
  expect(enc).toBeInstanceOf(Tokenizer);
  expect(enc.countTokens("hello world")).toBe(2);
  const pool = await far.getEncoding("cl100k_base");
  expect(await pool.countTokens("hello world")).toBe(2);
  pool.free();
  expect(await countChat([{ role: "user", content: "hello world" }], "gpt-4o")).toBe(9);
});

test("bytes and modules of Jest's realm, and of Node's", async () => {
  initSync(new WebAssembly.Module(readFileSync(require.resolve("wwho/wwho.wasm"))));
  const file = readFileSync(require.resolve("wwho/encodings/o200k_base.wwho"));
  for (const source of [file, new Uint8Array(file), new Uint8Array(file).buffer, bytes()]) {
    const enc = Tokenizer.loadSync(source);
    expect(enc.countTokens(new TextEncoder().encode("hello world"))).toBe(2);
    expect(enc.encodeInto("hello world", new Uint32Array(9)).written).toBe(2);
    enc.free();
  }
  for (const source of [new Blob([file]), new Response(file)]) {
    expect((await Tokenizer.load(source)).name).toBe("o200k_base");
  }
});

test("errors", async () => {
  const error = await getEncoding("nonsense").catch((error) => error);
  expect(error).toBeInstanceOf(WwhoError);
  expect(error.message).toMatch(/expected one of cl100k_base, .*o200k_base/);
});
