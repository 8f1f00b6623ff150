// Run with js-tiktoken and with wwho/compat/js-tiktoken in its place: both print the same.

import { Tiktoken as Whole, encodingForModel, getEncoding, getEncodingNameForModel } from "js-tiktoken";
import { Tiktoken } from "js-tiktoken/lite";
import o200k_base from "js-tiktoken/ranks/o200k_base";
import { texts } from "./texts.mjs";

const more = { "<|im_start|>": 300_000 };
const all = [new Tiktoken(o200k_base), new Whole(o200k_base, more), encodingForModel("gpt-4", more), getEncoding("p50k_edit")];
for (const [i, text] of texts.entries()) {
  // One on every text; tests/web/compat.test.mjs has all encodings.
  for (const enc of i % 8 === 0 ? all : all.slice(0, 1)) {
    const ids = enc.encode(text, "all");
    console.log(ids.join(), enc.decode(ids), enc.encode(text, [], []).length);
  }
}
console.log(getEncodingNameForModel("gpt-5"));
try {
  all[1].encode("a<|im_start|>");
} catch (error) {
  console.log(error.message);
}
