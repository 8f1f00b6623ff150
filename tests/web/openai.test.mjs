// wwho/openai beside gpt-tokenizer, whose formats and limits it shares, and beside the rules of OpenAI's cookbook.

import assert from "node:assert/strict";
import { test } from "node:test";

import { computeChatCompletionTokenCount } from "gpt-tokenizer/functionCalling";
import { GptEncoding } from "gpt-tokenizer/GptEncoding";
import { chatModelParams, modelToEncodingMap } from "gpt-tokenizer/mapping";
import * as peers from "gpt-tokenizer/models";
import { resolveEncoding } from "gpt-tokenizer/resolveEncoding";

import {
  countChat,
  countMessages,
  encodeChat,
  encodingForModel,
  estimateCost,
  fitChat,
  isWithinTokenLimit,
  models,
  modelsDate,
} from "../../web/package/node-openai.js";
import { getEncoding } from "../../web/package/node.js";
import { getEncoding as inWorker } from "../../web/package/node-worker.js";
import { randomNumbers } from "./common.mjs";

const random = randomNumbers(41);
/** @template T @param {readonly T[]} items @returns {T} */
const pick = (items) => items[Math.floor(random() * items.length)];
const maybe = (make) => (random() < 0.5 ? make() : undefined);
const list = (most, make) => Array.from({ length: Math.floor(random() * (most + 1)) }, make);

const WORDS = ["kettle", "ගෙදර", "boils!\n", "  two", "अद्भुत", "{\"a\": 1}", "日本", "\n\n", "it's", "<|im_end|>", "x_y"];
const phrase = () => list(6, () => pick(WORDS)).join(" ");
const ROLES = ["system", "user", "assistant", "developer"];
const NAMES = ["get_weather", "sum", "find2", "නම"];

/** A schema of any shape that gpt-tokenizer knows, and some that it calls "any". */
function schema(depth) {
  const description = maybe(phrase);
  const type = pick(["string", "number", "integer", "boolean", "null", ...(depth > 0 ? ["array", "object"] : []), "other"]);
  switch (type) {
    case "string":
      return { type, description, enum: maybe(() => [phrase(), ...list(2, phrase)]) };
    case "number":
    case "integer":
      return { type, description, enum: maybe(() => [1.5, ...list(2, () => Math.floor(random() * 1000))]) };
    case "array":
      return { type, description, items: maybe(() => schema(depth - 1)) };
    case "object":
      return { ...object(depth - 1), description };
    default:
      return { type, description };
  }
}

function object(depth) {
  const names = [...new Set(list(3, () => pick(["city", "days", "nested", "ගම"])))];
  const properties = Object.fromEntries(names.map((name) => [name, schema(depth)]));
  return { type: "object", properties: maybe(() => properties) ?? properties, required: maybe(() => names.slice(1)) };
}

const definition = () => ({ name: pick(NAMES), description: maybe(phrase), parameters: maybe(() => object(3)) });

function message(withCalls) {
  const given = { role: pick(ROLES), content: phrase(), name: maybe(() => pick(NAMES)) };
  if (withCalls && random() < 0.3) given.function_call = { name: pick(NAMES), arguments: maybe(phrase) };
  if (withCalls && random() < 0.2) return { role: "function", name: pick(NAMES), content: phrase() };
  return given;
}

/** What OpenAI's cookbook says ("How to count tokens with tiktoken", section 6). */
function cookbook(messages, model, tokenizer) {
  const [each, name] = model === "gpt-3.5-turbo-0301" ? [4, -1] : [3, 1];
  let tokens = 3;
  for (const message of messages) {
    tokens += each;
    for (const [key, value] of Object.entries(message)) {
      if (value === undefined) continue;
      tokens += tokenizer.countTokens(value) + (key === "name" ? name : 0);
    }
  }
  return tokens;
}

const ENCODINGS = ["cl100k_base", "o200k_base", "o200k_harmony"];
const peerOf = new Map(ENCODINGS.map((name) => [name, GptEncoding.getEncodingApi(name, resolveEncoding)]));
const [cl100k, o200k] = await Promise.all([getEncoding("cl100k_base"), getEncoding("o200k_base")]);
// Ordinary text has the same ids in o200k_base and o200k_harmony.
const tokenizerOf = (model) => (models[model].encoding === "cl100k_base" ? cl100k : o200k);
const chatModels = Object.keys(models).filter((name) => models[name].chat && name in chatModelParams);
const plain = { disallowedSpecial: new Set() };
const countTexts = (tokenizer) => (text) => (text ? tokenizer.countTokens(text) : 0);

test("encodings and limits are gpt-tokenizer's", () => {
  let compared = 0;
  for (const [name, { encoding, context, output, chat = false }] of Object.entries(models)) {
    const peer = peers[name];
    if (!peer) continue;
    assert.equal(encoding, modelToEncodingMap[name] ?? "o200k_base", name);
    if (peer.context_window) assert.equal(context, peer.context_window, name);
    assert.equal(output, peer.max_output_tokens, name);
    assert.equal(chat, name in chatModelParams, name);
    compared++;
  }
  assert.ok(compared > 150);
  assert.match(modelsDate, /^\d{4}-\d\d-\d\d$/);
});

test("a chat without names costs what gpt-tokenizer's encodeChat says, for each of its chat models", async () => {
  assert.ok(chatModels.length > 90);
  for (const model of chatModels) {
    for (let i = 0; i < 20; i++) {
      const chat = list(4, () => ({ role: pick(ROLES), content: phrase() }));
      const theirs = peerOf.get(models[model].encoding).encodeChat(chat, model, plain).length;
      // It counts all of GPT-3.5 as the first of them was counted; the cookbook, and OpenAI, do not.
      const same = model.startsWith("gpt-3.5") ? "gpt-3.5-turbo-0301" : model;
      const options = { tokenizer: tokenizerOf(model) };
      assert.equal(await countChat(chat, same, options), theirs, `${model}: ${JSON.stringify(chat)}`);
    }
  }
});

test("a chat costs what OpenAI's cookbook says", async () => {
  for (const model of ["gpt-3.5-turbo-0301", "gpt-3.5-turbo-0613", "gpt-4", "gpt-4o", "gpt-4o-mini-2099-01-01", "gpt-5"]) {
    const tokenizer = model.startsWith("gpt-3.5") || model === "gpt-4" ? cl100k : o200k;
    for (let i = 0; i < 100; i++) {
      const chat = list(5, () => message(false));
      assert.equal(await countChat(chat, model, { tokenizer }), cookbook(chat, model, tokenizer));
    }
  }
});

test("what the cookbook was told by OpenAI's own servers", async () => {
  const system = "You are a helpful assistant that can answer to questions about the weather.";
  const chat = [
    { role: "system", content: system },
    { role: "user", content: "What's the weather like in San Francisco?" },
  ];
  const parameters = {
    type: "object",
    properties: {
      location: { type: "string", description: "The city and state, e.g. San Francisco, CA" },
      unit: { type: "string", description: "The unit of temperature to return", enum: ["celsius", "fahrenheit"] },
    },
    required: ["location"],
  };
  const tool = { name: "get_current_weather", description: "Get the current weather in a given location", parameters };
  const tools = [{ type: "function", function: tool }];
  assert.equal(await countChat(chat, "gpt-4", { tools, tokenizer: cl100k }), 105);
  assert.equal(await countChat(chat, "gpt-4o", { tools, tokenizer: o200k }), 101);
});

test("functions and their calls cost what gpt-tokenizer says", async () => {
  for (let i = 0; i < 3000; i++) {
    const model = pick(["gpt-4", "gpt-4o"]);
    const tokenizer = tokenizerOf(model);
    const functions = list(3, definition);
    const messages = list(4, () => message(true));
    const function_call = pick([undefined, "auto", "none", { name: pick(NAMES) }]);
    const theirs = computeChatCompletionTokenCount({ messages, functions, function_call }, countTexts(tokenizer));
    const shown = JSON.stringify({ messages, functions, function_call });
    assert.equal(await countChat(messages, model, { functions, function_call, tokenizer }), theirs, shown);
    // The same as tools, as requests have them today.
    const tools = functions.map((each) => ({ type: "function", function: each }));
    const tool_choice = function_call?.name ? { type: "function", function: function_call } : function_call;
    const calls = messages.map(({ function_call: call, ...rest }) => ({
      ...rest,
      role: rest.role === "function" ? "tool" : rest.role,
      content: [{ type: "text", text: rest.content }],
      tool_calls: call && [{ type: "function", id: "call_1", function: call }],
    }));
    const words = (list) => list.reduce((sum, { role }) => sum + tokenizer.countTokens(role), 0);
    const difference = words(calls) - words(messages);
    assert.equal(await countChat(calls, model, { tools, tool_choice, tokenizer }), theirs + difference, shown);
  }
});

test("gpt-oss: channels, recipients and constraints cost what gpt-tokenizer says", async () => {
  for (let i = 0; i < 500; i++) {
    const chat = list(4, () => ({
      ...message(false),
      channel: maybe(() => pick(["analysis", "final"])),
      recipient: maybe(() => "functions.get_weather"),
      constraint: maybe(() => "json"),
    }));
    const theirs = peerOf.get("o200k_harmony").encodeChat(chat, "gpt-oss-20b", plain).length;
    assert.equal(await countChat(chat, "gpt-oss-20b", { tokenizer: o200k }), theirs, JSON.stringify(chat));
  }
});

test("the model's own encoding is loaded; a tokenizer in a Worker counts too", async () => {
  const chat = [{ role: "user", content: "ගෙදර යනවා" }];
  assert.equal((await encodingForModel("gpt-4o-2099-01-01")).name, "o200k_base");
  assert.equal((await encodingForModel("ft:gpt-3.5-turbo:acme::1")).name, "cl100k_base");
  const expected = 7 + o200k.countTokens(chat[0].content);
  assert.equal(await countChat(chat, "gpt-5.5"), expected);
  const far = await inWorker("o200k_base");
  assert.equal(await countChat(chat, "gpt-5.5", { tokenizer: far }), expected);
  far.free();
});

test("every encoding that a model has comes with the package", async () => {
  const byEncoding = new Map(Object.entries(models).map(([model, { encoding }]) => [encoding, model]));
  assert.equal(byEncoding.size, 7);
  for (const [encoding, model] of byEncoding) assert.equal((await encodingForModel(model)).name, encoding);
  const chat = [{ role: "user", content: "ගෙදර <|end|> යනවා" }];
  assert.equal(await countChat(chat, "gpt-oss-20b"), await countChat(chat, "gpt-oss-20b", { tokenizer: o200k }));
});

test("cost is that of the cached and the other input and of the output, and that of long prompts", () => {
  const { input, cached, output } = models["gpt-4o"].price;
  assert.deepEqual([input, cached, output], [2.5, 1.25, 10]);
  assert.equal(estimateCost("gpt-4o", { input: 1_000_000 }), 2.5);
  assert.equal(estimateCost("gpt-4o", { input: 3_000_000, cached: 2_000_000, output: 1_000_000 }), 2.5 + 2.5 + 10);
  assert.equal(estimateCost("gpt-4", { input: 2_000_000, cached: 1_000_000 }), 60); // nothing is cheaper there
  const { above, input: more } = models["gpt-5.5"].price.long;
  assert.equal(estimateCost("gpt-5.5", { input: above }), (above * models["gpt-5.5"].price.input) / 1e6);
  assert.equal(estimateCost("gpt-5.5", { input: above + 1 }), ((above + 1) * more) / 1e6);
  assert.equal(estimateCost("text-embedding-3-small", { input: 1_000_000, output: 5 }), 0.02);
});

test("a tokenizer that is there gives an answer at once", () => {
  const chat = [{ role: "user", content: "Does it boil?" }];
  const options = { tokenizer: o200k };
  assert.equal(countChat(chat, "gpt-4o", options), 11);
  assert.deepEqual(countMessages(chat, "gpt-4o", options), [8]);
  assert.equal(isWithinTokenLimit(chat, "gpt-4o", { ...options, limit: 10 }), false);
  assert.equal(isWithinTokenLimit(chat, "gpt-4o", { ...options, limit: 11 }), 11);
  const fitted = fitChat(chat, "gpt-4o", { ...options, limit: 11 });
  assert.deepEqual(fitted, { messages: chat, counts: [8], tokens: 11 });
  assert.equal(fitted.messages[0], chat[0]); // the same object
  assert.throws(() => countChat([{ role: "user" }], "gpt-4o", options), { status: "ARGUMENT" });
});

test("a chat of text has the ids of gpt-tokenizer's encodeChat", () => {
  const ours = { cl100k_base: cl100k, o200k_base: o200k, o200k_harmony: o200k };
  for (const model of chatModels) {
    const { encoding } = models[model];
    for (let i = 0; i < 5; i++) {
      const chat = list(4, () => ({ role: pick(ROLES), content: phrase() }));
      const theirs = [...peerOf.get(encoding).encodeChat(chat, model, plain)];
      const same = model.startsWith("gpt-3.5") ? "gpt-3.5-turbo-0301" : model;
      assert.deepEqual([...encodeChat(chat, same, { tokenizer: ours[encoding] })], theirs, `${model}: ${JSON.stringify(chat)}`);
    }
  }
});

test("a chat that fits has the count that is said, and the message before it does not fit", () => {
  const options = { tokenizer: o200k };
  for (let i = 0; i < 300; i++) {
    const chat = [{ role: "system", content: phrase() }, ...list(12, () => message(true)), { role: "user", content: phrase() }];
    const whole = countChat(chat, "gpt-4o", options);
    const limit = Math.floor(random() * whole) + 120;
    const { messages, counts, tokens } = fitChat(chat, "gpt-4o", { ...options, limit });
    assert.ok(tokens <= limit);
    assert.equal(countChat(messages, "gpt-4o", options), tokens);
    assert.deepEqual(countMessages(messages, "gpt-4o", options), counts);
    assert.equal(messages.at(-1), chat.at(-1));
    assert.equal(messages.length === chat.length, whole <= limit);
  }
});

test("a chat of many messages is fitted in time that grows with it", () => {
  let asked = 0;
  const tokenizer = { countTokens: (text) => (asked++, text.length) };
  const chat = Array.from({ length: 2000 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `message ${i}` }));
  fitChat(chat, "gpt-4o", { tokenizer, limit: 5000 });
  assert.equal(asked, 2 * chat.length + 1); // each role and each content once, and the beginning of the answer
});

test("errors say what is known", async () => {
  const refused = (message) => ({ name: "WwhoError", status: "ARGUMENT", message });
  const chat = [{ role: "user", content: "a" }];
  await assert.rejects(encodingForModel("gpt4o"), refused(/^model is "gpt4o"; expected .* such as "gpt-4o"/));
  await assert.rejects(encodingForModel("GPT-5.5-Pro"), refused(/such as "gpt-5\.5-pro", /));
  await assert.rejects(encodingForModel("toString"), refused(/call getEncoding$/));
  await assert.rejects(encodingForModel(5), refused(/^model is 5; expected the name/));
  await assert.rejects(countChat(chat, "davinci-002"), refused(/^model is "davinci-002"; expected one that takes chats/));
  await assert.rejects(countChat(chat, "text-embedding-3-small"), refused(/takes chats/));
  await assert.rejects(countChat("a", "gpt-4o"), refused(/^messages is "a"/));
  await assert.rejects(countChat(chat, "gpt-4o", null), refused(/^options is null/));
  await assert.rejects(countChat(chat, "gpt-4o", { tool: [] }), refused(/^there is no option "tool"; .* tools,/));
  await assert.rejects(countChat(chat, "gpt-4o", { tools: {} }), refused(/^tools is of type object/));
  const cost = (...given) => () => estimateCost(...given);
  assert.throws(cost("gpt-oss-20b", { input: 1 }), refused(/^the price of "gpt-oss-20b" was not known on/));
  assert.throws(cost("gpt-4o-2099-01-01", { input: 1 }), refused(/^the price of/));
  assert.throws(cost("gpt-4o"), refused(/^usage is undefined/));
  assert.throws(cost("gpt-4o", { input: 1 }, { batches: true }), refused(/^there is no option "batches"; expected batch/));
});
