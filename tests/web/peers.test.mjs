// Against js-tiktoken, which carries the same ranks. (It is not exact everywhere: its \s holds U+FEFF, and its (?i:'s) does
// not fold U+017F; so texts with these are left out.)

import assert from "node:assert/strict";
import { test } from "node:test";

import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import o200k from "js-tiktoken/ranks/o200k_base";

import { getEncoding } from "../../web/node.js";
import { TEXTS, randomNumbers } from "./common.mjs";

const ALPHABET = [..."abZ 's019.,/\n\r\t\u00a0é한字කා්यकि👩", " ", " "];
const texts = TEXTS.filter((text) => !/[\ufeff\u017f\u0085]/.test(text));
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
