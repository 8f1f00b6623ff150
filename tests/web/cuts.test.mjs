// The page counts long texts in parts: the parts' tokens must be the whole's.

import assert from "node:assert/strict";
import { test } from "node:test";

import { lastCut, safeParts } from "../../web/page/cuts.js";
import { beginning, describeTokens } from "../../web/page/describe.js";
import { TEXTS, randomNumbers } from "./common.mjs";
import { getTokenizers } from "./encodings.mjs";

const { o200k, wwho } = await getTokenizers();
const ALPHABET = [
  ..."ab Z'sk19.,/-\n\r\t \u00a0\u0085\u3000\ufeff\u200d\u200c\u0301한字කංා්යෝක්ෂअकि्षं़ॐ।ऽ👩",
  " ",
  " ",
  "\n",
  "a",
];

/** @param {() => number} random @param {number} length */
const randomText = (random, length) =>
  Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join("");

test("tokens of both sides of a cut are those of the whole", () => {
  const random = randomNumbers(7);
  let cuts = 0;
  for (let i = 0; i < 4000; i++) {
    const text = randomText(random, 1 + Math.floor(random() * 60));
    const cut = lastCut(text);
    if (cut === 0) continue;
    cuts++;
    for (const tokenizer of [o200k, wwho]) {
      const parts = [...tokenizer.encode(text.slice(0, cut)), ...tokenizer.encode(text.slice(cut))];
      assert.deepEqual(parts, [...tokenizer.encode(text)], JSON.stringify([text, cut]));
    }
  }
  assert.ok(cuts > 1000, `${cuts} texts had a cut`);
});

test("the last cut is found from the end, and none is invented", () => {
  assert.equal(lastCut("one two three"), 7);
  assert.equal(lastCut("one two three", 8), 0);
  assert.equal(lastCut("a b" + "x".repeat(100_000)), 1);
  for (const text of ["", " ", "a", "a  b", "a .", "\n\n", "a\n b", "字字字"]) assert.equal(lastCut(text), 0, text);
});

test("chunks of bytes, cut anywhere, give the text back in safe parts", async () => {
  const text = TEXTS.join("\n").repeat(40);
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 7, 1000, bytes.length]) {
    const parts = [];
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
    for await (const part of safeParts(chunks)) parts.push(part);
    assert.equal(parts.join(""), text);
    for (const tokenizer of [o200k, wwho]) {
      const sum = parts.reduce((total, part) => total + tokenizer.countTokens(part), 0);
      assert.equal(sum, tokenizer.countTokens(text), `chunks of ${size} bytes`);
    }
  }
});

test("bytes that are not UTF-8 are an error, also at the very end", async () => {
  for (const bad of [
    [0xff, 0x20],
    [0x61, 0xe0, 0xb6],
  ]) {
    await assert.rejects(async () => {
      for await (const part of safeParts([Uint8Array.from(bad)])) assert.ok(part !== undefined);
    }, TypeError);
  }
});

test("the page's tokens: kinds, units, split characters", () => {
  const kinds = (text) => describeTokens(wwho, text, 99).map(({ text: part, kind }) => [part, kind]);
  assert.deepEqual(kinds("ඔයා 1 अद्भुत"), [
    ["ඔයා", "sgpe"],
    [" ", "base"],
    ["1", "base"],
    [" अद्भुत", "sgpe"],
  ]);
  const rare = describeTokens(wwho, "क्ष्म्य्व्ट्ठ्ळ", 99);
  assert.ok(rare.length > 1 && rare.every(({ kind, units }) => kind === "spelled" && units[0] === "क्ष्म्य्व्ट्ठ्ळ"));
  const split = describeTokens(o200k, "𓀀", 99);
  assert.ok(split.length > 1 && split.every((token) => token.split && token.text === "𓀀"));
  assert.deepEqual(
    split.flatMap(({ bytes }) => [...bytes]),
    [...new TextEncoder().encode("𓀀")],
  );
  assert.deepEqual(
    describeTokens(wwho, " ගෙදර", 99).flatMap(({ units }) => units),
    [" ගෙ", "ද", "ර"],
  );
  assert.equal(describeTokens(o200k, "a b c d", 2).length, 2);
  assert.deepEqual(describeTokens(wwho, "", 9), []);
  assert.equal(beginning("one two three", 9), "one two");
  assert.equal(beginning("x".repeat(50), 9).length, 50);
});
