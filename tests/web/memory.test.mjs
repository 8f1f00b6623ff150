// Freeing a tokenizer, by hand and by the garbage collector.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

import { Tokenizer } from "../../web/node.js";
import { O200K, ROOT } from "./common.mjs";

const run = promisify(execFile);

test("a freed tokenizer refuses every call, and may be freed again", async () => {
  const tokenizer = await Tokenizer.load(O200K);
  tokenizer.free();
  tokenizer.free();
  const calls = [
    () => tokenizer.encode("a"),
    () => tokenizer.decode([1]),
    () => tokenizer.decodeBytes([1]),
    () => tokenizer.countTokens("a"),
    () => tokenizer.isWithinTokenLimit("a", 1),
    () => tokenizer.encodeWithOffsets("a"),
    () => tokenizer.segment("a"),
    () => tokenizer.tokenBytes(1),
  ];
  for (const call of calls) {
    assert.throws(call, { name: "WwhoError", status: "FREED", message: /o200k_base was freed; load it again/ });
  }
  assert.equal(tokenizer.name, "o200k_base");
});

test("Symbol.dispose frees, and another tokenizer lives on", async () => {
  const [one, two] = await Promise.all([Tokenizer.load(O200K), Tokenizer.load(O200K)]);
  one[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
  assert.throws(() => one.encode("a"), { status: "FREED" });
  assert.deepEqual([...two.encode("hello world")], [24912, 2375]);
});

test("tokenizers that nobody holds any more give their memory back", async () => {
  const script = `
    import { Tokenizer } from ${JSON.stringify(new URL("web/node.js", ROOT).href)};
    const loads = 60;
    for (let i = 0; i < loads; i++) {
      (await Tokenizer.load(new URL(${JSON.stringify(O200K.href)}))).countTokens("hello world");
      gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    console.log(process.memoryUsage().rss);`;
  const { stdout } = await run(process.execPath, ["--expose-gc", "--input-type=module", "-e", script]);
  assert.ok(Number(stdout) < 500e6, `${stdout.trim()} bytes resident after 60 loads`);
});
