// The page counts long texts in parts: the parts' tokens must be the whole's, for every tokenizer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Tokenizer, getEncoding } from "../../web/package/node.js";
import { ROOT, TEXTS, bytesOf, randomNumbers } from "./common.mjs";
import { fromSite } from "../../tools/site.mjs";

const { Cuts, safeParts } = await fromSite("page/count/cuts.js");

const NAMES = ["o200k_base", "cl100k_base", "wwho_328k", "wwho_super_328k"];
const SIDES = await Promise.all(
  NAMES.map(async (name) => ({
    name,
    tokenizer: await getEncoding(name),
    cuts: new Cuts(await bytesOf(new URL(`py/wwho/models/${name}.wwho`, ROOT))),
  })),
);
const ALPHABET = [
  ..."ab Z'sk19.,/-\n\r\t \u00a0\u0085\u3000\ufeff\u200d\u200c\u0301한字කංා්යෝක්ෂඅකि्षं़ॐ।ऽ👩",
  ...[" ", " ", "\n", "a", "ගෙදර", "यहाँ", " ක", " ක", " ගෙදර", " कि", " यहाँ"],
];

/** @param {() => number} random @param {number} length */
const randomText = (random, length) =>
  Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join("");

/** @param {string} text @param {Cuts} cuts */
const places = (text, cuts) => Array.from({ length: text.length }, (_, at) => at).filter((at) => cuts.isCut(text, at));

for (const { name, tokenizer, cuts } of SIDES) {
  test(`${name}: tokens of both sides of a cut are those of the whole`, () => {
    const random = randomNumbers(7);
    let found = 0;
    for (let i = 0; i < 1500; i++) {
      const text = randomText(random, 1 + Math.floor(random() * 40));
      const whole = tokenizer.encode(text).join();
      for (const at of places(text, cuts)) {
        const parts = [...tokenizer.encode(text.slice(0, at)), ...tokenizer.encode(text.slice(at))].join();
        assert.equal(parts, whole, JSON.stringify([text, at]));
        found++;
      }
    }
    assert.ok(found > 5000, `${found} cuts`);
  });
}

test("ordinary text has a cut before nearly every word", () => {
  const english = "When the rain stopped we walked home. Nobody saw us";
  for (const { name, cuts } of SIDES) {
    const words = [...english.matchAll(/(?<=\w) (?=\w)/g)].map(({ index }) => index);
    assert.deepEqual(places(english, cuts).filter((at) => words.includes(at)), words, name);
  }
  const sinhala = "ගෙදර යන පාරේ. මල් පිපිලා";
  const [, , wwho, superwords] = SIDES.map(({ cuts }) => places(sinhala, cuts));
  assert.deepEqual(wwho, [4, 7, 12, 17]);
  assert.deepEqual(superwords, [12], "superwords may join words that only a space parts");
});

test("the next cut, and none is invented", () => {
  const [{ cuts }] = SIDES;
  assert.equal(cuts.nextCut("one two three", 0), 3);
  assert.equal(cuts.nextCut("one two three", 4), 7);
  assert.equal(cuts.nextCut("one two three", 8), 13);
  assert.equal(cuts.nextCut("x".repeat(100_000) + " b c", 0), 100_000);
  for (const text of ["", " ", "a", "\n\n\n", "字字字", "\ud83d\udc69"]) assert.equal(cuts.nextCut(text, 0), text.length, text);
});

test("no cut goes through a surrogate pair, and lone surrogates do no harm", () => {
  for (const { tokenizer, cuts } of SIDES) {
    for (const text of ["a 👩 b 👩👩 c", "\ud83d \ud83d x \udc69 y\ud83d", "𓀀\n𓀀 𓀀.𓀀"]) {
      for (const at of places(text, cuts)) {
        const parts = [...tokenizer.encode(text.slice(0, at)), ...tokenizer.encode(text.slice(at))];
        assert.deepEqual(parts, [...tokenizer.encode(text)], JSON.stringify([text, at]));
      }
    }
  }
});

test("the cuts of a tokenizer of one's own", async () => {
  const cuts = new Cuts(await bytesOf(new URL("tests/vectors/tiny.wwho", ROOT)));
  const tiny = await Tokenizer.load(new URL("tests/vectors/tiny.wwho", ROOT));
  const random = randomNumbers(11);
  for (let i = 0; i < 500; i++) {
    const text = randomText(random, 30);
    for (const at of places(text, cuts)) {
      const parts = [...tiny.encode(text.slice(0, at)), ...tiny.encode(text.slice(at))];
      assert.deepEqual(parts, [...tiny.encode(text)], JSON.stringify([text, at]));
    }
  }
});

test("chunks of bytes, cut anywhere, give the text back in safe parts", async () => {
  const text = TEXTS.join("\n").repeat(40);
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 7, 1000, bytes.length]) {
    const parts = [];
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
    for await (const part of safeParts(chunks, SIDES.map(({ cuts }) => cuts))) parts.push(part);
    assert.equal(parts.join(""), text);
    for (const { name, tokenizer } of SIDES) {
      const sum = parts.reduce((total, part) => total + tokenizer.countTokens(part), 0);
      assert.equal(sum, tokenizer.countTokens(text), `${name}, chunks of ${size} bytes`);
    }
  }
});

test("bytes that are not UTF-8 are an error, also at the very end", async () => {
  for (const bad of [
    [0xff, 0x20],
    [0x61, 0xe0, 0xb6],
  ]) {
    await assert.rejects(async () => {
      for await (const part of safeParts([Uint8Array.from(bad)], [])) assert.ok(part !== undefined);
    }, { message: "not UTF-8 text" });
  }
});
