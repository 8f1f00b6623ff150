// Texts and limits: encodeInto, truncate and chunk.

import assert from "node:assert/strict";
import { test } from "node:test";

import { TEXTS, randomNumbers } from "./common.mjs";
import { getEncoding } from "../../web/package/node.js";

const names = ["o200k_base", "cl100k_base", "wwho_328k", "wwho_super_328k"];
const tokenizers = await Promise.all(names.map((name) => getEncoding(name)));
const [o200k, , wwho] = tokenizers;

const random = randomNumbers(21);
const ALPHABET = [
  ..."abZ'sl019., \n\t\u3000\u200d한字කා්‍රअकि्॒ॐ।👩🇱🇰e\u0301\r",
  ...["  ", " ලෙස", " है", "'ll", "ක්‍ෂ", "क्ष", "क्ष्म्य्व्ट्ठ्ळ", " ක්‍ෂ්‍ම්‍ය", "👩‍👩‍👧", "\r\n", "1234567"],
];
const randomText = (length) => Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join("");
const texts = [...TEXTS, ...Array.from({ length: 60 }, () => randomText(1 + Math.floor(random() * 60)))].map((text) =>
  text.toWellFormed(),
);

const clusters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Where a text may be cut: at no place within a character, a grapheme cluster or a syllable. */
function allowedPlaces(tokenizer, text) {
  const edges = new Set([...clusters.segment(text)].map(({ index }) => index).concat(text.length));
  for (const { start, units } of tokenizer.segment(text)) {
    let at = start;
    for (const unit of units) {
      for (let k = 1; k < unit.length; k++) edges.delete(at + k);
      at += unit.length;
    }
  }
  return edges;
}

/** Start and end of each chunk: of all places, the earliest start that leaves room, and the last end; undefined where none does. */
function triedChunks(tokenizer, text, limit, overlap) {
  const { starts, ends } = tokenizer.encodeWithOffsets(text);
  const allowed = allowedPlaces(tokenizer, text);
  const places = [{ at: 0, tokens: 0 }];
  ends.forEach((at, i) => {
    if (!(starts[i + 1] < at) && allowed.has(at)) places.push({ at, tokens: i + 1 });
  });
  const longest = (from, end) =>
    places.findLast(({ at, tokens }) => {
      if (at <= end.at || tokens > from.tokens + limit) return false;
      return tokenizer.countTokens(text.slice(from.at, at)) <= limit;
    });
  const found = [];
  for (let end = places[0]; end.at < text.length;) {
    const isStart = (place) => place.at <= end.at && place.tokens >= end.tokens - overlap && longest(place, end);
    const start = places.find(isStart);
    if (!start) return undefined;
    end = longest(start, end);
    found.push([start.at, end.at]);
  }
  return found;
}

for (const tokenizer of tokenizers) {
  test(`${tokenizer.name}: truncate gives a beginning within the limit, cut where it may be`, () => {
    for (const text of texts) {
      const places = allowedPlaces(tokenizer, text);
      const count = tokenizer.countTokens(text);
      let last = "";
      for (let limit = 0; limit <= count + 1; limit++) {
        const start = tokenizer.truncate(text, limit);
        const why = JSON.stringify([text, limit, start]);
        assert.ok(text.startsWith(start) && places.has(start.length), why);
        assert.ok(tokenizer.countTokens(start) <= limit, why);
        assert.ok(start.length >= last.length, why);
        if (limit >= count) assert.equal(start, text);
        last = start;
      }
    }
  });

  test(`${tokenizer.name}: truncate leaves out no more than it must`, () => {
    for (const text of texts) {
      const places = allowedPlaces(tokenizer, text);
      const { starts, ends } = tokenizer.encodeWithOffsets(text);
      for (let limit = 0; limit < ends.length; limit++) {
        const found = tokenizer.truncate(text, limit).length;
        for (let k = limit; k > 0 && ends[k - 1] > found; k--) {
          const whole = ends[k - 1] === starts[k] && places.has(ends[k - 1]);
          assert.ok(!whole || tokenizer.countTokens(text.slice(0, ends[k - 1])) > limit, JSON.stringify([text, limit]));
        }
      }
    }
  });

  test(`${tokenizer.name}: chunks are within the limit, and give the text back`, () => {
    for (const text of [...texts, texts.join(" ").repeat(3)]) {
      const places = allowedPlaces(tokenizer, text);
      for (const [limit, overlap] of [
        [40, 0],
        [40, 10],
        [61, 60],
        [1000, 3],
      ]) {
        const chunks = tokenizer.chunk(text, limit, { overlap, prefer: "token" });
        let end = 0;
        let whole = "";
        for (const chunk of chunks) {
          assert.equal(chunk.text, text.slice(chunk.start, chunk.end));
          assert.equal(chunk.tokens, tokenizer.countTokens(chunk.text));
          assert.ok(chunk.tokens <= limit && chunk.start <= end && chunk.end > end);
          assert.ok((chunk.start === 0 || places.has(chunk.start)) && places.has(chunk.end));
          if (overlap === 0) assert.equal(chunk.start, end);
          whole += text.slice(end, chunk.end);
          end = chunk.end;
        }
        assert.equal(whole, text);
        assert.equal(chunks.length === 0, text === "");
      }
    }
  });

  test(`${tokenizer.name}: chunks are those that are found by trying every place`, () => {
    const marked = `ab ${"e\u0301\u0301 🇱🇰🇱\u0301".repeat(4)}`;
    for (const text of [...texts, marked, `🇱\u0301\u200d🇱🇱🇱'\u0301🇱\u0301`]) {
      for (const [limit, overlap] of [
        [7, 4],
        [12, 11],
        [20, 0],
      ]) {
        const tried = triedChunks(tokenizer, text, limit, overlap);
        const why = JSON.stringify([text, limit, overlap]);
        if (!tried) assert.throws(() => tokenizer.chunk(text, limit, { overlap, prefer: "token", oversize: "error" }), { status: "LIMIT" }, why);
        else assert.deepEqual(tokenizer.chunk(text, limit, { overlap, prefer: "token" }).map(({ start, end }) => [start, end]), tried, why);
      }
    }
  });

  test(`${tokenizer.name}: encodeInto writes what fits, and says what it read`, () => {
    for (const text of texts) {
      const ids = tokenizer.encode(text);
      for (const given of [text, new TextEncoder().encode(text)]) {
        for (let room = 0; room <= ids.length + 1; room++) {
          const target = new Uint32Array(room).fill(7);
          const { read, written } = tokenizer.encodeInto(given, target);
          assert.deepEqual(target.subarray(0, written), ids.subarray(0, written));
          assert.ok(target.subarray(written).every((id) => id === 7));
          assert.equal(tokenizer.decode(target.subarray(0, written)), Buffer.from(given.slice(0, read)).toString());
          if (room >= ids.length) assert.deepEqual([read, written], [given.length, ids.length]);
        }
      }
    }
  });
}

test("encodeInto of broken UTF-8: each byte that is no character's is one", () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, i) => [0x80, 0x61, 0xff, 0xe0, 0xb6][i % 5]);
  const found = [];
  for (let at = 0; at < bytes.length;) {
    const target = new Uint32Array(3);
    const { read, written } = o200k.encodeInto(bytes.subarray(at), target);
    assert.ok(read > 0 && written > 0);
    found.push(...o200k.decodeBytes(target.subarray(0, written)));
    at += read;
  }
  assert.deepEqual(found, [...bytes]);
});

const KINDS = ["paragraph", "sentence", "line", "word", "token"];

/** What ends at a place of a text of this alphabet, as a number of KINDS. */
function kindAt(text, at) {
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const inside = !/^\n/.test(after);
  if (after === "" || (inside && /\n[ \t]*\n$/.test(before))) return 0;
  const spaced = /^\s/.test(after) || /\s$/.test(before);
  if (/[。！]」?$/.test(before) || (inside && spaced && /[.!?।。]["”)]*\s*$/.test(before))) return 1;
  if (inside && /\n$/.test(before)) return 2;
  return spaced ? 3 : 4;
}

/** The ends of chunks, of all places tried in the order of preference. */
function preferredEnds(tokenizer, text, limit, prefer) {
  const { starts, ends } = tokenizer.encodeWithOffsets(text);
  const allowed = allowedPlaces(tokenizer, text);
  const places = Array.from(ends, (at, i) => ({ at, tokens: i + 1, kind: kindAt(text, at) })).filter(
    ({ at }, i) => !(starts[i + 1] < at) && allowed.has(at),
  );
  const found = [];
  for (let from = { at: 0, tokens: 0 }; from.at < text.length; found.push(from.at)) {
    const fits = ({ at, tokens }) =>
      at > from.at && tokens <= from.tokens + limit && tokenizer.countTokens(text.slice(from.at, at)) <= limit;
    const filled = places.filter((place) => fits(place) && place.tokens >= from.tokens + limit / 2);
    const whole = places.filter((place) => fits(place) && place.at === text.length);
    const kinds = [0, 1, 2, 3].filter((kind) => kind >= KINDS.indexOf(prefer));
    const tried = kinds.map((kind) => filled.findLast((place) => place.kind <= kind));
    from = whole[0] ?? tried.find((place) => place) ?? places.findLast(fits);
  }
  return found;
}

test("chunks end with what is preferred, or with the next best", () => {
  const words = ["one", " two", " ගෙදර", " यहाँ", "字", ".", "! ", "?\" ", "।", "。", "\n", "\n\n", "\n \n\n", " ", "  x", ".)\n", "it’s"];
  for (const tokenizer of tokenizers) {
    for (let i = 0; i < 40; i++) {
      const text = Array.from({ length: 60 }, () => words[Math.floor(random() * words.length)]).join("");
      for (const prefer of KINDS) {
        const ends = tokenizer.chunk(text, 16, { prefer }).map(({ end }) => end);
        assert.deepEqual(ends, preferredEnds(tokenizer, text, 16, prefer), JSON.stringify([prefer, text]));
      }
    }
  }
});

test("paragraphs, sentences, lines and words", () => {
  const text =
    "The kettle sings. Nobody is home,\nand it boils over.\n\nගෙදර යන පාරේ මල් පිපිලා. Who saw it? Not I\nnor anyone else at all";
  const chunks = (limit, prefer) => o200k.chunk(text, limit, prefer && { prefer }).map((chunk) => chunk.text);
  const [first] = chunks(20);
  assert.equal(first, "The kettle sings. Nobody is home,\nand it boils over.\n\n");
  assert.deepEqual(chunks(20, "paragraph"), chunks(20));
  assert.equal(chunks(12, "sentence")[0], "The kettle sings. Nobody is home,\n");
  assert.equal(chunks(7, "sentence")[0], "The kettle sings.");
  assert.equal(chunks(11, "line")[0], "The kettle sings. Nobody is home,\n");
  assert.equal(chunks(7, "word")[0], "The kettle sings. Nobody is");
  for (const prefer of KINDS) assert.equal(chunks(9, prefer).join(""), text);
  const code = "for (const a of b) {\n    call(a);\n}\n\nfunction f() {\n    return 1;\n}\n";
  assert.deepEqual(
    o200k.chunk(code, 18).map((chunk) => chunk.text),
    ["for (const a of b) {\n    call(a);\n}\n\n", "function f() {\n    return 1;\n}\n"],
  );
});

test("an overlap begins after an end of what is preferred", () => {
  const text = "One two three. Four five six. Seven eight nine. Ten eleven twelve. ".repeat(20);
  for (const { text: part, start } of o200k.chunk(text, 30, { overlap: 10, prefer: "sentence" })) {
    assert.ok(start === 0 || / ?[A-Z]/.test(part.slice(0, 2)), part);
  }
  const shared = o200k.chunk(text, 30, { overlap: 10 });
  for (let i = 1; i < shared.length; i++) {
    const count = o200k.countTokens(text.slice(shared[i].start, shared[i - 1].end));
    assert.ok(count > 0 && count <= 10, `${count}`);
  }
});

test("what is preferred is looked for in linear time", () => {
  for (const unit of [".", "\n", " \n", "a\n\n", ". ", "。", ")", "\u3000"]) {
    const text = unit.repeat(200_000 / unit.length);
    const chunks = o200k.chunk(text, 100, { overlap: 10 });
    assert.equal(chunks.at(-1).end, text.length);
  }
});

test("overlaps are as long as they may be", () => {
  const words = "one two three four five six seven eight nine ten eleven twelve";
  const shared = (limit, overlap) => o200k.chunk(words, limit, { overlap, prefer: "token" }).map(({ text }) => text);
  assert.deepEqual(shared(4, 2), [
    "one two three four",
    " three four five six",
    " five six seven eight",
    " seven eight nine ten",
    " nine ten eleven twelve",
  ]);
  assert.deepEqual(shared(5, 0), ["one two three four five", " six seven eight nine ten", " eleven twelve"]);
});

test("a syllable that base tokens spell is not cut", () => {
  const text = "क क्ष्म्य्व्ट्ठ्ळ क";
  const count = wwho.countTokens(text);
  const starts = new Set(Array.from({ length: count + 1 }, (_, limit) => wwho.truncate(text, limit)));
  assert.deepEqual([...starts], ["", "क", "क क्ष्म्य्व्ट्ठ्ळ", text]);
  assert.throws(() => wwho.chunk(text, 3, { oversize: "error" }), {
    name: "WwhoError",
    status: "LIMIT",
    message: /unit 1 \(" क्ष्म्य्व्ट्ठ्ळ.*more tokens than the limit, 3.*higher limit, or oversize "split"/,
  });
});

// No time is measured: what takes quadratic time takes minutes or hours for these.

test("a long text is truncated, and cut in chunks, in linear time", () => {
  const text = texts.join(" ").repeat(400);
  for (let i = 0; i < 20; i++) assert.ok(wwho.truncate(text, 100 + i).length > 50);
  const chunks = wwho.chunk(text, 500, { overlap: 50 });
  assert.equal(chunks.at(-1).end, text.length);
  const hostile = "e" + "\u0301".repeat(20_000);
  assert.equal(o200k.truncate(hostile, 100), "");
  assert.equal(o200k.truncate(`a ${hostile}`, 100), "a");
});

test("runs of flags, and of marks, are cut between clusters, in linear time", () => {
  for (const run of ["🇱🇰".repeat(1001), "🇱🇰\u0301".repeat(700), `👩${"\u0301".repeat(700)}\u200d👩 `.repeat(3)]) {
    const text = `x${run}`;
    const places = new Set([...clusters.segment(text)].map(({ index }) => index).concat(text.length));
    for (const limit of [7, 100, 1500]) {
      const start = o200k.truncate(text, limit);
      assert.ok(start !== "" && places.has(start.length), JSON.stringify([run.slice(0, 8), limit, start.length]));
    }
    for (const { end } of o200k.chunk(text, 2000, { overlap: 9 })) assert.ok(places.has(end), `${end}`);
  }
  assert.ok(o200k.chunk("x" + "🇱🇰".repeat(400), 7).every(({ end }) => end % 4 === 1));
  assert.equal(o200k.chunk("🇱🇰".repeat(50_000), 7).length, 50_000);
});

test("overlaps with long runs of marks are found in linear time", () => {
  const run = `a${"\u0301".repeat(8000)}`;
  const chunks = o200k.chunk(("word ".repeat(2048) + run).repeat(6), 8192, { overlap: 4096 });
  assert.equal(chunks.at(-1).end, 6 * (5 * 2048 + run.length));
  const hostile = `${"hello world ".repeat(5000)}a${"\u0301".repeat(20_000)}`;
  assert.throws(() => o200k.chunk(hostile, 10_000, { overlap: 9999, oversize: "error" }), { status: "LIMIT", message: /unit 59999 / });
});

test("one character above the limit loses no other chunk", () => {
  const hostile = `before a${"\u0301".repeat(300)} after`;
  const whole = o200k.chunk(hostile, 100, { oversize: "keep" });
  assert.deepEqual(whole.map(({ text }) => text).join(""), hostile);
  assert.equal(Math.max(...whole.map(({ tokens }) => tokens)), o200k.countTokens(`a${"\u0301".repeat(300)}`));
  const parts = o200k.chunk(hostile, 100);
  assert.equal(parts.map(({ text }) => text).join(""), hostile);
  assert.ok(parts.every(({ text, tokens }) => tokens <= 100 && tokens === o200k.countTokens(text)));
  const most = o200k.countTokens("👩‍👩‍👧") - 1;
  const family = o200k.chunk("👩‍👩‍👧", most);
  assert.ok(family.length > 1 && family.every(({ tokens }) => tokens <= most));
  assert.throws(() => o200k.chunk("a", 10, { oversize: "cut" }), { status: "ARGUMENT", message: /split, keep, error/ });
  assert.equal(o200k.chunk(`a${"\u0301".repeat(200_000)}`, 50).at(-1)?.end, 200_001);
});

test("special tokens count as such where they are allowed", () => {
  const text = "one<|endoftext|> two three";
  const allowedSpecial = new Set(["<|endoftext|>"]);
  assert.equal(o200k.truncate(text, 3, { allowedSpecial }), "one<|endoftext|> two");
  assert.deepEqual(
    o200k.chunk(text, 2, { allowedSpecial: "all" }).map((chunk) => chunk.text),
    ["one<|endoftext|>", " two three"],
  );
  const target = new Uint32Array(2);
  assert.deepEqual(o200k.encodeInto(text, target, { allowedSpecial }), { read: 16, written: 2 });
  assert.equal(target[1], 199999);
  for (const call of [
    () => o200k.truncate(text, 2, { disallowedSpecial: "all" }),
    () => o200k.chunk(text, 2, { disallowedSpecial: "all" }),
  ]) {
    assert.throws(call, { status: "SPECIAL_TOKEN" });
  }
});

test("lone surrogates stay in what is cut, and count as U+FFFD", () => {
  const text = "one \ud800 two \udc00 three";
  for (let limit = 0; limit < 12; limit++) assert.ok(text.startsWith(o200k.truncate(text, limit)));
  assert.equal(
    o200k
      .chunk(text, 3)
      .map((chunk) => chunk.text)
      .join(""),
    text,
  );
  assert.deepEqual(o200k.encodeInto(text, new Uint32Array(99)).read, text.length);
});

test("arguments that are none", () => {
  const refused = (call, message) =>
    assert.throws(call, { name: "WwhoError", status: "ARGUMENT", message }, String(call));
  for (const limit of [-1, NaN, "3", null, undefined, 3n]) {
    refused(() => o200k.truncate("a", limit), /^limit is .*; expected a number of tokens, 0 or more$/);
    refused(() => o200k.chunk("a", limit), /^limit is .*; expected a number of tokens, 1 or more$/);
  }
  refused(() => o200k.chunk("a", 0), /1 or more/);
  refused(() => o200k.chunk("a", 5, { overlap: 5 }), /^overlap is 5; expected less than limit, which is 5$/);
  refused(() => o200k.chunk("a", 5, { overlap: -1 }), /^overlap is -1/);
  refused(() => o200k.chunk("a", 5, { prefer: "page" }), /^prefer is "page"; expected one of paragraph, sentence, line/);
  refused(() => o200k.chunk("a", 5, { overlaps: 1 }), /^there is no option "overlaps"; expected .*overlap, prefer, oversize$/);
  refused(() => o200k.chunk("a", 5, 1), /^options is 1/);
  refused(() => o200k.truncate(new Uint8Array(3), 1), /^text is of type object; expected a string; .*TextDecoder/);
  refused(() => o200k.chunk(null, 1), /^text is null/);
  for (const target of [[], new Int32Array(3), null, 7]) {
    refused(() => o200k.encodeInto("a", target), /^target is .*; expected a Uint32Array/);
  }
  for (const method of ["truncate", "encodeInto"]) {
    refused(() => o200k[method]("a", method === "truncate" ? 1 : new Uint32Array(1), null), /^options is null/);
  }
});
