// Several texts in one call, tokens by their texts, and further special tokens.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Tokenizer, getEncoding } from "../../web/package/node.js";
import { getEncoding as inWorkers } from "../../web/package/node-worker.js";
import { getTokenizers } from "./encodings.mjs";
import { ROOT, TEXTS, bytesOf, randomNumbers } from "./common.mjs";

const { o200k, wwho } = await getTokenizers();
const encoder = new TextEncoder();

/** Texts of every kind: of ASCII, of other scripts, bytes, broken ones, very short and rather long. */
const MANY = [...TEXTS, ...TEXTS.map((text) => encoder.encode(text)), "a\ud800", "\udc00b", Uint8Array.of(0xff, 0x61), "word ".repeat(80_000), ...TEXTS];

for (const tokenizer of [o200k, wwho]) {
  test(`${tokenizer.name}: a batch gives what each text gives alone`, () => {
    const ids = MANY.map((text) => tokenizer.encode(text));
    assert.deepEqual(tokenizer.encodeBatch(MANY), ids);
    assert.deepEqual(tokenizer.encodeBatch(new Set(["a", "b c"]), { array: true }), [[64], [65, 274]]);
    assert.deepEqual(tokenizer.countBatch(MANY), ids.map(({ length }) => length));
    // A call after a batch is one of a single text again.
    assert.deepEqual(tokenizer.encode(TEXTS[2]), ids[2]);
    assert.deepEqual(tokenizer.encodeBatch([]), []);
    assert.deepEqual(tokenizer.countBatch([]), []);
  });

  test(`${tokenizer.name}: a batch takes the options of one text`, () => {
    const texts = ["a<|endoftext|>b", "<|endoftext|>", "c"];
    for (const options of [{ allowedSpecial: "all" }, { allowedSpecial: ["<|endoftext|>"].values() }, { unk: "spell", added: false }]) {
      const once = { ...options, ...(options.allowedSpecial && { allowedSpecial: "all" }) };
      assert.deepEqual(tokenizer.encodeBatch(texts, options), texts.map((text) => tokenizer.encode(text, once)));
    }
    assert.deepEqual(tokenizer.countBatch(texts, { pairs: texts }), texts.map((text) => tokenizer.countTokens(text, { pair: text })));
    assert.deepEqual(tokenizer.encodeBatch(texts, { pairs: TEXTS.slice(0, 3) }), texts.map((text, i) => tokenizer.encode(text, { pair: TEXTS[i] })));
    assert.throws(() => tokenizer.countBatch(texts, { disallowedSpecial: "all" }), { status: "SPECIAL_TOKEN" });
  });
}

test("a batch adds the template's tokens to each text", async () => {
  const model = await Tokenizer.loadSync(await bytesOf(new URL("tests/vectors/template.wwho", ROOT)));
  const pairs = TEXTS.toReversed();
  for (const options of [{ addSpecialTokens: true }, { addSpecialTokens: true, pairs }, { pairs }]) {
    const alone = TEXTS.map((text, i) => model.encode(text, { addSpecialTokens: options.addSpecialTokens, ...(options.pairs && { pair: pairs[i] }) }));
    assert.deepEqual(model.encodeBatch(TEXTS, options), alone);
    assert.deepEqual(model.countBatch(TEXTS, options), alone.map(({ length }) => length));
  }
});

test("a batch refuses what it cannot take, by name", () => {
  for (const [texts, said] of [
    ["abc", 'texts is "abc"; expected a list'],
    [encoder.encode("abc"), "texts is of type object; expected a list"],
    [undefined, "texts is undefined"],
    [["a", 5], "number 1 of texts is 5"],
    [["a", ["b"]], "number 1 of texts is of type object"],
  ]) {
    for (const method of ["encodeBatch", "countBatch"]) assert.throws(() => o200k[method](texts), ({ status, message }) => status === "ARGUMENT" && message.startsWith(said));
  }
  assert.throws(() => o200k.encodeBatch(["a"], { pairs: [] }), { status: "ARGUMENT", message: "the number of pairs is 0; expected 1, one for each text" });
  assert.throws(() => o200k.encodeBatch(["a"], { pair: "b" }), { status: "ARGUMENT" });
  assert.throws(() => o200k.countBatch(["a"], { array: true }), { status: "ARGUMENT" });
});

test("every token is found by its text or bytes", async () => {
  for (const name of ["o200k_base", "o200k_harmony", "wwho_128k"]) {
    const tokenizer = await getEncoding(name);
    let shared = 0;
    for (let id = 0; id < tokenizer.info.nVocab; id++) {
      const bytes = bytesIfToken(tokenizer, id);
      if (!bytes) continue;
      const token = tokenizer.idToToken(id);
      const found = tokenizer.tokenToId(token);
      if (found !== id) {
        // Tokens of two models have this text.
        assert.deepEqual(tokenizer.tokenBytes(found), bytes);
        shared++;
      }
      if (id % 50 > 0) continue;
      assert.deepEqual(typeof token === "string" ? encoder.encode(token) : token, bytes);
      assert.equal(tokenizer.tokenToId(bytes), found);
    }
    assert.equal(shared, name === "wwho_128k" ? 3 : 0, name);
  }
  assert.equal(o200k.idToToken(24912), "hello");
  assert.deepEqual(o200k.idToToken(o200k.tokenToId(Uint8Array.of(0xff))), Uint8Array.of(0xff));
  for (const none of ["", "no such token", "\ud800", "a\ud800", Uint8Array.of(0xff, 0xff), "x".repeat(2000)]) assert.equal(o200k.tokenToId(none), undefined);
  assert.notEqual(o200k.tokenToId("\ufffd"), undefined);
  assert.throws(() => o200k.tokenToId(5), { status: "ARGUMENT" });
  assert.throws(() => o200k.idToToken(200_007), { status: "TOKEN" });
});

/** The bytes of a token; undefined if no token has this id. */
function bytesIfToken(tokenizer, id) {
  try {
    return tokenizer.tokenBytes(id);
  } catch {
    return undefined;
  }
}

test("further special tokens are found, decoded and counted; the tokenizer stays as it is", async () => {
  const more = { "<|user|>": 200_100, "<|tool 🛠|>": 200_050, "<|user|>s": 200_200 };
  for (const tokens of [more, new Map(Object.entries(more))]) {
    const enc = o200k.withSpecialTokens(tokens);
    assert.ok(enc instanceof Tokenizer);
    const text = "<|user|>a<|tool 🛠|> b<|endoftext|><|user|>s";
    const ids = [200_100, 64, 200_050, 287, 199_999, 200_200];
    assert.deepEqual([...enc.encode(text, { allowedSpecial: "all" })], ids);
    assert.equal(enc.decode(ids), text);
    assert.equal(enc.decode(ids, { skipSpecialTokens: true }), "a b");
    assert.deepEqual(enc.encode(text), o200k.encode(text));
    assert.equal(enc.info.nVocab, 200_201);
    assert.equal(enc.tokenToId("<|user|>"), 200_100);
    assert.deepEqual([...enc.specialTokens], [...o200k.specialTokens, ...Object.entries(more)].sort(([, a], [, b]) => a - b));
    assert.throws(() => o200k.decode([200_100]), { status: "TOKEN" });
    // The file is a whole one, and can be extended again.
    const again = Tokenizer.loadSync(enc.toBytes()).withSpecialTokens({ "<|x|>": 200_300 });
    assert.deepEqual([...again.encode("<|x|><|user|>", { allowedSpecial: "all" })], [200_300, 200_100]);
    enc.free();
    assert.throws(() => enc.withSpecialTokens({}), { status: "FREED" });
    assert.throws(() => enc.toBytes(), { status: "FREED" });
  }
});

test("a special token may get another id, unless tokens are numbered around it", async () => {
  const enc = o200k.withSpecialTokens({ "<|endofprompt|>": 200_006 });
  assert.deepEqual([...enc.encode("<|endofprompt|>", { allowedSpecial: "all" })], [200_006]);
  assert.throws(() => enc.decode([200_018]), { status: "TOKEN" });
  const p50k = await getEncoding("p50k_base");
  const same = p50k.withSpecialTokens({ "<|endoftext|>": 50_256, "<|fim_prefix|>": 50_281 });
  const edit = await getEncoding("p50k_edit");
  for (const text of TEXTS) assert.deepEqual(same.encode(text), edit.encode(text));
  assert.throws(() => p50k.withSpecialTokens({ "<|endoftext|>": 60_000 }), { status: "ARGUMENT", message: /whose id lies among those of other tokens/ });
});

test("special tokens that cannot be are refused, by name", () => {
  const tooLong = "x".repeat(1025);
  for (const [tokens, said] of [
    [undefined, "tokens is undefined"],
    ["<|user|>", 'tokens is "<|user|>"'],
    [["<|user|>"], "tokens is of type object"],
    [{ "<|user|>": 24_912 }, 'the id of "<|user|>" is 24912; expected one that no token of o200k_base has: it is that of "hello"'],
    [{ "<|user|>": 255 }, 'the id of "<|user|>" is 255; expected one that no token of o200k_base has: it is that of the bytes '],
    [{ "<|user|>": -1 }, 'the id of "<|user|>" is -1'],
    [{ "<|user|>": 2_097_151 }, 'the id of "<|user|>" is 2097151'],
    [{ "<|user|>": "200100" }, 'the id of "<|user|>" is "200100"'],
    [{ "": 200_100 }, 'a special token is ""'],
    [{ "\ud83d": 200_100 }, 'a special token is "\\ud83d"'],
    [{ [tooLong]: 200_100 }, `a special token is "${"x".repeat(40)}"`],
    [new Map([[7, 200_100]]), "a special token is 7"],
  ]) {
    assert.throws(() => o200k.withSpecialTokens(tokens), ({ status, message }) => status === "ARGUMENT" && message.startsWith(said), said);
  }
});

test("a tokenizer of syllables takes further special tokens", () => {
  const enc = wwho.withSpecialTokens({ "<|ගුරු|>": 400_000 });
  const text = "<|ගුරු|>ගමේ school";
  assert.deepEqual([...enc.encode(text, { allowedSpecial: "all" })], [400_000, ...wwho.encode("ගමේ school")]);
  assert.deepEqual(enc.encode(text), wwho.encode(text));
});

test("random special tokens are found leftmost and longest first, as a plain search finds them", () => {
  const random = randomNumbers(7);
  const letters = ["a", "b", "<", "|", "é"];
  const word = (most) => Array.from({ length: 1 + Math.floor(random() * most) }, () => letters[Math.floor(random() * letters.length)]).join("");
  for (let round = 0; round < 6; round++) {
    const tokens = new Map(Array.from({ length: 6 }, (_, i) => [word(4), 300_000 + i]));
    const enc = o200k.withSpecialTokens(tokens);
    const longest = [...tokens.keys()].sort((a, b) => b.length - a.length);
    for (let i = 0; i < 20; i++) {
      const text = word(30);
      const expected = [];
      let plain = "";
      const end = () => (expected.push(...o200k.encode(plain)), (plain = ""));
      for (let at = 0; at < text.length; ) {
        const found = longest.find((token) => text.startsWith(token, at));
        if (found) (end(), expected.push(tokens.get(found)));
        else plain += text[at];
        at += found?.length ?? 1;
      }
      end();
      assert.deepEqual([...enc.encode(text, { allowedSpecial: "all" })], expected, text);
    }
    enc.free();
  }
});

test("Workers do all of it, and share a long batch", async () => {
  const pool = await inWorkers("o200k_base", { workers: 3 });
  const long = Array.from({ length: 5000 }, (_, i) => TEXTS[i % TEXTS.length] + "word ".repeat(i % 60));
  assert.deepEqual(await pool.encodeBatch(long), o200k.encodeBatch(long));
  assert.equal(pool.started, 3);
  assert.deepEqual(await pool.countBatch(long, { pairs: long }), o200k.countBatch(long, { pairs: long }));
  assert.deepEqual(await pool.encodeBatch(["a", encoder.encode("xxb c").subarray(2)], { array: true }), [[64], [65, 274]]);
  assert.deepEqual(await pool.encodeBatch([]), []);
  await assert.rejects(pool.encodeBatch("abc"), { status: "ARGUMENT" });
  await assert.rejects(pool.countBatch(["a"], { pairs: [] }), { status: "ARGUMENT", message: /^the number of pairs is 0/ });
  assert.equal(await pool.tokenToId("hello"), 24_912);
  assert.equal(await pool.idToToken(24_912), "hello");
  assert.deepEqual(await pool.toBytes(), o200k.toBytes());
  const more = await pool.withSpecialTokens(new Map([["<|user|>", 200_100]]));
  assert.deepEqual([...(await more.encode("<|user|>a", { allowedSpecial: ["<|user|>"] }))], [200_100, 64]);
  assert.equal(more.specialTokens.get("<|user|>"), 200_100);
  await assert.rejects(pool.withSpecialTokens({ a: 1 }), { status: "ARGUMENT", message: /^the id of "a" is 1/ });
  more.free();
  pool.free();
});
