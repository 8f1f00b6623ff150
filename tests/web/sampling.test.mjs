// Tokens that are drawn: the ids of Python, and what is refused.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Tokenizer, getEncoding } from "../../web/package/node.js";
import { ROOT } from "./common.mjs";

const TEXT = "hello world, the lazy dogs. ගෙදර ගියා हिन्दी में वाक्य है 12345";
const SEED = 2n ** 64n - 1n;
/** The ids of two texts, which tests/py/test_sampling.py has, too. @type {Record<string, number[][]>} */
const KNOWN = {
  o200k_base: [[71, 6053, 2375, 11, 31499, 12609, 13566, 7778, 31499, 129257, 1409, 5760, 811, 99, 840], [24912, 220, 86, 267, 75, 67, 11, 31499, 12609, 13566, 7778, 31499, 5122, 106771, 1409, 5760, 166886]], 
  wwho_super_328k: [[71, 6053, 2375, 11, 218203, 215255, 214148], [24912, 220, 86, 267, 75, 67, 11, 218203, 201770, 209787, 214148]],
};

test("the ids are those of Python", async () => {
  for (const [name, rows] of Object.entries(KNOWN)) {
    const enc = await getEncoding(name);
    const texts = ["hello world, ගෙදර ගියා हिन्दी", "hello world, ගෙදර ගියා हिन्दी"];
    assert.deepEqual(enc.encodeBatch(texts, { array: true, dropout: 0.3, seed: SEED }), rows);
  }
});

test("a seed gives the same ids each time, and the text comes back", async () => {
  for (const name of ["o200k_base", "wwho_super_328k"]) {
    const enc = await getEncoding(name);
    const plain = enc.encode(TEXT, { array: true });
    assert.deepEqual(enc.encode(TEXT, { array: true, dropout: 0, seed: 1 }), plain);
    const drawn = enc.encode(TEXT, { array: true, dropout: 0.3, seed: SEED });
    assert.notDeepEqual(drawn, plain);
    assert.deepEqual(enc.encode(TEXT, { array: true, dropout: 0.3, seed: SEED }), drawn);
    assert.equal(enc.decode(drawn), TEXT);
    assert.deepEqual([...enc.encodeWithOffsets(TEXT, { dropout: 0.3, seed: SEED }).ids], drawn);
    assert.deepEqual(enc.encode(TEXT, { array: true }), plain);
  }
});

test("each text of a batch and of a pair has its own stream", async () => {
  const enc = await getEncoding("o200k_base");
  const options = { array: true, dropout: 0.3, seed: 5 };
  const rows = enc.encodeBatch([TEXT, TEXT, TEXT, TEXT], options);
  assert.equal(new Set(rows.map(String)).size, 4);
  assert.deepEqual(rows[0], enc.encode(TEXT, options));
  assert.deepEqual(enc.encode(TEXT, { ...options, pair: TEXT }), [...rows[0], ...rows[1]]);
  const pairs = enc.encodeBatch([TEXT, TEXT], { ...options, pairs: [TEXT, TEXT] });
  assert.deepEqual(pairs, [[...rows[0], ...rows[1]], [...rows[2], ...rows[3]]]);
});

test("a long text is drawn as a whole", async () => {
  const enc = await getEncoding("o200k_base");
  const long = TEXT.repeat(3000);
  const ids = enc.encode(long, { dropout: 0.1, seed: 1 });
  assert.equal(enc.decode(ids), long);
  assert.deepEqual(enc.encodeWithOffsets(long, { dropout: 0.1, seed: 1 }).ids, ids);
});

test("what cannot be drawn is refused by name", async () => {
  const enc = await getEncoding("o200k_base");
  /** @type {[object, string, RegExp][]} */
  const wrong = [
    [{ dropout: 0.1 }, "ARGUMENT", /seed is undefined/],
    [{ dropout: 1.5, seed: 1 }, "ARGUMENT", /dropout is 1\.5/],
    [{ dropout: NaN, seed: 1 }, "ARGUMENT", /dropout is NaN/],
    [{ dropout: 0.1, seed: -1 }, "ARGUMENT", /seed is -1/],
    [{ dropout: 0.1, seed: 2n ** 64n }, "ARGUMENT", /seed is 18446744073709551616n/],
    [{ seed: "x" }, "ARGUMENT", /^seed is "x"/],
    [{ dropout: 0, seed: 1.5 }, "ARGUMENT", /^seed is 1\.5/],
    [{ sample: { alpha: 0.1, nBest: 64 }, seed: 1 }, "ARGUMENT", /nBest is 64/],
    [{ sample: { alpha: 0.1, nBest: -2 }, seed: 1 }, "ARGUMENT", /nBest is -2/],
    [{ sample: { alpha: 0.1, nBest: 1, n_best: -1 } }, "ARGUMENT", /^there is no option "n_best"; expected alpha, nBest$/],
    [{ sample: null }, "ARGUMENT", /^sample is null; expected an object with any of alpha, nBest$/],
    [{ sample: 0.1 }, "ARGUMENT", /^sample is 0\.1/],
    [{ sample: { alpha: 0.1, nBest: -1 }, seed: 1 }, "SAMPLING", /BPE, which has no paths to draw/],
  ];
  for (const [options, status, message] of wrong) {
    assert.throws(() => enc.encode("hello", options), { status, message });
  }
  assert.throws(() => enc.countTokens("hello", { dropout: 0.1, seed: 1 }), { status: "ARGUMENT", message: /dropout/ });
});

test("paths of Unigram models, dropout and both are those of Python", async () => {
  const models = JSON.parse(await readFile(new URL("tests/vectors/drawn.json", ROOT), "utf8"));
  for (const { file, lines } of models) {
    const tokenizer = Tokenizer.loadSync(Buffer.from(file, "base64"));
    for (const { texts, dropout, sample, seed, ids } of lines) {
      const options = { dropout, seed: BigInt(seed), ...(sample && { sample: { alpha: sample[0], nBest: sample[1] } }) };
      assert.deepEqual(tokenizer.encodeBatch(texts, { array: true, ...options }), ids, `${dropout} ${sample} ${seed}`);
      assert.deepEqual(tokenizer.encode(texts[0], { array: true, ...options }), ids[0]);
    }
    assert.ok(new Set(lines.map(({ ids }) => String(ids))).size > 3);
  }
});

test("what no model can do is refused, with what to do instead", async () => {
  const { file } = JSON.parse(await readFile(new URL("tests/vectors/drawn.json", ROOT), "utf8"))[0];
  const unigram = Tokenizer.loadSync(Buffer.from(file, "base64"));
  const sample = { alpha: 0.1, nBest: -1 };
  for (const [tokenizer, options, said] of [
    [unigram, { dropout: 0.1 }, "a model of the kind Unigram, which cannot drop merges: leave dropout out, and give sample"],
    [unigram, { dropout: 0.1, sample }, "a model of the kind Unigram, which cannot drop merges: leave dropout out"],
    [await getEncoding("o200k_base"), { sample }, "a model of the kind BPE, which has no paths to draw: leave sample out, and give dropout"],
    [await getEncoding("o200k_base"), { dropout: 0.1, sample }, "a model of the kind BPE, which has no paths to draw: leave sample out"],
    [await Tokenizer.load(new URL("tests/vectors/template.wwho", ROOT)), { dropout: 0.1 }, "a model of the kind longest match (WordPiece), which cannot drop merges: leave dropout out"],
  ]) {
    assert.throws(() => tokenizer.encode("ab", { ...options, seed: 1 }), { status: "SAMPLING", message: `${tokenizer.name} has ${said}` });
  }
  const mixed = await getEncoding("wwho_131k_indic");
  for (const options of [{ dropout: 0.3 }, { sample }, { dropout: 0.3, sample }]) {
    const ids = mixed.encode(TEXT, { ...options, seed: 1 });
    assert.notDeepEqual(ids, mixed.encode(TEXT));
    assert.equal(mixed.decode(ids), mixed.decode(mixed.encode(TEXT)));
  }
});
