// The vectors that every backend must give: tests/vectors/*.jsonl, written by tools/gen_vectors.py.
// $WWHO_WASM names another build of the core than web/package/wwho.wasm.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

import { Tokenizer, getEncoding, init } from "../../web/package/node.js";
import { ROOT } from "./common.mjs";

const FOLDER = new URL("tests/vectors/", ROOT);
const STATUS = { SpecialTokenError: "SPECIAL_TOKEN", UnknownTokenError: "TOKEN" };
const files = await readdir(FOLDER);
const names = files.filter((name) => name.endsWith(".jsonl"));

/** @param {string} hex */
const fromHex = (hex) => new Uint8Array(Buffer.from(hex, "hex"));

/** "all" or a list, as the options take it. */
const special = (given) => (Array.isArray(given) ? new Set(given) : given);

/** @param {string} name */
const open = (name) => (files.includes(`${name}.wwho`) ? Tokenizer.load(new URL(`${name}.wwho`, FOLDER)) : getEncoding(name));

function checkEncode(tokenizer, line) {
  const text = line.text ?? fromHex(line.bytes_hex);
  const options = { allowedSpecial: special(line.allowed), unk: line.unk ? "token" : "spell" };
  const { ids, starts, ends } = tokenizer.encodeWithOffsets(text, options);
  assert.deepEqual([...ids], line.ids);
  const places = Array.from(starts, (start, i) => [start, ends[i]]);
  if (line.utf16) assert.deepEqual(places, line.utf16);
  assert.deepEqual([...tokenizer.encode(text, options)], line.ids);
  assert.equal(tokenizer.countTokens(text, options), line.count);
  assert.equal(tokenizer.isWithinTokenLimit(text, line.count, options), line.count);
  if (line.count > 0) assert.equal(tokenizer.isWithinTokenLimit(text, line.count - 1, options), false);
  checkSegments(tokenizer.segment(text), line);
}

/** Bytes that are not UTF-8 have no string to compare with but what a TextDecoder makes of them. */
function checkSegments(segments, line) {
  const shown = (hex) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(fromHex(hex));
  const expected = line.segments.map(({ route, text, bytes_hex, units, units_hex }) => ({
    route,
    units: units ?? units_hex?.map(shown) ?? [],
    ...(bytes_hex === undefined && { text }),
  }));
  const found = segments.map(({ route, text, units }) => ({ route, units, ...(line.text !== undefined && { text }) }));
  assert.deepEqual(found, expected);
}

function checkError(tokenizer, line) {
  const status = STATUS[line.error];
  assert.ok(status, `unknown kind of error ${line.error}`);
  const options = { allowedSpecial: special(line.allowed), disallowedSpecial: special(line.disallowed) };
  const call = line.ids ? () => tokenizer.decode(line.ids) : () => tokenizer.encode(line.text, options);
  assert.throws(call, { name: "WwhoError", status });
}

await init(process.env.WWHO_WASM);

test("there are vectors", () => assert.ok(names.includes("tiny.jsonl") && names.length > 2));

for (const file of names) {
  test(`tests/vectors/${file}`, async () => {
    const tokenizer = await open(file.replace(".jsonl", ""));
    const checked = { encode: 0, decode: 0, error: 0 };
    for (const [i, json] of (await readFile(new URL(file, FOLDER), "utf8")).trim().split("\n").entries()) {
      const line = JSON.parse(json);
      // Looking up a token by its text is not part of this module.
      if (line.error && line.ids === undefined && line.text === undefined) continue;
      const kind = line.error ? "error" : line.decode_hex !== undefined ? "decode" : "encode";
      try {
        if (kind === "error") checkError(tokenizer, line);
        else if (kind === "decode") assert.deepEqual(tokenizer.decodeBytes(line.ids), fromHex(line.decode_hex));
        else checkEncode(tokenizer, line);
      } catch (error) {
        error.message = `line ${i + 1}: ${error.message}`;
        throw error;
      }
      checked[kind]++;
    }
    assert.ok(checked.encode > 0 && checked.decode > 0 && checked.error > 0, JSON.stringify(checked));
  });
}

const rewritten = JSON.parse(await readFile(new URL("rewritten.json", FOLDER), "utf8"));

for (const name of new Set(rewritten.map(({ encoding }) => encoding))) {
  test(`tests/vectors/rewritten.json: texts that ${name} rewrites`, async () => {
    const tokenizer = await open(name);
    const lines = rewritten.filter(({ encoding }) => encoding === name);
    assert.ok(lines.filter(({ text, normalized }) => normalized !== text).length > 20);
    for (const { text, ids, offsets, normalized, truncated, chunks } of lines) {
      const codePoints = (place) => [...text.slice(0, place)].length;
      const { ids: found, starts, ends } = tokenizer.encodeWithOffsets(text);
      assert.equal(tokenizer.normalize(text), normalized);
      assert.deepEqual([...found], ids, text);
      assert.deepEqual(Array.from(starts, (start, i) => [start, ends[i]].map(codePoints)), offsets, text);
      assert.deepEqual([...tokenizer.encode(text)], ids);
      assert.equal(tokenizer.countTokens(text), ids.length);
      assert.equal(await tokenizer.countStream([...text]), ids.length);
      const streamed = [];
      for await (const part of tokenizer.encodeStream([...text])) streamed.push(...part);
      assert.deepEqual(streamed, ids);
      if (chunks === undefined) continue;
      const cut = tokenizer.chunk(text, 40, { overlap: 2 });
      assert.deepEqual(cut.map(({ start, end, tokens }) => [...[start, end].map(codePoints), tokens]), chunks, text);
      assert.equal(codePoints(tokenizer.truncate(text, 40).length), truncated, text);
    }
  });

  test(`${name}: the ids of a whole text, as far as there is room, and in bytes or in UTF-16 units`, async () => {
    const tokenizer = await open(name);
    for (const { text, ids } of rewritten.filter(({ encoding }) => encoding === name)) {
      const { starts, ends } = tokenizer.encodeWithOffsets(text);
      for (const room of [0, 1, 2, 3, 5, 8, ids.length, ids.length + 1]) {
        const target = new Uint32Array(room);
        const { read, written } = tokenizer.encodeInto(text, target);
        assert.deepEqual([...target.subarray(0, written)], ids.slice(0, written), text);
        const whole = written === ids.length;
        assert.equal(read, whole ? text.length : written === 0 ? 0 : starts[written], text);
        assert.ok(whole || written === 0 || ends[written - 1] <= starts[written], text);
        const bytes = tokenizer.encodeInto(new TextEncoder().encode(text), target);
        assert.deepEqual(bytes, { read: new TextEncoder().encode(text.slice(0, read)).length, written }, text);
      }
    }
  });
}
