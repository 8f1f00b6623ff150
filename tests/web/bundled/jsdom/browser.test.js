const { WwhoError, getEncoding } = require("wwho");
const { bytes, load } = require("wwho/o200k_base");
const { countChat } = require("wwho/openai");
const { Tokenizer } = require("wwho/tokenizer");

test("what a browser has is there, and what Node has is not", () => {
  expect(document.body.nodeName).toBe("BODY");
  expect([typeof TextEncoder, typeof TextDecoder]).toEqual(["undefined", "undefined"]);
});

test("encodings by their names, their modules and their bytes", async () => {
  const enc = load();
  expect((await getEncoding("wwho_328k")).countTokens("ගමේ school")).toBe(2);
  for (const each of [enc, Tokenizer.loadSync(bytes()), await Tokenizer.load(bytes())]) {
    const ids = each.encode("hello wörld");
    expect(ids).toBeInstanceOf(Uint32Array);
    expect(each.decode(ids)).toBe("hello wörld");
    expect(each.countTokens(new Uint8Array([104, 105]))).toBe(1);
  }
  expect(await countChat([{ role: "user", content: "hello world" }], "gpt-4o")).toBe(9);
});

test("texts in parts", async () => {
  const enc = load();
  const n = enc.countTokens("hello wörld");
  expect(await enc.countStream(["hello w", "örld"])).toBe(n);
  expect([...enc.encodeGenerator("hello wörld")].reduce((sum, ids) => sum + ids.length, 0)).toBe(n);
  expect(enc.truncate("hello wörld", 1)).toBe("hello");
});

test("errors", () => {
  expect(() => load().encode(5)).toThrow(WwhoError);
});
