// What happens after the model, as in Python: tests/vectors/after.json, texts with a template around them, and ids that a decoder joins.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Tokenizer, init } from "../../web/package/node.js";
import { ROOT } from "./common.mjs";

const FOLDER = new URL("tests/vectors/", ROOT);
const lines = JSON.parse(await readFile(new URL("after.json", FOLDER), "utf8"));
await init(process.env.WWHO_WASM);

async function* groups(ids, size) {
  for (let at = 0; at < ids.length; at += size) yield ids.slice(at, at + size);
}

async function collect(parts) {
  let text = "";
  for await (const part of parts) text += part;
  return text;
}

for (const name of new Set(lines.map(({ encoding }) => encoding))) {
  const own = lines.filter(({ encoding }) => encoding === name);

  test(`${name}: pairs, and ids of the template`, async () => {
    const tokenizer = await Tokenizer.load(new URL(`${name}.wwho`, FOLDER));
    for (const { text, pair, special, ids, types, offsets } of own.filter((line) => line.text !== undefined)) {
      const options = { ...(pair !== null && { pair }), addSpecialTokens: special };
      assert.deepEqual(tokenizer.encode(text, { ...options, array: true }), ids);
      assert.equal(tokenizer.countTokens(text, options), ids.length);
      const found = tokenizer.encodeWithOffsets(text, options);
      assert.deepEqual([...found.ids], ids);
      const units = (/** @type {number} */ i) => offsets[i].map((at) => [...(types[i] && pair !== null ? pair : text)].slice(0, at).join("").length);
      assert.deepEqual([...found.starts].map((start, i) => [start, found.ends[i]]), ids.map((_, i) => units(i)));
      if (found.types) assert.deepEqual([...found.types], types);
      else assert.deepEqual([pair, special], [null, false]);
    }
  });

  test(`${name}: decoded whole, and in parts`, async () => {
    const tokenizer = await Tokenizer.load(new URL(`${name}.wwho`, FOLDER));
    for (const { ids, skip: skipSpecialTokens, decoded } of own.filter((line) => line.decoded !== undefined)) {
      const options = { skipSpecialTokens };
      assert.equal(tokenizer.decode(ids, options), decoded);
      assert.equal(new TextDecoder("utf-8", { ignoreBOM: true }).decode(tokenizer.decodeBytes(ids, options)), decoded);
      assert.equal([...tokenizer.decodeGenerator(ids, options)].join(""), decoded);
      assert.equal(await collect(tokenizer.decodeAsyncGenerator(groups(ids, 3), options)), decoded);
    }
  });
}

test("more ids than are decoded at a time", async () => {
  for (const name of ["fallback", "ctc"]) {
    const tokenizer = await Tokenizer.load(new URL(`${name}.wwho`, FOLDER));
    const { ids } = lines.filter(({ encoding, decoded }) => encoding === name && decoded).at(-1);
    const many = Array.from({ length: 70_000 }, (_, i) => ids[i % ids.length]);
    assert.equal(tokenizer.decode(many), await collect(tokenizer.decodeAsyncGenerator(groups(many, 999))));
  }
});

test("a token alone has its own bytes", async () => {
  const tokenizer = await Tokenizer.load(new URL("template.wwho", FOLDER));
  const ids = [...tokenizer.encode("ab")];
  assert.equal(new TextDecoder().decode(tokenizer.tokenBytes(ids[0])), "ab");
  assert.throws(() => tokenizer.tokenBytes(999), { status: "TOKEN" });
  assert.throws(() => tokenizer.decode(ids, { skipSpecialTokens: 1 }), { status: "ARGUMENT" });
  assert.throws(() => tokenizer.encode("a", { addSpecialTokens: 1 }), { status: "ARGUMENT" });
});

test("added tokens of letters that stand for bytes: their texts, or as tokenizers decodes them", async () => {
  const models = JSON.parse(await readFile(new URL("letters.json", FOLDER), "utf8"));
  for (const { file, lines: own } of models) {
    const tokenizer = Tokenizer.loadSync(Buffer.from(file, "base64"));
    for (const { ids, skip: skipSpecialTokens, decoded, like_hex: hex } of own) {
      const options = { skipSpecialTokens, likeTokenizers: true };
      assert.equal(tokenizer.decode(ids, { skipSpecialTokens }), decoded);
      assert.equal(Buffer.from(tokenizer.decodeBytes(ids, options)).toString("hex"), hex);
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(hex, "hex"));
      assert.equal(tokenizer.decode(ids, options), text);
      assert.equal([...tokenizer.decodeGenerator(ids, options)].join(""), text);
      assert.equal(await collect(tokenizer.decodeAsyncGenerator(groups(ids, 3), options)), text);
    }
    const { ids, like_hex: hex } = own[8];
    const many = Array.from({ length: 10_000 }, () => ids).flat();
    assert.ok(many.length > 2 ** 16);
    assert.equal(Buffer.from(tokenizer.decodeBytes(many, { likeTokenizers: true })).toString("hex"), hex.repeat(10_000));
    assert.throws(() => tokenizer.decode([300], { likeTokenizers: true }), { status: "TOKEN" });
    tokenizer.free();
    assert.throws(() => tokenizer.decode([], { likeTokenizers: true }), { status: "FREED" });
  }
});

test("likeTokenizers is refused where nothing says how tokenizers decodes", async () => {
  const template = await Tokenizer.load(new URL("template.wwho", FOLDER));
  const message = "likeTokenizers is true; expected false: template comes from no tokenizer.json, so nothing says how tokenizers decodes";
  assert.throws(() => template.decode([1], { likeTokenizers: true }), { status: "ARGUMENT", message });
  assert.throws(() => [...template.decodeGenerator([1], { likeTokenizers: true })], { status: "ARGUMENT", message });
  assert.throws(() => template.decode([1], { likeTokenizers: 1 }), { status: "ARGUMENT", message: /^likeTokenizers is 1/ });
});
