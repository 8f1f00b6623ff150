// Texts are cut as the Python package cuts them: tests/vectors/chunks.json, whose places are code points.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { getEncoding } from "../../web/package/node.js";
import { ROOT } from "./common.mjs";

const cases = JSON.parse(await readFile(new URL("tests/vectors/chunks.json", ROOT), "utf8"));

test(`${cases.length} texts are cut as in Python`, async () => {
  assert.ok(cases.length > 100);
  for (const { encoding, text, limit, overlap, prefer, chunks, truncated } of cases) {
    const tokenizer = await getEncoding(encoding);
    const why = JSON.stringify({ encoding, text, limit, overlap, prefer });
    const codePoints = (/** @type {number} */ place) => [...text.slice(0, place)].length;
    assert.equal(codePoints(tokenizer.truncate(text, limit).length), truncated, why);
    const cut = () => tokenizer.chunk(text, limit, { overlap, prefer });
    if (chunks === null) {
      assert.throws(() => tokenizer.chunk(text, limit, { overlap, prefer, oversize: "error" }), { status: "LIMIT" }, why);
      continue;
    }
    const found = cut().map(({ start, end, tokens }) => [codePoints(start), codePoints(end), tokens]);
    assert.deepEqual(found, chunks, why);
  }
});
