// The example that runs the core without the npm package.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { openEncoder } from "../../tools/examples/edge.mjs";
import { getEncoding } from "../../web/package/node.js";

const ROOT = new URL("../../", import.meta.url);
const core = await readFile(new URL("web/package/wwho.wasm", ROOT));
const model = await readFile(new URL("py/wwho/models/cl100k_base.wwho", ROOT));

test("the core in an engine of JavaScript alone gives the same ids", async () => {
  const encode = await openEncoder(core, model);
  const expected = await getEncoding("cl100k_base");
  for (const text of ["ඔයා 1 special अद्भुत", "", "\0 \ufffd\u{10ffff}", "word ".repeat(800)]) assert.deepEqual(encode(text), [...expected.encode(text)]);
});

test("what it refuses", async () => {
  await assert.rejects(openEncoder(core, model.subarray(0, -4)), /wwho_workspace_size returned status \d+: see wwho\.h/);
  const encode = await openEncoder(core, model, 8);
  assert.throws(() => encode("nine char"), /9 bytes are more than 8/);
});
