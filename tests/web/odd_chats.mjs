// What wwho/openai gives for chats that come as JSON on the standard input: a list of cases as in tests/vectors/chats.json. It prints a
// list with the result of each, or null for one that is refused; for test_openai.py.

import { readFileSync } from "node:fs";

import * as openai from "../../web/package/node-openai.js";

const METHODS = { count: "countChat", each: "countMessages", encode: "encodeChat", within: "isWithinTokenLimit", fit: "fitChat" };

/** Return what a case gives. */
async function run({ of, model, messages, usage, options, sizes }) {
  if (of === "cost") return openai.estimateCost(model, usage, options);
  const imageSize = sizes && ((url) => sizes[url] && { width: sizes[url][0], height: sizes[url][1] });
  const result = await openai[METHODS[of]](messages, model, { ...options, ...(imageSize && { imageSize }) });
  if (result instanceof Uint32Array) return [...result];
  return result.messages ? { ...result, messages: result.messages.map((message) => messages.indexOf(message)) } : result;
}

const results = [];
for (const each of JSON.parse(readFileSync(0, "utf8"))) {
  results.push(
    await run(each).catch((error) => {
      if (error.name === "WwhoError") return null;
      throw error;
    }),
  );
}
console.log(JSON.stringify(results));
