// Against js-tiktoken, which carries the same ranks. (It is not exact everywhere: its \s holds U+FEFF and lacks U+0085, so texts with
// these are left out; tiktoken, which is OpenAI's own code, has them.)

import assert from "node:assert/strict";
import { test } from "node:test";

import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import o200k from "js-tiktoken/ranks/o200k_base";
import { encode as gptCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as gptO200k } from "gpt-tokenizer/encoding/o200k_base";
import { encode as gptHarmony } from "gpt-tokenizer/encoding/o200k_harmony";
import { get_encoding } from "tiktoken";

import { getEncoding } from "../../web/package/node.js";
import { TEXTS, randomNumbers } from "./common.mjs";

const ALPHABET = [..."abZ 's019.,/\n\r\t\u00a0é한字කා්यकि👩", " ", " "];
const texts = TEXTS.filter((text) => !/[\ufeff\u0085]/.test(text));
const random = randomNumbers(11);
for (let i = 0; i < 500; i++) {
  texts.push(Array.from({ length: 30 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join(""));
}

for (const [name, ranks] of Object.entries({ o200k_base: o200k, cl100k_base: cl100k })) {
  test(`${name}: the ids of js-tiktoken`, async () => {
    const peer = new Tiktoken(ranks);
    const tokenizer = await getEncoding(name);
    for (const text of texts) {
      assert.deepEqual([...tokenizer.encode(text)], peer.encode(text, [], []), JSON.stringify(text));
    }
  });
}

for (const name of ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base"]) {
  test(`${name}: the ids of tiktoken`, async () => {
    const [tokenizer, exact] = [await getEncoding(name), get_encoding(name)];
    for (const text of [...TEXTS, ...texts]) {
      const ids = [...exact.encode_ordinary(text)];
      assert.deepEqual(tokenizer.encode(text, { array: true }), ids, JSON.stringify(text));
    }
    exact.free();
  });
}

test("o200k_harmony: the ids of gpt-tokenizer", async () => {
  const tokenizer = await getEncoding("o200k_harmony");
  const options = { disallowedSpecial: new Set() };
  for (const text of texts) {
    assert.deepEqual(tokenizer.encode(text, { array: true }), gptHarmony(text, options), JSON.stringify(text));
  }
  const chat = "<|start|>assistant<|channel|>final<|message|>ok<|return|>";
  const ids = tokenizer.encode(chat, { allowedSpecial: "all", array: true });
  assert.deepEqual(ids, [200006, 173781, 200005, 17196, 200008, 525, 200002]);
});

test("where others differ from tiktoken is where MIGRATING.md says: at U+0085 and U+FEFF, and not at U+017F", async () => {
  for (const [name, ranks, gpt] of [
    ["o200k_base", o200k, gptO200k],
    ["cl100k_base", cl100k, gptCl100k],
  ]) {
    const [tokenizer, exact, peer] = [await getEncoding(name), get_encoding(name), new Tiktoken(ranks)];
    const others = { "gpt-tokenizer": gpt, "js-tiktoken": (text) => peer.encode(text, [], []) };
    for (const [special, differ] of Object.entries({ "\u0085": true, "\ufeff": true, "\u017f": false })) {
      const found = new Set();
      for (let i = 0; i < (process.env.WWHO_EXHAUSTIVE ? 2000 : 300); i++) {
        const text = Array.from({ length: 5 }, () => [special, special, " ", "a", "'", "."][Math.floor(random() * 6)]).join("");
        const ids = [...tokenizer.encode(text)].join();
        assert.equal(ids, exact.encode_ordinary(text).join(), JSON.stringify(text));
        for (const [other, encode] of Object.entries(others)) if (encode(text).join() !== ids) found.add(other);
      }
      assert.deepEqual([...found].sort(), differ ? Object.keys(others) : [], JSON.stringify(special));
    }
    exact.free();
  }
});
