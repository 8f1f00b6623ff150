// Run with gpt-tokenizer and with wwho/compat/gpt-tokenizer in its place: both print the same.

import api, { EndOfText, countTokens, decode, encode, encodeChat, encodeGenerator, isWithinTokenLimit, vocabularySize } from "gpt-tokenizer";
import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as model from "gpt-tokenizer/model/gpt-4o";
import { texts } from "./texts.mjs";

const options = { disallowedSpecial: new Set() };
for (const text of texts) {
  console.log(encode(text, options).join(), countTokens(text, options), isWithinTokenLimit(text, 5, options), [...encodeGenerator(text, options)].length);
  console.log(JSON.stringify([decode(encode(text, options)), api.decode(api.encode(text, options)), cl100k.encode(text, options)]));
}
const chat = texts.slice(0, 20).map((content) => ({ role: "user", content: content.replaceAll("<|", "") }));
console.log(EndOfText, vocabularySize, cl100k.vocabularySize, encodeChat(chat, "gpt-3.5-turbo").join(), model.countTokens(chat), model.default.modelName);
console.log(model.countChatCompletionTokens({ messages: chat, functions: [{ name: "heat", description: "Heat the water" }] }));
try {
  encode("a<|endoftext|>");
} catch (error) {
  console.log(error.message);
}
