// Long texts in parts, streams of text and of tokens: what comes out is what the whole gives.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Tokenizer, getEncoding } from "../../web/package/node.js";
import { Core } from "../../web/package/lib/core.js";
import { Parts } from "../../web/package/lib/parts.js";
import { ROOT, TEXTS, WASM, bytesOf, randomNumbers } from "./common.mjs";

const NAMES = ["o200k_base", "cl100k_base", "wwho_328k", "wwho_super_328k"];
const SMALL = ["tiny", "paper"];
const TINY = new URL("tests/vectors/tiny.wwho", ROOT);
const module = new WebAssembly.Module(await bytesOf(WASM));
const coreOf = async (name) => new Core(module, await bytesOf(urlOf(name)));
const urlOf = (name) => new URL(`${SMALL.includes(name) ? "tests/vectors" : "py/wwho/models"}/${name}.wwho`, ROOT);
const tokenizers = Object.fromEntries(
  await Promise.all([...NAMES, ...SMALL].map(async (name) => [name, await Tokenizer.load(urlOf(name))])),
);
const { wwho_328k: wwho, wwho_super_328k: superwords, o200k_base: o200k } = tokenizers;

const ALPHABET = [
  ..."abZ'sdll019.,/-_\n\r\t \u00a0\u0085\u3000\ufeff\u200d\u200c\u0301한字かකං්යෝක්ෂ්‍රඅकि्षं़ॐ।ऽ१👩\u{1f1f1}",
  ..." \n",
  ...["  ", " ක", " ම", " ලෙස ", " है ", " में", "'ll", "ක්‍ෂ", "क्ष"],
];
const random = randomNumbers(5);
const pick = (from) => from[Math.floor(random() * from.length)];
const randomText = (length) => Array.from({ length }, () => pick(ALPHABET)).join("");
const bytesOfText = (text) => new TextEncoder().encode(text);

/** A text in chunks of random sizes, as strings or bytes. */
function* chunksOf(text, most, kind) {
  const whole = kind === "bytes" ? bytesOfText(text) : text;
  for (let at = 0; at < whole.length;) {
    const end = at + Math.ceil(random() * most);
    yield whole.slice(at, end);
    at = end;
  }
}

/** The parts in which a core reads chunks, if it is called for a few bytes, their ids, and how many tokens it counts. */
function partsRead(core, chunks, allowed = null) {
  let [place, count] = [0, 0];
  const parts = new Parts((text, more) => {
    const { ids, ...found } = core.encodePart(text, more, allowed, 0, place, false);
    const { ids: none, ...counted } = core.encodePart(text, more, allowed, 0, place, true);
    assert.deepEqual([none.length, counted], [0, found]);
    count += found.tokens;
    place = found.place;
    return { ids, read: found.read, text: text.slice(0, found.read) };
  }, 8);
  const found = [...chunks].flatMap((chunk) => [...parts.add(chunk)]).concat([...parts.end()]);
  return { found: found.map(({ text }) => text), ids: found.flatMap(({ ids }) => [...ids]), count };
}

for (const [name, tokenizer] of Object.entries(tokenizers)) {
  test(`${name}: the tokens of both sides of every safe place are those of the whole`, async () => {
    const core = await coreOf(name);
    let found = 0;
    for (let i = 0; i < 1500; i++) {
      const bytes = bytesOfText(randomText(1 + Math.floor(random() * 40)));
      const whole = tokenizer.encode(bytes).join();
      for (let place = bytes.length; (place = core.safeCut(bytes.subarray(0, place - 1), null)) > 0; found++) {
        const parts = [bytes.slice(0, place), bytes.slice(place)].flatMap((part) => [...tokenizer.encode(part)]);
        assert.equal(parts.join(), whole, `${JSON.stringify(new TextDecoder().decode(bytes))} at ${place}`);
      }
    }
    assert.ok(found > 3000, `${found} places`);
  });

  test(`${name}: parts as small as can be, from chunks of any size`, async () => {
    const core = await coreOf(name);
    for (const kind of ["string", "bytes"]) {
      for (const most of [1, 5, 300]) {
        const text = randomText(600);
        const { found, ids, count } = partsRead(core, chunksOf(text, most, kind));
        assert.deepEqual(Buffer.concat(found), Buffer.from(text));
        assert.ok(found.length > 600 / Math.max(most, 30), `${found.length} parts`);
        const tokens = found.flatMap((part) => [...tokenizer.encode(part)]);
        assert.deepEqual(tokens, [...tokenizer.encode(text)]);
        assert.deepEqual(ids, tokens);
        assert.equal(count, tokens.length);
      }
    }
  });
}

test("special tokens are never cut, nor what is near them", async () => {
  const core = await coreOf("wwho_328k");
  const specials = [...wwho.specialTokens.keys()];
  const pieces = [...specials, ...specials.map((text) => text.slice(0, -1)), " a", "b ", "ක", " ක", "\n", "<|"];
  for (let i = 0; i < 300; i++) {
    const text = Array.from({ length: 60 }, () => pick(pieces)).join("");
    const { found, ids, count } = partsRead(core, chunksOf(text, 9, "string"), new Uint8Array(specials.length).fill(1));
    const tokens = found.flatMap((part) => [...wwho.encode(part, { allowedSpecial: "all" })]);
    assert.deepEqual(tokens, [...wwho.encode(text, { allowedSpecial: "all" })], text);
    assert.deepEqual(ids, tokens);
    assert.equal(count, tokens.length);
  }
});

/** All ids of a stream. */
async function idsOf(tokenizer, chunks, options) {
  const parts = [];
  for await (const ids of tokenizer.encodeStream(chunks, options)) parts.push([...ids]);
  return Uint32Array.from(parts.flat());
}

const LONG = {
  prose: TEXTS.join("\n").repeat(1500),
  "one line of words": "ගෙදර යන පාරේ මල් the kettle sings बगीचे में हवा ".repeat(8000),
  "Sinhala alone": "ගෙදර යන පාරේ මල් පිපිලා තිබුණා ".repeat(8000),
  "one word": "a".repeat(600_000),
  spaces: " ".repeat(600_000),
  "line feeds": "\n".repeat(600_000),
  "one syllable": "ක".repeat(200_000),
  joiners: "👩\u200d".repeat(80_000),
  digits: "0123456789".repeat(60_000),
  "two surrogates and half of one": "😀\ud83d".repeat(80_000),
};

for (const [kind, text] of Object.entries(LONG)) {
  test(`countStream, encodeStream and encodeGenerator: ${kind}`, async () => {
    for (const tokenizer of [o200k, wwho, superwords]) {
      const count = tokenizer.countTokens(text);
      assert.equal(await tokenizer.countStream(chunksOf(text, 70_001, "string")), count);
      assert.equal(await tokenizer.countStream(chunksOf(text, 300_001, "bytes")), count);
      const ids = [...tokenizer.encodeGenerator(text)].flatMap((part) => [...part]);
      const whole = tokenizer.encode(text);
      assert.deepEqual(Uint32Array.from(ids), whole);
      assert.deepEqual(await idsOf(tokenizer, chunksOf(text, 70_001, "string")), whole);
      assert.deepEqual(await idsOf(tokenizer, chunksOf(text, 300_001, "bytes")), whole);
    }
  });
}

test("countStream takes a stream, a Blob, and iterables of strings and bytes, mixed", async () => {
  const text = TEXTS.join(" ");
  const count = wwho.countTokens(text);
  const stream = () => new Blob([text]).stream();
  assert.equal(await wwho.countStream(stream()), count);
  assert.equal(
    await wwho.countStream(stream().pipeThrough(new TextDecoderStream("utf-8", { ignoreBOM: true }))),
    count,
  );
  assert.equal(await wwho.countStream(new Blob([text])), count);
  assert.equal(await wwho.countStream([text]), count);
  assert.equal(await wwho.countStream([text.slice(0, 9), Buffer.from(text.slice(9))]), count);
  assert.equal(await wwho.countStream([bytesOfText(text).buffer]), count);
  assert.equal(await wwho.countStream(["\ud83d", "\ude00"]), wwho.countTokens("😀"));
  assert.equal(await wwho.countStream(["\ud83d", bytesOfText("😀")]), wwho.countTokens("\ufffd😀"));
  assert.equal(await wwho.countStream([]), 0);
  assert.equal(await wwho.countStream(["", new Uint8Array(), ""]), 0);
  const broken = Uint8Array.of(0x61, 0xe0, 0xb6, 0x20, 0xff);
  assert.equal(await wwho.countStream([broken.slice(0, 2), broken.slice(2)]), wwho.countTokens(broken));
  for (const source of ["text", null, undefined, 7, {}, { [Symbol.iterator]: 7 }]) {
    await assert.rejects(wwho.countStream(source), {
      name: "WwhoError",
      status: "ARGUMENT",
      message: /source is.*\[text\]/,
    });
  }
  for (const source of [[7], Uint8Array.of(7, 7)]) {
    await assert.rejects(wwho.countStream(source), {
      status: "ARGUMENT",
      message: /chunk of the text is 7; expected a string.*\[text\]/,
    });
  }
  const locked = stream();
  locked.getReader();
  await assert.rejects(wwho.countStream(locked), { status: "ARGUMENT", message: /locked.*tee/ });
});

test("encodeStream: chunks that split characters, pretokens and special tokens; options, progress, and leaving early", async () => {
  const text = `${TEXTS.join(" ")}<|endoftext|>ගෙදර 👩‍👩‍👧<|endofprompt|> `;
  for (const tokenizer of [o200k, wwho]) {
    for (const options of [{}, { allowedSpecial: ["<|endoftext|>"] }, { allowedSpecial: "all", disallowedSpecial: "all" }]) {
      const whole = tokenizer.encode(text, options);
      for (const size of [1, 2, 3]) {
        const bytes = bytesOfText(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
        assert.deepEqual(await idsOf(tokenizer, chunks, options), whole);
        assert.equal(await tokenizer.countStream(chunks, options), whole.length);
      }
      assert.deepEqual(await idsOf(tokenizer, new Blob([text]), options), whole);
    }
    await assert.rejects(idsOf(tokenizer, [...text], { disallowedSpecial: "all" }), { status: "SPECIAL_TOKEN" });
  }
  await assert.rejects(idsOf(wwho, [Uint8Array.of(0x61, 0xff)], { fatal: true }), { status: "UTF8" });
  await assert.rejects(idsOf(wwho, "text"), { status: "ARGUMENT", message: /source is.*\[text\]/ });
  await assert.rejects(idsOf(wwho, [text], { array: true }), { status: "ARGUMENT" });
  let [seen, cancelled] = [{ bytes: 0, tokens: 0 }, false];
  const onProgress = (/** @type {typeof seen} */ progress) => (seen = progress);
  const endless = new ReadableStream({ pull: (to) => to.enqueue(LONG.prose), cancel: () => void (cancelled = true) });
  const parts = wwho.encodeStream(endless, { onProgress });
  const { value: ids } = await parts.next();
  assert.ok(ids instanceof Uint32Array);
  assert.deepEqual(wwho.encode(bytesOfText(LONG.prose).subarray(0, seen.bytes)), ids, "a part is encoded when it is asked for");
  assert.equal(seen.tokens, ids.length);
  await parts.return();
  assert.ok(cancelled);
});

test("countStream: options, progress, and what was freed in between", async () => {
  const text = "a<|endoftext|>b ".repeat(50_000);
  const options = { allowedSpecial: ["<|endoftext|>"].values() };
  assert.equal(
    await o200k.countStream(chunksOf(text, 999, "string"), options),
    o200k.countTokens(text, { allowedSpecial: "all" }),
  );
  await assert.rejects(o200k.countStream(chunksOf(text, 7, "string"), { disallowedSpecial: "all" }), {
    status: "SPECIAL_TOKEN",
  });
  const seen = [];
  const count = await wwho.countStream([LONG.prose], { onProgress: (progress) => seen.push(progress) });
  assert.ok(seen.length > 2);
  assert.ok(
    seen.every(({ bytes, tokens }, i) => i === 0 || (bytes > seen[i - 1].bytes && tokens > seen[i - 1].tokens)),
  );
  assert.deepEqual(seen.at(-1), { bytes: Buffer.byteLength(LONG.prose), tokens: count });
  const brief = await Tokenizer.load(TINY);
  async function* freed() {
    yield LONG.prose;
    brief.free();
    yield LONG.prose;
  }
  await assert.rejects(brief.countStream(freed()), { status: "FREED" });
});

test("with fatal, bytes that are not UTF-8 are refused, wherever they lie", async () => {
  const long = new TextEncoder().encode("ගෙදර යන පාරේ ".repeat(30_000));
  const broken = (/** @type {number} */ at) => long.with(at, 0xff);
  const fatal = { fatal: true };
  assert.equal(await wwho.countStream([long], fatal), await wwho.countStream([long]));
  assert.equal(await wwho.countStream(["\ud83d", "\udc69 \ud83d"], fatal), await wwho.countStream(["👩 \ufffd"]));
  for (const bytes of [broken(0), broken(400_000), broken(long.length - 1), long.subarray(0, -2), Uint8Array.of(0x61, 0xe0, 0xb6)]) {
    await assert.rejects(wwho.countStream(new Blob([bytes]), fatal), { name: "WwhoError", status: "UTF8", message: /^the text is not UTF-8 between byte \d+ and byte \d+/ });
    assert.equal(await wwho.countStream([bytes]), wwho.countTokens(bytes), "else they are counted as they are");
  }
  await assert.rejects(wwho.countStream([], { fatal: 1 }), { status: "ARGUMENT", message: /^fatal is 1; expected true or false/ });
});

test("options that are none are refused before the stream is touched", async () => {
  for (const [options, message] of [
    [null, /^options is null/],
    [["<|endoftext|>"], /^options is a list/],
    [{ signal: {} }, /^signal is of type object; expected an AbortSignal/],
    [{ signal: null }, /^signal is null/],
    [{ onProgress: 5 }, /^onProgress is 5/],
  ]) {
    const stream = new ReadableStream();
    await assert.rejects(o200k.countStream(stream, options), { status: "ARGUMENT", message });
    const forDecoding = options?.onProgress ? /^there is no option "onProgress"; expected skipSpecialTokens, likeTokenizers, graphemes, signal$/ : message;
    await assert.rejects(o200k.decodeAsyncGenerator(stream, options).next(), { status: "ARGUMENT", message: forDecoding });
    assert.equal(stream.locked, false);
  }
  const gone = Uint32Array.of(1);
  structuredClone(gone, { transfer: [gone.buffer] });
  for (const source of [gone, [gone]]) {
    await assert.rejects(o200k.decodeAsyncGenerator(source).next(), { status: "ARGUMENT", message: /transferred/ });
  }
});

test("a signal ends a count at once, and cancels the stream", async () => {
  const reason = new Error("enough");
  for (const wait of [true, false]) {
    const controller = new AbortController();
    let cancelled;
    const stream = new ReadableStream({
      pull(to) {
        to.enqueue("word ");
        if (!wait) return;
        setTimeout(() => controller.abort(reason), 5);
        return new Promise(() => {});
      },
      cancel(why) {
        cancelled = why;
      },
    });
    if (!wait) controller.abort(reason);
    await assert.rejects(wwho.countStream(stream, { signal: controller.signal }), reason);
    while (cancelled === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.equal(cancelled, reason);
  }
});

test("a source that fails fails the count with its own error", async () => {
  async function* source() {
    yield "some text";
    throw new RangeError("the line is dead");
  }
  await assert.rejects(wwho.countStream(source()), { name: "RangeError", message: "the line is dead" });
});

test("a long stream is counted in little memory", async () => {
  const text = "The kettle sings, ගෙදර යන පාරේ මල්; बगीचे में हवा चल रही थी.\n".repeat(4000);
  async function* source() {
    for (let i = 0; i < 100; i++) yield text;
  }
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const onProgress = () => (most = Math.max(most, process.memoryUsage().arrayBuffers));
  const count = await wwho.countStream(source(), { onProgress });
  assert.equal(count, 100 * wwho.countTokens(text));
  assert.ok(most - before < 64e6, `${most - before} bytes for ${100 * Buffer.byteLength(text)}`);
});

test("decoding token by token gives whole characters, and the text", async () => {
  for (const tokenizer of Object.values(tokenizers)) {
    for (const text of [...TEXTS, "👩‍👩‍👧 𓀀 \u{10ffff}\ufeff", randomText(300)]) {
      const ids = tokenizer.encode(text);
      const parts = [...tokenizer.decodeGenerator(ids)];
      assert.equal(parts.join(""), tokenizer.decode(ids));
      assert.ok(
        parts.every((part) => part !== "" && part.isWellFormed() && !part.includes("\ufffd")),
        parts.join("|"),
      );
      async function* slowly() {
        for (let i = 0; i < ids.length; i += 2) yield i % 4 ? ids[i] : ids.subarray(i, i + 1);
      }
      const some = ids.filter((_, i) => i % 2 === 0);
      const found = [];
      for await (const part of tokenizer.decodeAsyncGenerator(slowly())) found.push(part);
      assert.equal(found.join(""), tokenizer.decode(some));
    }
  }
});

test("decoding in whole graphemes: as soon as they are certain, and in linear time", async () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  const edgesOf = (text) => new Set([...segmenter.segment(text)].map(({ index }) => index).concat(text.length));
  for (const tokenizer of Object.values(tokenizers)) {
    for (const text of [...TEXTS, "👩‍👩‍👧🇱🇰🇱🇰🇱 e\u0301\u0302x\r\n\r", "हिन्दी क्ष्म्य ශ්‍රී", `a${"\u0301".repeat(300)}b c`, randomText(300)]) {
      const ids = tokenizer.encode(text);
      const whole = tokenizer.decode(ids);
      const parts = [...tokenizer.decodeGenerator(ids, { graphemes: true })];
      assert.equal(parts.join(""), whole);
      assert.ok(!parts.includes(""));
      const edges = edgesOf(whole);
      let at = 0;
      for (const part of parts) assert.ok(edges.has((at += part.length)), `${at} ${JSON.stringify(whole)}`);
      async function* slowly() {
        for (let i = 0; i < ids.length; i += 2) yield ids.subarray(i, i + 2);
      }
      let joined = "";
      for await (const part of tokenizer.decodeAsyncGenerator(slowly(), { graphemes: true })) joined += part;
      assert.equal(joined, whole);
    }
  }
  // All but the last grapheme of what came so far.
  const ids = o200k.encode("The kettle sings");
  assert.deepEqual([...o200k.decodeGenerator(ids, { graphemes: true })], ["Th", "e kettl", "e sing", "s"]);
  assert.throws(() => [...o200k.decodeGenerator([1], { graphemes: "yes" })], { status: "ARGUMENT", message: /^graphemes is "yes"/ });
  assert.throws(() => o200k.decode([1], { graphemes: true }), { status: "ARGUMENT", message: /^there is no option "graphemes"/ });
});

test("a grapheme without an end is looked at a few times only", () => {
  const { Segmenter } = Intl;
  let units = 0;
  Intl.Segmenter = class extends Segmenter {
    segment(text) {
      units += text.length;
      return super.segment(text);
    }
  };
  try {
    const text = `a${"\u0301".repeat(50_000)}b`;
    const ids = [...text].flatMap((character) => o200k.encode(character, { array: true }));
    assert.equal([...o200k.decodeGenerator(ids, { graphemes: true })].join(""), text);
    assert.ok(units < 10 * text.length, String(units));
  } finally {
    Intl.Segmenter = Segmenter;
  }
});

test("where nothing finds graphemes, that is what is said", () => {
  const { Segmenter } = Intl;
  delete Intl.Segmenter;
  try {
    const message = "graphemes is true; expected false where there is no Intl.Segmenter, which finds them";
    assert.throws(() => [...o200k.decodeGenerator([1], { graphemes: true })], { status: "ARGUMENT", message });
    assert.equal([...o200k.decodeGenerator([24_912])].join(""), "hello");
  } finally {
    Object.defineProperty(Intl, "Segmenter", { value: Segmenter, writable: true, configurable: true });
  }
});

test("tokens that end inside a character: U+FFFD at the very end, as decode has it, and nothing is left for the next call", async () => {
  const ids = o200k.encode("𓀀");
  assert.ok(ids.length > 1);
  for (let n = 1; n < ids.length; n++) {
    assert.equal([...o200k.decodeGenerator(ids.subarray(0, n))].join(""), o200k.decode(ids.subarray(0, n)));
  }
  const left = o200k.decodeGenerator([ids[0], ...o200k.encode("x")]);
  left.next();
  left.return();
  assert.deepEqual([...o200k.decodeGenerator(o200k.encode("hello"))], ["hello"]);
});

test("decodeAsyncGenerator takes a stream, ends with its signal, and names an id that is none", async () => {
  const ids = wwho.encode("ගෙදර යන පාරේ");
  const stream = new ReadableStream({
    start(to) {
      for (const id of ids) to.enqueue(id);
      to.close();
    },
  });
  let text = "";
  for await (const part of wwho.decodeAsyncGenerator(stream)) text += part;
  assert.equal(text, "ගෙදර යන පාරේ");
  for (const ofBytes of [Uint8Array.of(65, 66), [Uint8Array.of(65), 66]]) {
    const parts = [];
    for await (const part of wwho.decodeAsyncGenerator(ofBytes)) parts.push(part);
    assert.equal(parts.join(""), wwho.decode([65, 66]));
  }
  const reason = new Error("stop");
  const controller = new AbortController();
  const never = wwho.decodeAsyncGenerator(new ReadableStream({}), { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 5);
  await assert.rejects(never.next(), reason);
  const bad = { status: "TOKEN", message: /4000000 \(at index 2\)/ };
  assert.throws(() => [...wwho.decodeGenerator([1, 2, 4_000_000])], bad);
  await assert.rejects(async () => {
    for await (const part of wwho.decodeAsyncGenerator([1, [2, 4_000_000]])) assert.ok(part);
  }, bad);
  assert.throws(() => [...wwho.decodeGenerator(7)], { status: "ARGUMENT", message: /ids is 7/ });
  assert.throws(() => [...wwho.decodeGenerator([1.5])], { status: "TOKEN" });
});

test("generators of a freed tokenizer, and of texts that are none, fail when they run", async () => {
  const tokenizer = await getEncoding("cl100k_base");
  assert.throws(() => [...tokenizer.encodeGenerator(7)], { status: "ARGUMENT" });
  const ids = tokenizer.decodeGenerator([1, 2]);
  ids.next();
  tokenizer.free();
  assert.throws(() => ids.next(), { status: "FREED" });
  assert.throws(() => [...tokenizer.encodeGenerator("a")], { status: "FREED" });
  await assert.rejects(tokenizer.countStream(["a"]), { status: "FREED" });
  await assert.rejects(tokenizer.decodeAsyncGenerator([1]).next(), { status: "FREED" });
});
