// Several texts in one call, tokens by their texts, and further special tokens.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
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
    [["a", ["b"]], "number 1 of texts is a list"],
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
    [["<|user|>"], "tokens is a list; expected an object or a Map"],
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

test("an id is that of one special token, unless the call shares it", () => {
  const refused = (tokens, said) =>
    assert.throws(() => o200k.withSpecialTokens(tokens), ({ status, message }) => status === "ARGUMENT" && message.startsWith(said), said);
  refused({ "<|x|>": 199_999 }, 'the id of "<|x|>" is 199999; expected one that no token of o200k_base has: it is that of "<|endoftext|>"');
  refused({ "<|x|>": 200_100, "<|y|>": 200_100 }, 'the id of "<|x|>" is 200100; expected one that no token of o200k_base has: it is that of "<|y|>"');
  // One that was moved has left its id.
  const moved = o200k.withSpecialTokens({ "<|x|>": 199_999, "<|endoftext|>": 200_018, "<|endofprompt|>": 200_100 });
  const text = "<|x|><|endoftext|><|endofprompt|>";
  assert.deepEqual([...moved.encode(text, { allowedSpecial: "all" })], [199_999, 200_018, 200_100]);
  assert.equal(moved.decode([199_999, 200_018, 200_100]), text);
  const shared = o200k.withSpecialTokens({ "<|x|>": 199_999 }, { sharesIds: true });
  assert.deepEqual([...shared.encode("<|x|><|endoftext|>", { allowedSpecial: "all" })], [199_999, 199_999]);
  assert.equal(shared.decode([199_999]), "<|x|>");
  for (const [options, said] of [
    [{ shareIds: true }, 'there is no option "shareIds"; expected sharesIds'],
    [{ sharesIds: 1 }, "sharesIds is 1; expected true or false"],
    [[], "options is a list; expected an object with any of sharesIds"],
    [null, "options is null"],
  ]) {
    assert.throws(() => o200k.withSpecialTokens({}, options), ({ status, message }) => status === "ARGUMENT" && message.startsWith(said), said);
  }
});

test("a special token that the tokenizer needs keeps its id", async () => {
  const template = await Tokenizer.load(new URL("tests/vectors/template.wwho", ROOT));
  for (const [enc, text, use] of [
    [wwho, "[UNK]", "the unknown token"],
    [template, "[UNK]", "the unknown token"],
    [template, "[CLS]", "part of the template"],
    [template, "[SEP]", "one to which the decoder gives a text"],
  ]) {
    const id = enc.specialTokens.get(text);
    const message = `a special token is "${text}"; expected another text: ${enc.name} has this one, which is ${use}, and cannot give it another id than ${id}`;
    assert.throws(() => enc.withSpecialTokens({ [text]: 1_000_000 }), { status: "ARGUMENT", message });
    assert.equal(enc.withSpecialTokens({ [text]: id }).specialTokens.get(text), id);
  }
});

test("a special token is found before another token of its text", () => {
  const enc = o200k.withSpecialTokens({ hello: 200_100 });
  assert.equal(o200k.tokenToId("hello"), 24_912);
  assert.equal(enc.tokenToId("hello"), 200_100);
  assert.equal(enc.tokenToId(encoder.encode("hello")), 200_100);
  assert.deepEqual([enc.idToToken(200_100), enc.idToToken(24_912)], ["hello", "hello"]);
  assert.equal(enc.tokenToId("\ufffd"), o200k.tokenToId("\ufffd"));
});

test("every token of the vectors' models is found, or another of its text", async () => {
  const folder = new URL("tests/vectors/", ROOT);
  /** Tokens of a SCRIPT model for bytes whose characters are written with a block and an index. */
  const hidden = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".wwho"))) {
    const enc = await Tokenizer.load(new URL(file, folder));
    for (let id = 0; id < enc.info.nVocab; id++) {
      if (!bytesIfToken(enc, id)) continue;
      const token = enc.idToToken(id);
      const found = enc.tokenToId(token);
      if (found === undefined) hidden.push(`${file} ${token}`);
      else if (found !== id) assert.deepEqual(enc.idToToken(found), token, `${file} ${id}`);
    }
  }
  assert.deepEqual(hidden, ["\n", ",", ".", "c", "d", "e", "x", "y", "z"].map((token) => `script.wwho ${token}`));
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

test("Workers read options that can be read once, and start only for texts", async () => {
  const pool = await inWorkers("o200k_base", { workers: 3 });
  const one = "word ".repeat(60_000);
  for (const texts of [[one.repeat(4)], ["", one.repeat(4), "", ""], Array(50).fill(""), [one, "a"]]) {
    assert.deepEqual(await pool.countBatch(texts), o200k.countBatch(texts));
    assert.equal(pool.started, 1);
  }
  const texts = Array(6).fill(`<|endoftext|>${one}`);
  const list = { allowedSpecial: ["<|endoftext|>"] };
  const once = () => ({ allowedSpecial: ["<|endoftext|>"].values() });
  assert.deepEqual(await pool.countBatch(texts, once()), o200k.countBatch(texts, list));
  assert.equal(pool.started, 3);
  assert.deepEqual(await pool.encodeBatch(texts, { ...once(), pairs: texts.values() }), o200k.encodeBatch(texts, { ...list, pairs: texts }));
  const disallowed = { disallowedSpecial: ["<|endoftext|>"].values() };
  await assert.rejects(pool.countBatch([...Array(5).fill(one), "<|endoftext|>"], disallowed), { status: "SPECIAL_TOKEN" });
  pool.free();
});

test("Workers copy the bytes of a batch, or take them", async () => {
  const pool = await inWorkers("o200k_base", { workers: 2 });
  const long = encoder.encode("word ".repeat(60_000));
  const texts = () => [long.slice(), encoder.encode("hello"), long.slice(), "word"];
  const counts = [60_001, 1, 60_001, 1];
  for (const transfer of [false, true]) {
    const [given, pairs] = [texts(), texts()];
    assert.deepEqual(await pool.countBatch(given, { transfer }), counts);
    assert.deepEqual(given.map(({ length }) => length), transfer ? [0, 0, 0, 4] : [300_000, 5, 300_000, 4]);
    const rows = await pool.encodeBatch(texts(), { transfer, pairs });
    assert.deepEqual(rows.map(({ length }) => length), counts.map((count) => 2 * count));
    assert.deepEqual(pairs.map(({ length }) => length), transfer ? [0, 0, 0, 4] : [300_000, 5, 300_000, 4]);
    const pair = encoder.encode("hello");
    assert.equal(await pool.countTokens(long.slice(), { transfer, pair }), 60_002);
    assert.equal(pair.length, transfer ? 0 : 5);
  }
  // Views of one memory go together.
  const all = new Uint8Array([...long, ...long]);
  const views = [all.subarray(0, long.length), all.subarray(long.length)];
  assert.deepEqual(await pool.countBatch(views, { transfer: true }), [60_001, 60_001]);
  assert.equal(all.length, 0);
  await assert.rejects(pool.countBatch(views, { transfer: true }), { status: "ARGUMENT", message: /memory was transferred/ });
  pool.free();
});

test("Workers refuse options that would do nothing, by name", async () => {
  const pool = await inWorkers("o200k_base");
  for (const [call, message] of [
    [() => pool.toBytes({ gzip: true }), 'there is no option "gzip"; expected signal, transfer'],
    [() => pool.tokenToId("a", { special: true }), 'there is no option "special"; expected signal, transfer'],
    [() => pool.segment("a", { allowedSpecial: "all" }), 'there is no option "allowedSpecial"; expected signal, transfer'],
    [() => pool.withSpecialTokens({}, { sharesId: true }), 'there is no option "sharesId"; expected sharesIds'],
    [() => pool.encode("a", { onProgress() {} }), "encode has no onProgress; expected it of encodeStream or countStream"],
    [() => pool.encode("a", { transfer: 1 }), "transfer is 1; expected true or false"],
    [() => pool.countBatch(["a"], null), "options is null; expected an object; leave it out for none"],
    [() => pool.decode([1], ["a"]), "options is a list; expected an object; leave it out for none"],
  ]) {
    await assert.rejects(call, { status: "ARGUMENT", message });
  }
  const more = await pool.withSpecialTokens({ "<|x|>": 199_999 }, { sharesIds: true });
  assert.equal(await more.decode([199_999]), "<|x|>");
  more.free();
  pool.free();
});
