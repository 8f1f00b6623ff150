// What a tokenizer does, on the shipped encodings.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Tokenizer, getEncoding } from "../../web/package/node.js";
import { getTokenizers } from "./encodings.mjs";
import { O200K, ROOT, TEXTS, WASM, bytesOf } from "./common.mjs";

const { o200k, wwho } = await getTokenizers();
const superwords = await getEncoding("wwho_super_328k");

/** A text, put together again from its segments. */
const segmented = (tokenizer, text) => tokenizer.segment(text).map((segment) => segment.text).join("");

for (const tokenizer of [o200k, wwho]) {
  test(`${tokenizer.name}: decoding gives every text back, and the methods agree`, () => {
    for (const text of TEXTS) {
      const ids = tokenizer.encode(text);
      assert.equal(tokenizer.decode(ids), text);
      assert.equal(tokenizer.decode([...ids]), text);
      assert.equal(tokenizer.countTokens(text), ids.length);
      assert.deepEqual(tokenizer.encodeWithOffsets(text).ids, ids);
      assert.deepEqual(tokenizer.encode(new TextEncoder().encode(text)), ids);
      assert.equal(segmented(tokenizer, text), text);
    }
  });

  test(`${tokenizer.name}: offsets are the UTF-16 units that a token touches`, () => {
    for (const text of TEXTS) {
      const { ids, starts, ends } = tokenizer.encodeWithOffsets(text);
      let last = 0;
      ids.forEach((id, i) => {
        const bytes = Buffer.from(tokenizer.tokenBytes(id));
        const touched = Buffer.from(text.slice(starts[i], ends[i]));
        assert.ok(touched.includes(bytes), `${id} in ${text}`);
        assert.ok(starts[i] <= last && ends[i] >= last, "no gap");
        last = ends[i];
      });
      assert.equal(last, text.length);
    }
  });

  test(`${tokenizer.name}: broken UTF-8 keeps its bytes`, () => {
    const broken = [
      [0xff],
      [0xe0, 0xb6],
      [0x20, 0x80, 0x61, 0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80, 0xe0],
    ];
    for (const bytes of broken.map((list) => Uint8Array.from(list))) {
      assert.deepEqual(tokenizer.decodeBytes(tokenizer.encode(bytes)), bytes);
      assert.equal(tokenizer.encodeWithOffsets(bytes).ends.at(-1) > 0, true);
    }
  });

  test(`${tokenizer.name}: a lone surrogate is U+FFFD in every method`, () => {
    for (const [text, clean] of [
      ["\ud800", "\ufffd"],
      ["a\udc00b", "a\ufffdb"],
      ["\ud83d\ude00\ud83d", "\u{1f600}\ufffd"],
    ]) {
      const ids = tokenizer.encode(clean);
      assert.deepEqual(tokenizer.encode(text), ids);
      assert.deepEqual(tokenizer.encodeWithOffsets(text), tokenizer.encodeWithOffsets(clean));
      assert.deepEqual(tokenizer.segment(text), tokenizer.segment(clean));
      assert.equal(tokenizer.countTokens(text), ids.length);
      assert.equal(tokenizer.isWithinTokenLimit(text, 99), ids.length);
      assert.equal(tokenizer.decode(ids), clean);
    }
  });

  test(`${tokenizer.name}: special tokens are ordinary text unless allowed`, () => {
    const text = "a<|endoftext|>b<|endofprompt|>";
    assert.equal(tokenizer.decode(tokenizer.encode(text)), text);
    assert.ok(!tokenizer.encode(text).includes(199999));
    const one = tokenizer.encode(text, { allowedSpecial: new Set(["<|endoftext|>"]) });
    assert.ok(one.includes(199999) && !one.includes(200018));
    const once = ["<|endoftext|>"].values();
    assert.deepEqual(tokenizer.encode(text, { allowedSpecial: once, disallowedSpecial: [] }), one);
    const all = [...tokenizer.encode(text, { allowedSpecial: "all" })];
    assert.deepEqual(all, [...tokenizer.encode("a"), 199999, ...tokenizer.encode("b"), 200018]);
    assert.equal(tokenizer.countTokens(text, { allowedSpecial: "all" }), 4);
    const refused = (options) =>
      assert.throws(() => tokenizer.encode(text, options), {
        name: "WwhoError",
        status: "SPECIAL_TOKEN",
        message: /<\|endo.*disallowedSpecial rejects; leave it out there.*allowedSpecial: new Set/,
      });
    refused({ disallowedSpecial: "all" });
    refused({ disallowedSpecial: new Set(["<|endofprompt|>"]) });
    refused({ disallowedSpecial: "all", allowedSpecial: new Set(["<|endoftext|>"]) });
    refused({ disallowedSpecial: ["<|endoftext|>"], allowedSpecial: "all" });
    assert.equal(tokenizer.encode(text, { disallowedSpecial: "all", allowedSpecial: "all" }).length, 4);
    assert.throws(() => tokenizer.encode(text, { allowedSpecial: "<|endoftext|>" }), {
      status: "ARGUMENT",
      message: /Set/,
    });
  });
}

test("ids are tiktoken's", () => {
  assert.deepEqual([...o200k.encode("hello world")], [24912, 2375]);
  assert.deepEqual([...wwho.encode("hello world")], [24912, 2375]);
});

test("the paper's example", () => {
  const text = "ඔයා 1 special अद्भुत";
  assert.deepEqual(
    [...wwho.encode(text)].map((id) => wwho.decode([id])),
    ["ඔයා", " ", "1", " special", " अद्भुत"],
  );
  assert.deepEqual(
    wwho.segment(text).map(({ route, text: part, units }) => [route, part, units]),
    [
      ["sinhala", "ඔයා", ["ඔ", "යා"]],
      ["other", " 1 special", []],
      ["devanagari", " अद्भुत", [" अ", "द्भु", "त"]],
    ],
  );
});

test("a limit: the count, or false", () => {
  const text = "one two three four five";
  const count = o200k.countTokens(text);
  assert.equal(o200k.isWithinTokenLimit(text, count), count);
  assert.equal(o200k.isWithinTokenLimit(text, count - 1), false);
  assert.equal(o200k.isWithinTokenLimit(text, Infinity), count);
  assert.equal(o200k.isWithinTokenLimit("", 0), 0);
  assert.equal(o200k.isWithinTokenLimit(text.repeat(1000), 0), false);
  for (const limit of [-1, NaN]) {
    assert.throws(() => o200k.isWithinTokenLimit(text, limit), { status: "ARGUMENT" });
  }
});

test("ids that are none", () => {
  for (const id of [-1, 1.5, 2 ** 32, NaN, "7"]) {
    assert.throws(() => o200k.decode([24912, id]), { name: "WwhoError", status: "TOKEN" });
  }
  assert.throws(() => o200k.decode([24912, 4_000_000]), { status: "TOKEN", message: /4000000 \(at index 1\).*200019/ });
  assert.throws(() => o200k.tokenBytes(200000), { status: "TOKEN" });
  assert.deepEqual(o200k.decodeBytes([]), new Uint8Array());
  assert.equal(new TextDecoder().decode(o200k.tokenBytes(24912)), "hello");
});

test("the bytes of a token of SCRIPT are its text, unless it cuts a character: then its symbols", async () => {
  const script = await Tokenizer.load(new URL("tests/vectors/script.wwho", ROOT));
  const whole = new Map([[0, "a"], [1, "b"], [2, "ab"], [4, " "], [5, " a"]]);
  for (let i = 0; i < 7; i++) {
    const bytes = script.tokenBytes(273 + i);
    if (whole.has(i)) assert.equal(new TextDecoder().decode(bytes), whole.get(i));
    else assert.ok(bytes.length % 2 === 0 && bytes[0] >= 0xf5);
  }
  assert.deepEqual([...script.tokenBytes(5)], [0xf5, 0x06]);
  script.free();
});

test("texts that are none", () => {
  for (const text of [null, undefined, 7, ["a"], new ArrayBuffer(3)]) {
    for (const method of ["encode", "encodeWithOffsets", "countTokens", "segment"]) {
      assert.throws(() => o200k[method](text), { name: "WwhoError", status: "ARGUMENT" });
    }
  }
  assert.throws(() => o200k.encode("a", { unk: "other" }), { status: "ARGUMENT" });
  assert.throws(() => o200k.encode("a", { unk: "token" }), {
    status: "ARGUMENT",
    message: /o200k_base has no such token/,
  });
});

test("arguments of another type are named, with what is expected", () => {
  const named = (call, pattern) =>
    assert.throws(call, { name: "WwhoError", status: "ARGUMENT", message: pattern }, String(call));
  for (const [ids, shown] of [
    [5, "5"],
    [null, "null"],
    [undefined, "undefined"],
    ["", '""'],
    ["12", '"12"'],
    [{ length: 0 }, "of type object"],
    [Symbol("id"), "of type symbol"],
  ]) {
    const pattern = new RegExp(`^ids is ${shown}; expected .*Uint32Array.*\\[id\\]$`);
    named(() => o200k.decode(ids), pattern);
    named(() => o200k.decodeBytes(ids), pattern);
  }
  const lists = [["<|endoftext|>"], new Set(["<|endoftext|>"]), [], new Uint8Array(3)];
  for (const options of [null, 5, "all", ...lists]) {
    const shown = lists.includes(options) ? "a list" : JSON.stringify(options);
    const pattern = new RegExp(`^options is ${shown}; expected an object.*allowedSpecial.*leave it out`);
    for (const method of ["encode", "encodeWithOffsets", "countTokens"]) {
      named(() => o200k[method]("<|endoftext|>", options), pattern);
    }
    named(() => [...o200k.encodeGenerator("<|endoftext|>", options)], pattern);
    named(() => o200k.isWithinTokenLimit("a", 3, options), /^options is/);
  }
  for (const limit of ["3", null, undefined, true, 3n, [3], -1, NaN]) {
    named(() => o200k.isWithinTokenLimit("a", limit), /^limit is .*; expected a number of tokens.*countTokens$/);
  }
  for (const value of [null, 3n, Symbol("unk"), {}]) {
    named(() => o200k.encode("a", { unk: value }), /^unk is/);
    named(() => o200k.encode("a", { allowedSpecial: value }), /^allowedSpecial is/);
  }
  named(() => o200k.isWithinTokenLimit("a", 3n), /^limit is 3n; /);
  named(() => o200k.encode("a", { alowedSpecial: "all" }), /^there is no option "alowedSpecial"; expected allowedSpecial,/);
  named(() => o200k.countTokens("a", { array: true }), /^there is no option "array"; expected allowedSpecial, .*, addSpecialTokens$/);
  named(() => o200k.encode("a", { array: 1 }), /^array is 1; expected true or false$/);
  for (const option of ["allowedSpecial", "disallowedSpecial"]) {
    const known = /is "<\|im_end\|>"; expected one of <\|endoftext\|>, <\|endofprompt\|>$/;
    named(() => o200k.encode("a", { [option]: ["<|endoftext|>", "<|im_end|>"] }), known);
  }
  assert.throws(() => o200k.tokenBytes(Symbol("id")), { status: "TOKEN" });
  assert.deepEqual(o200k.encode("a", undefined), o200k.encode("a"));
});

test("names of special tokens are strings, and an empty one names nothing", () => {
  const text = "one two null undefined 5 <|endoftext|> ".repeat(20_000);
  const calls = {
    encode: (options) => o200k.encode(text, options),
    encodeGenerator: (options) => [...o200k.encodeGenerator(text, options)],
    truncate: (options) => o200k.truncate(text, 5, options),
  };
  for (const [method, call] of Object.entries(calls)) {
    for (const option of ["allowedSpecial", "disallowedSpecial"]) {
      for (const name of [undefined, null, 5, 5n]) {
        assert.throws(() => call({ [option]: ["[UNK]", name] }), {
          status: "ARGUMENT",
          message: new RegExp(`^a name in ${option} is ${name}`),
        });
      }
      assert.deepEqual(call({ [option]: [""] }), call(), `${method}, ${option}`);
    }
  }
  const given = { allowedSpecial: ["", "<|endoftext|>"] };
  assert.ok(calls.encodeGenerator(given).length > 1, "in parts");
  assert.equal(calls.encode(given).length, o200k.countTokens(text, { allowedSpecial: "all" }));
});

test("arrays whose memory was handed over are refused: they only look empty", () => {
  const gone = (array) => {
    structuredClone(array, { transfer: [array.buffer] });
    return array;
  };
  const [bytes, ids] = [gone(Uint8Array.of(97)), gone(Uint32Array.of(97))];
  for (const call of [
    ...["encode", "encodeWithOffsets", "countTokens", "segment"].map((method) => () => o200k[method](bytes)),
    () => [...o200k.encodeGenerator(bytes)],
    () => o200k.decode(ids),
    () => o200k.decode(bytes),
    () => [...o200k.decodeGenerator(ids)],
    () => o200k.encodeInto("a", ids),
    () => Tokenizer.loadSync(bytes),
    () => Tokenizer.loadSync(bytes.buffer),
  ]) {
    assert.throws(call, { status: "ARGUMENT", message: /^an array cannot be used: .*pass a copy$/ }, String(call));
  }
  assert.deepEqual(o200k.encode(new Uint8Array()), new Uint32Array());
  assert.equal(o200k.decode(new Uint32Array()), "");
});

test("a tokenizer is made of a module and bytes", async () => {
  assert.throws(() => new Tokenizer(), { status: "ARGUMENT", message: /^the core is undefined.*Tokenizer\.load/ });
  const core = await WebAssembly.compile(await bytesOf(WASM));
  assert.throws(() => new Tokenizer(core), { status: "ARGUMENT", message: /^the tokenizer is undefined/ });
  assert.throws(() => new Tokenizer(core, new Uint8Array(3)), { status: "MAGIC" });
  const gone = new Uint8Array(3);
  structuredClone(gone, { transfer: [gone.buffer] });
  assert.throws(() => new Tokenizer(core, gone), { status: "ARGUMENT", message: /transferred/ });
});

test("unk: 'token' writes one [UNK], 'spell' the bytes", () => {
  const text = "क्ष्म्य्व्ट्ठ्ळ";
  assert.equal(wwho.decode(wwho.encode(text)), text);
  assert.ok(
    wwho.encode(text).every((id) => id < wwho.info.models[0].nIds),
    "spelled by the base",
  );
  assert.deepEqual([...wwho.encode(text, { unk: "token" })], [wwho.info.unkId]);
});

test("1 MB of one thing: exact, and in linear time, or this would take hours", () => {
  for (const unit of ["a", " ", "ක", "क्", "😀", "\n", "9", "ක්‍ෂ "]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    for (const tokenizer of [o200k, wwho]) {
      const ids = tokenizer.encode(text);
      assert.equal(tokenizer.countTokens(text), ids.length);
      assert.equal(tokenizer.decode(ids), text);
    }
  }
});

test("more than 32-bit memory can work on is refused before it is copied, and the next call works", () => {
  for (const [method, length] of [
    ["encode", 2 ** 28],
    ["countTokens", 2 ** 31],
    ["encodeWithOffsets", 2 ** 32],
    ["segment", 2 ** 32],
  ]) {
    const text = new Uint8Array(length); // pages that nobody touches take no memory, and NUL has no place to cut it
    assert.throws(() => o200k[method](text), {
      name: "WwhoError",
      status: "MEMORY",
      message: new RegExp(`${length} bytes.*268435455.*countStream`),
    });
  }
  assert.throws(() => o200k.encode("a".repeat(2 ** 28)), { status: "MEMORY" });
  const [spaces, length] = [o200k.encode(" ".repeat(64)), 64];
  assert.equal(spaces.length, 1);
  assert.throws(() => o200k.decode(new Uint32Array(2 ** 32 / length).fill(spaces[0])), {
    status: "MEMORY",
    message: /67108864 ids has 4 GiB or more; decode fewer/,
  });
  assert.throws(() => o200k.decode(new Uint32Array(2 ** 29 / length).fill(spaces[0])), {
    status: "MEMORY",
    message: /8388608 ids is too long for a string; decode fewer/,
  });
  assert.ok(process.memoryUsage().rss < 3e9);
  assert.equal(o200k.countTokens("hello world"), 2);
});

test("NUL and U+FEFF are characters like any other, wherever they stand", () => {
  for (const text of ["\0", "\0\0a", "a\0b", "\ufeff", "\ufeffa", "a\ufeff", "\ufeff\0\ufeff"]) {
    for (const tokenizer of [o200k, wwho]) {
      const ids = tokenizer.encode(text);
      assert.equal(tokenizer.decode(ids), text);
      assert.equal([...tokenizer.decodeGenerator(ids)].join(""), text);
      assert.equal(tokenizer.truncate(text, 99), text);
      assert.equal(segmented(tokenizer, text), text);
    }
  }
});

test("calls of all sizes in turn leave no trace in each other", () => {
  const texts = TEXTS.flatMap((text) => [text, text.repeat(3000), text.slice(0, 5)]);
  const alone = texts.map((text) => wwho.encode(text));
  for (const i of [...texts.keys()].reverse()) {
    assert.deepEqual(wwho.encode(texts[i]), alone[i]);
    assert.equal(wwho.countTokens(texts[i]), alone[i].length);
    assert.deepEqual(wwho.encodeWithOffsets(texts[i]).ids, alone[i]);
  }
});

test("methods work without their tokenizer", async () => {
  const { encode, countTokens, decode, chunk, free, encodeGenerator } = await getEncoding("cl100k_base");
  assert.equal(decode(encode("hello world")), "hello world");
  assert.equal(["a", "hello world"].map((text) => countTokens(text)).join(), "1,2");
  assert.equal(chunk("a b", 1).length + [...encodeGenerator("a b")].length, 3);
  free();
  assert.throws(() => countTokens("a"), { status: "FREED" });
  const freed = await Tokenizer.load(await bytesOf(O200K));
  freed.free();
  assert.deepEqual(freed.specialTokens, o200k.specialTokens);
  class Upper extends Tokenizer {
    encode(text, options) {
      return super.encode(text.toUpperCase(), options);
    }
  }
  const core = await WebAssembly.compile(await bytesOf(WASM));
  const { encode: own } = new Upper(core, await bytesOf(O200K));
  assert.deepEqual(own("a"), o200k.encode("A"));
  assert.deepEqual(Object.keys(o200k).sort(), ["info", "name", "provenance", "specialTokens"]);
});

test("ids come as plain arrays to those who ask", () => {
  for (const text of ["", "hello world", "hello world ".repeat(50_000)]) {
    const ids = o200k.encode(text, { array: true });
    assert.ok(Array.isArray(ids));
    assert.deepEqual(ids, [...o200k.encode(text)]);
    assert.deepEqual([...o200k.encodeGenerator(text, { array: true })].flat(), ids);
    assert.ok(o200k.encode(text, { array: false }) instanceof Uint32Array);
  }
  assert.equal(JSON.stringify(o200k.encode("hello world", { array: true })), "[24912,2375]");
});

test("results are copies", () => {
  const ids = o200k.encode("hello world");
  const bytes = o200k.decodeBytes(ids);
  o200k.encode("something else ".repeat(100_000));
  assert.deepEqual([...ids], [24912, 2375]);
  assert.equal(new TextDecoder().decode(bytes), "hello world");
  assert.equal(ids.buffer.byteLength, 8);
});

test("info, name, provenance and special tokens", () => {
  assert.equal(o200k.name, "o200k_base");
  assert.deepEqual([o200k.info.nVocab, o200k.info.models[0].nIds, o200k.info.unkId], [200019, 199998, null]);
  assert.deepEqual([o200k, wwho, superwords].map(({ info }) => info.models.at(-1).nSuperwords), [0, 0, 31_780]);
  assert.deepEqual(o200k.info.routes, [{ name: "other", model: 0, hasUnits: false }]);
  assert.deepEqual(
    [...o200k.specialTokens],
    [
      ["<|endoftext|>", 199999],
      ["<|endofprompt|>", 200018],
    ],
  );
  assert.equal(wwho.name, "wwho_328k");
  assert.deepEqual([wwho.info.nVocab, wwho.info.models[1].firstId], [328020, 200024]);
  assert.deepEqual(
    wwho.info.routes.map(({ name }) => name),
    ["other", "sinhala", "devanagari"],
  );
  assert.equal(String(o200k), "Tokenizer(o200k_base, 200019 tokens)");
  assert.throws(() => {
    o200k.info.nVocab = 1;
  }, TypeError);
});

test("text that a stage drops belongs to no token, in a text of several parts, too", async () => {
  const odd = await Tokenizer.load(new URL("tests/vectors/odd.wwho", ROOT));
  const texts = ["", " ", "ab, aab \n b,b ", " \t ab", "ඔab  ක ab  ", "ab, aab \n b,b ක".repeat(30_000), " ".repeat(300_000)];
  for (const text of texts) {
    const inner = text.trim();
    const segment = { start: text.indexOf(inner), end: text.trimEnd().length };
    for (const given of [text, new TextEncoder().encode(text)]) {
      const { ids, starts, ends } = odd.encodeWithOffsets(given);
      // A byte of a character is no text by itself.
      const shown = Array.from(ids, (id, i) => [id, id < 128 || id > 255 ? text.slice(starts[i], ends[i]) : ""]);
      assert.deepEqual(shown, Array.from(ids, (id) => [id, id < 128 || id > 255 ? odd.decode([id]) : ""]));
      const found = odd.segment(given).map(({ start, end }) => ({ start, end }));
      assert.deepEqual(found, inner === "" ? [] : [segment]);
    }
    assert.equal(segmented(odd, text), inner);
  }
});

test("with units, encodeWithOffsets gives in one pass what segment gives, also of a text in several parts", async () => {
  const tokenizer = await getEncoding("wwho_328k");
  const { routes } = tokenizer.info;
  for (const text of ["ඔයා 1 special अद्भुत", "", "𓀀 ක්‍ෂ x ".repeat(2 ** 17)]) {
    const { unitStarts, unitEnds, unitRoutes, ...encoded } = tokenizer.encodeWithOffsets(text, { units: true });
    assert.deepEqual(encoded, tokenizer.encodeWithOffsets(text));
    const units = Array.from(unitStarts ?? [], (start, i) => text.slice(start, unitEnds[i]));
    assert.deepEqual(units.filter((_, i) => routes[unitRoutes[i]].hasUnits), tokenizer.segment(text).flatMap(({ units }) => units));
    assert.equal(units.join(""), text);
  }
  const text = "ක<|endoftext|>ා";
  assert.deepEqual([...tokenizer.encodeWithOffsets(text, { units: true, allowedSpecial: "all" }).unitStarts], [0, text.length - 1]);
  assert.throws(() => tokenizer.encodeWithOffsets("a", { units: true, pair: "b" }), { status: "ARGUMENT" });
});
