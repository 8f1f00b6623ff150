// wwho/openai gives what wwho.openai of the Python package gives: tests/vectors/chats.json. The first cases are figures that OpenAI and
// gpt-tokenizer have published.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { functionCallingTestCases } from "gpt-tokenizer/fixtures/functionCallingTestCases";

import * as openai from "../../web/package/node-openai.js";
import { getEncoding } from "../../web/package/node.js";
import { getEncoding as inWorker } from "../../web/package/node-worker.js";
import { ROOT } from "./common.mjs";

const cases = JSON.parse(await readFile(new URL("tests/vectors/chats.json", ROOT), "utf8"));
const ENCODINGS = ["cl100k_base", "o200k_base", "o200k_harmony"];
const tokenizers = new Map(await Promise.all(ENCODINGS.map(async (name) => [name, await getEncoding(name)])));
const pools = new Map(await Promise.all(ENCODINGS.map(async (name) => [name, await inWorker(name)])));
const METHODS = { count: "countChat", each: "countMessages", encode: "encodeChat", within: "isWithinTokenLimit", fit: "fitChat" };

/** Options of a case: sizes of images are a function here. */
function optionsOf({ options, sizes }) {
  const imageSize = sizes && ((url) => sizes[url] && { width: sizes[url][0], height: sizes[url][1] });
  return { ...options, ...(imageSize && { imageSize }) };
}

/** What a case gives, in a form that JSON has: of messages that fit, their places. */
function shown(given, result) {
  if (result instanceof Uint32Array) return [...result];
  if (result?.messages) return { ...result, messages: result.messages.map((message) => given.indexOf(message)) };
  return result;
}

/** The encoding of a case's model; that of gpt-4o for names that are refused. */
const encodingOf = async ({ model }, list) => list.get((await openai.encodingForModel(model).catch(() => tokenizers.get("o200k_base"))).name) ?? list.get("o200k_base");

for (const each of cases) {
  const { name, of, model, messages, usage, gives, error } = each;
  test(`${name}: ${of} of ${model}`, async () => {
    const run = (more) => (of === "cost" ? openai.estimateCost(model, usage, optionsOf(each)) : openai[METHODS[of]](messages, model, { ...optionsOf(each), ...more }));
    const here = { tokenizer: await encodingOf(each, tokenizers) };
    if (error !== undefined) {
      const refused = (thrown) => thrown.name === "WwhoError" && ["ARGUMENT", "LIMIT"].includes(thrown.status) && thrown.message.includes(error) || assert.fail(`${thrown}`);
      assert.throws(() => run(here), refused);
      if (of !== "cost") await assert.rejects(run({}), refused);
      return;
    }
    assert.deepEqual(shown(messages, run(here)), gives);
    if (of === "cost") return;
    assert.deepEqual(shown(messages, await run({})), gives);
    assert.deepEqual(shown(messages, await run({ tokenizer: await encodingOf(each, pools) })), gives);
  });
}

test("gpt-tokenizer's cases of functions, which OpenAI's interface has counted", () => {
  assert.equal(functionCallingTestCases.length, 32);
  for (const { tokens, messages, ...request } of functionCallingTestCases) {
    const options = { ...request, tokenizer: tokenizers.get("o200k_base") };
    assert.equal(openai.countChat(messages, "gpt-4o", options), tokens, JSON.stringify(messages));
  }
});

test.after(() => pools.forEach((pool) => pool.free()));
