// Long texts go through the core in parts: nothing of the result shows it, and its memory stays small.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Core } from "../../web/package/lib/core.js";
import { partsOf } from "../../web/package/lib/parts.js";
import { Tokenizer } from "../../web/package/node.js";
import { ROOT, TEXTS, WASM, bytesOf, randomNumbers } from "./common.mjs";

const NAMES = ["o200k_base", "cl100k_base", "wwho_328k", "wwho_super_328k"];
const core = new WebAssembly.Module(await bytesOf(WASM));
const blobs = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await bytesOf(new URL(`py/wwho/models/${name}.wwho`, ROOT))])),
);

const random = randomNumbers(77);
const ALPHABET = [
  ..."abZ'sdll019.,/-_\n\r\t \u00a0\u0085\u3000\ufeff\u200d\u200c\u0301한字かකං්යෝක්ෂ්‍රඅकि्षं़ॐ।ऽ१👩\u{1f1f1}",
  ...["\ud83d", "\udc69", "  ", " \n", " ක", " ලෙස", " है", "'ll", "ක්‍ෂ", "क्ष", "word ", " word", "<|endoftext|>"],
];
const pick = (from) => from[Math.floor(random() * from.length)];
const randomText = (length) => Array.from({ length }, () => pick(ALPHABET)).join("");
/** Of ordinary text, and of every kind of character after every other; a part has 256 KB. */
const LONG = [randomText(300_000), TEXTS.join(" ").repeat(700), `${"x".repeat(700_000)} ${randomText(5000)}`];
const SOME = new Set(["<|endoftext|>"]);

for (const name of NAMES) {
  test(`${name}: a long text gives what the core gives of it in one call`, () => {
    const whole = new Core(core, blobs[name]);
    const tokenizer = new Tokenizer(core, blobs[name]);
    const mask = Uint8Array.from(tokenizer.specialTokens.keys(), (token) => Number(SOME.has(token)));
    for (const string of LONG) {
      for (const text of [string, new TextEncoder().encode(string)]) {
        const expected = whole.encodeWithOffsets(text, null, 0);
        const { ids } = expected;
        assert.deepEqual(tokenizer.encode(text), ids);
        assert.deepEqual(tokenizer.encodeWithOffsets(text), expected);
        assert.equal(tokenizer.countTokens(text), ids.length);
        const limits = [0, 1, 99, 70_000, ids.length - 1, ids.length, ids.length + 1];
        const within = limits.map((limit) => tokenizer.isWithinTokenLimit(text, limit));
        assert.deepEqual(within, limits.map((limit) => limit >= ids.length && ids.length));
        for (const room of [0, 3, 60_000, ids.length]) {
          const [target, other] = [new Uint32Array(room), new Uint32Array(room)];
          assert.deepEqual(tokenizer.encodeInto(text, target), whole.encodeInto(text, other, null, 0));
          assert.deepEqual(target, other);
        }
        const special = whole.encode(text, mask, 0);
        assert.deepEqual(tokenizer.encode(text, { allowedSpecial: SOME }), special);
        assert.deepEqual(Buffer.from(tokenizer.decodeBytes(special)), Buffer.from(text));
        assert.equal(tokenizer.decode(special), Buffer.from(text).toString());
      }
    }
  });

  test(`${name}: parts of strings as small as can be`, () => {
    const tokenizer = new Tokenizer(core, blobs[name]);
    const inner = new Core(core, blobs[name]);
    const mask = new Uint8Array(tokenizer.specialTokens.size).fill(1);
    const allowedSpecial = new Set([...tokenizer.specialTokens.keys(), "<|endoftext|>"]);
    for (let i = 0; i < 60; i++) {
      const text = randomText(200);
      const parts = [...partsOf(text, inner, mask, 8)];
      assert.equal(parts.join(""), text);
      assert.ok(parts.length > 3);
      const ids = parts.flatMap((part) => tokenizer.encode(part, { allowedSpecial, array: true }));
      assert.deepEqual(ids, tokenizer.encode(text, { allowedSpecial, array: true }), JSON.stringify(text));
    }
  });
}

test("an id that is none is found anywhere in a long list, before anything is decoded", () => {
  const tokenizer = new Tokenizer(core, blobs.o200k_base);
  const ids = new Uint32Array(200_000);
  ids[150_000] = 2 ** 31;
  for (const method of ["decode", "decodeBytes"]) {
    const message = /^token id 2147483648 \(at index 150000\) is none of o200k_base's/;
    assert.throws(() => tokenizer[method](ids), { status: "TOKEN", message });
  }
});

test("a character that two parts share is decoded whole", () => {
  const tokenizer = new Tokenizer(core, blobs.o200k_base);
  const one = tokenizer.encode("𓀀");
  assert.ok(one.length === 3 || one.length === 4);
  const ids = Uint32Array.from({ length: one.length * 50_000 }, (_, i) => one[i % one.length]);
  assert.equal(tokenizer.decode(ids), "𓀀".repeat(50_000));
});

test("WebAssembly memory does not grow with the text", () => {
  const memories = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = function (...given) {
    const instance = new Instance(...given);
    memories.push(instance.exports.memory);
    return instance;
  };
  try {
    for (const name of ["o200k_base", "wwho_328k"]) {
      const tokenizer = new Tokenizer(core, blobs[name]);
      const before = memories.at(-1).buffer.byteLength;
      const text = "The kettle sings; nobody's home. ගෙදර යන පාරේ මල් 字字字 😀\n".repeat(100_000);
      const bytes = new TextEncoder().encode(text);
      const ids = tokenizer.encode(text);
      for (const call of [
        () => tokenizer.encode(bytes),
        () => tokenizer.countTokens(text),
        () => tokenizer.encodeWithOffsets(text),
        () => tokenizer.encodeInto(text, new Uint32Array(ids.length)),
        () => tokenizer.isWithinTokenLimit(text, ids.length),
        () => tokenizer.truncate(text, 1000),
        () => tokenizer.decode(ids),
        () => tokenizer.decodeBytes(ids),
      ]) {
        call();
        const grown = memories.at(-1).buffer.byteLength - before;
        assert.ok(grown < 8e6 && bytes.length > 9e6, `${grown} bytes for ${bytes.length} after ${call}`);
      }
    }
  } finally {
    WebAssembly.Instance = Instance;
  }
});

test("a limit needs no look at a text that is far beyond it", () => {
  const tokenizer = new Tokenizer(core, blobs.wwho_328k);
  // A rope of the whole text would be copied to be read; no part of it is.
  const text = Array.from({ length: 20 }, () => "word ".repeat(5_000_000)).join("");
  for (const limit of [0, 100, 10_000]) assert.equal(tokenizer.isWithinTokenLimit(text, limit), false);
  // One unknown syllable of any length is one token, where that is asked for.
  const syllable = `ක${"්‍ක".repeat(3000)}`;
  assert.ok(syllable.length > 3 * tokenizer.info.maxTokenBytes);
  assert.equal(tokenizer.isWithinTokenLimit(syllable, 3, { unk: "token" }), 1);
});
