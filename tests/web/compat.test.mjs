// What wwho/compat has in place of gpt-tokenizer and js-tiktoken, beside the packages themselves: the same calls on the same texts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Tiktoken as TheirTiktoken } from "js-tiktoken/lite";
import { getEncodingNameForModel as theirNameFor } from "js-tiktoken";

import { gptFunctions } from "../../web/package/lib/compat/gpt-tokenizer.js";
import { Tiktoken, getEncodingNameForModel, ranksOf } from "../../web/package/lib/compat/js-tiktoken.js";
import * as names from "../../web/package/lib/compat/special-names.js";
import { models } from "../../web/package/lib/openai-models.js";
import { getEncoding } from "../../web/package/node.js";
import { countChat } from "../../web/package/node-openai.js";
import { ROOT, TEXTS, randomNumbers } from "./common.mjs";

const random = randomNumbers(43);
const pick = (list) => list[Math.floor(random() * list.length)];
const WORDS = [..."abZ 's019.,/\n\r\t\u00a0é한字කා්යकि👩 ", " ", "The kettle", " sings", "ගෙදර", "हवा", "<|endoftext|>", "<|im_start|>", "'LL", "  ", "\ud83d", "\u{1f600}"];
/** 300 texts, of which some spell special tokens; the two characters that are other white space in JavaScript are left out (MIGRATING.md). */
const texts = TEXTS.filter((text) => !/[\ufeff\u0085]/.test(text));
while (texts.length < 300) texts.push(Array.from({ length: 1 + Math.floor(random() * 24) }, () => pick(WORDS)).join(""));

/** What a call gives, or that it fails. */
function outcome(call) {
  try {
    return { value: call() };
  } catch (error) {
    assert.ok(error instanceof Error);
    return { failed: true };
  }
}

/** The options that gpt-tokenizer knows, of each kind. */
const OPTIONS = [
  undefined,
  {},
  { allowedSpecial: "all" },
  { allowedSpecial: new Set(["<|endoftext|>"]) },
  { allowedSpecial: new Set(["all"]) },
  { allowedSpecial: "all", disallowedSpecial: new Set(["<|im_start|>"]) },
  { allowedSpecial: "all", disallowedSpecial: "all" },
  { disallowedSpecial: new Set() },
  { disallowedSpecial: "all" },
  { disallowedSpecial: new Set(["<|endoftext|>"]) },
  { allowedSpecial: new Set(["<|endoftext|>"]), disallowedSpecial: new Set(["<|im_start|>"]) },
];

/** gpt-tokenizer loses text after two allowed special tokens at the beginning; we give both. */
const losesText = (text, options) => options?.allowedSpecial && /^(<\|\w+\|>){2}/.test(text);

for (const name of ["cl100k_base", "gpt2", "o200k_base", "o200k_harmony", "p50k_base", "p50k_edit", "r50k_base"]) {
  test(`gpt-tokenizer/encoding/${name}: every function, on 300 texts`, async () => {
    const theirs = await import(`gpt-tokenizer/encoding/${name}`);
    const tokenizer = await getEncoding(name);
    const ours = gptFunctions(() => tokenizer, name);
    const exported = new Set([...Object.keys(ours), ...Object.keys(names), "default"]);
    assert.deepEqual(Object.keys(theirs).filter((each) => !exported.has(each)), []);
    for (const [each, value] of Object.entries(names)) assert.equal(value, theirs[each], each);
    assert.equal(ours.vocabularySize, theirs.vocabularySize);
    let compared = 0;
    for (const [i, text] of texts.entries()) {
      // All options on some texts, one kind on each of the others.
      for (const options of i < 20 ? OPTIONS : [OPTIONS[i % OPTIONS.length], { disallowedSpecial: new Set() }]) {
        if (losesText(text, options)) continue;
        compared++;
        for (const call of [
          ({ encode }) => encode(text, options),
          ({ countTokens }) => countTokens(text, options),
          ({ isWithinTokenLimit }) => [0, 3, 1000].map((limit) => isWithinTokenLimit(text, limit, options)),
          ({ encodeGenerator }) => [...encodeGenerator(text, options)].filter(({ length }) => length > 0),
        ]) {
          const expected = outcome(() => call(theirs));
          assert.deepEqual(outcome(() => call(ours)), expected, `${call} ${JSON.stringify(text)} ${i}`);
        }
      }
      const ids = theirs.encode(text, { disallowedSpecial: new Set() });
      assert.equal(ours.decode(ids), theirs.decode(ids));
      assert.equal([...ours.decodeGenerator(ids)].join(""), [...theirs.decodeGenerator(ids)].join(""));
    }
    assert.ok(compared > 400, String(compared));
  });
}

const CONTENTS = texts.filter((text) => !text.includes("<|"));

/** A random chat in gpt-tokenizer's form. */
function randomChat(isHarmony) {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
    role: pick(["system", "user", "assistant"]),
    content: pick(CONTENTS),
    ...(random() < 0.3 && { name: pick(["kettle", "a b"]) }),
    ...(isHarmony && random() < 0.5 && { channel: pick(["final", "analysis"]) }),
    ...(isHarmony && random() < 0.5 && { recipient: "functions.heat", recipientPlacement: pick(["role", "channel", undefined]) }),
    ...(isHarmony && random() < 0.5 && { constraint: "json", terminator: pick(["<|call|>", "<|return|>", "<|end|>"]) }),
  }));
}

test("gpt-tokenizer/model/NAME: chats, and counts of requests", async () => {
  for (const model of ["gpt-4o", "gpt-4", "gpt-3.5-turbo", "gpt-3.5-turbo-0125", "gpt-5", "gpt-oss-20b", "o1"]) {
    const theirs = await import(`gpt-tokenizer/model/${model}`);
    const { encoding } = models[model];
    const tokenizer = await getEncoding(encoding);
    const ours = gptFunctions(() => tokenizer, encoding, model);
    for (let i = 0; i < 30; i++) {
      const chat = randomChat(encoding === "o200k_harmony");
      const options = pick([undefined, { primeWithAssistantResponse: "" }, { primeWithAssistantResponse: "So" }, { allowedSpecial: "all" }]);
      const ids = theirs.encodeChat(chat, undefined, options);
      assert.deepEqual(ours.encodeChat(chat, undefined, options), ids, `${model} ${JSON.stringify(chat)}`);
      assert.deepEqual([...ours.encodeChatGenerator(chat, undefined, options)].flat(), ids);
      assert.equal(ours.countTokens(chat), theirs.countTokens(chat));
      for (const limit of [5, 20, 1000]) assert.equal(ours.isWithinTokenLimit(chat, limit), theirs.isWithinTokenLimit(chat, limit));
      assert.equal(ours.decode(ids), theirs.decode(ids));
      if (!theirs.countChatCompletionTokens || encoding === "o200k_harmony") continue;
      const parameters = { type: "object", properties: { degrees: { type: "number", description: pick(CONTENTS) }, unit: { type: "string", enum: ["C", "F"] } }, required: ["degrees"] };
      const functions = pick([undefined, [{ name: "heat" }], [{ name: "heat", description: pick(CONTENTS), parameters }, { name: "cool", parameters }]]);
      const function_call = pick([undefined, "auto", "none", { name: "heat" }]);
      const request = { messages: chat, ...(functions && { functions }), ...(functions && function_call && { function_call }) };
      assert.equal(ours.countChatCompletionTokens(request), theirs.countChatCompletionTokens(request), JSON.stringify(request));
    }
  }
});

test("gpt-tokenizer: the models of chats are the same, and all errors say what is wrong", async () => {
  const { chatEnabledModels } = await import("../node_modules/gpt-tokenizer/esm/modelsChatEnabled.gen.js");
  const { modelToEncodingMap } = await import("gpt-tokenizer/mapping");
  const ours = Object.entries(models);
  const theirs = new Set(chatEnabledModels);
  assert.deepEqual(ours.filter(([name, { chat }]) => name in modelToEncodingMap && theirs.has(name) !== (chat === true)), []);
  assert.deepEqual(ours.filter(([name, { encoding }]) => name in modelToEncodingMap && modelToEncodingMap[name] !== encoding), []);
  const tokenizer = await getEncoding("o200k_base");
  const plain = gptFunctions(() => tokenizer, "o200k_base");
  const spec = { name: "x", price_data: { main: { input: 10, output: 30 }, batch: { input: 5 } } };
  assert.deepEqual(plain.estimateCost(1000, spec), (await import("gpt-tokenizer")).estimateCost(1000, spec));
  for (const [call, said] of [
    [() => plain.encode(5), "text is 5; expected a string"],
    [() => plain.countTokens([{ role: "user", content: "a" }]), "Model name must be provided"],
    [() => plain.encodeChat([{ role: "user", content: "a" }], "davinci"), 'model is "davinci"; expected one that takes chats'],
    [() => plain.encodeChat([{ role: "user" }], "gpt-4o"), "Content must be defined for all messages."],
    [() => plain.encode("a<|endoftext|>"), "Disallowed special token found: <|endoftext|>"],
    [() => plain.estimateCost(5), "Model spec must be provided"],
    [() => plain.estimateCost(5, { name: "x" }), "No cost information available for model: x"],
    [() => gptFunctions(() => tokenizer, "o200k_base", "gpt-4o").estimateCost(5), "there is no modelSpec; gpt-tokenizer's prices are not here"],
    [() => plain.decode([200_018, 300_000]), "token id 300000 "],
    [() => plain.isWithinTokenLimit("a", "5"), 'the limit is "5"; expected a number of tokens'],
  ]) {
    assert.throws(call, ({ message }) => message.startsWith(said), said);
  }
  // What gpt-tokenizer passes over, or answers with an error of JavaScript's.
  const chat = [{ role: "user", content: "a" }];
  const ofModel = gptFunctions(() => tokenizer, "o200k_base", "gpt-4o");
  for (const [call, message] of [
    [() => plain.encode("a", { allowedSpecial: ["<|endoftext|>"] }), 'allowedSpecial is a list; expected a Set of special tokens, or "all"'],
    [() => plain.countTokens("a", { disallowedSpecial: "none" }), 'disallowedSpecial is "none"; expected a Set of special tokens, or "all"'],
    [() => plain.encode("a", { allowSpecial: "all" }), 'there is no option "allowSpecial"; expected allowedSpecial, disallowedSpecial'],
    [() => plain.encode("a", 5), "options is 5; expected an object with any of allowedSpecial, disallowedSpecial"],
    [() => ofModel.encodeChat(chat, undefined, { prime: "" }), 'there is no option "prime"; expected allowedSpecial, disallowedSpecial, primeWithAssistantResponse'],
    [() => ofModel.encodeChat(chat, undefined, { primeWithAssistantResponse: 5 }), 'primeWithAssistantResponse is 5; expected a string; "" for nothing'],
    [() => ofModel.encodeChat(5), "the chat is 5; expected a list of { role, content }"],
    [() => ofModel.encodeChat([null]), "a message is null; expected an object { role, content }"],
    [() => plain.decode(5), "ids is 5; expected a Uint32Array or another iterable of token ids; for one id, give [id]"],
    [() => [...plain.decodeGenerator(5)], "ids is 5; expected a Uint32Array or another iterable of token ids; for one id, give [id]"],
    [() => ofModel.countChatCompletionTokens(), "the request is undefined; expected an object with any of messages, tools, tool_choice, functions, function_call"],
    [() => ofModel.countChatCompletionTokens({ messages: chat, temperature: 1 }), 'there is no option "temperature"; expected messages, tools, tool_choice, functions, function_call'],
    [() => ofModel.countChatCompletionTokens({ messages: chat, response_format: {} }), 'there is no option "response_format"; expected messages, tools, tool_choice, functions, function_call'],
  ]) {
    assert.throws(call, { name: "WwhoError", status: "ARGUMENT", message });
  }
  assert.throws(() => [...plain.decodeGenerator([24_912, undefined, 2375])], { status: "TOKEN", message: /^token id undefined is not valid/ });
  for (const options of [null, { allowedSpecial: null, disallowedSpecial: null }]) assert.deepEqual(plain.encode("a", options), [64]);
  const tools = [{ type: "function", function: { name: "heat", description: "Heat the water" } }];
  const request = { messages: chat, tools, tool_choice: "none" };
  assert.equal(ofModel.countChatCompletionTokens(request), countChat(chat, "gpt-4o", { tools, tool_choice: "none", tokenizer }));
  assert.ok(ofModel.countChatCompletionTokens(request) > ofModel.countChatCompletionTokens({ messages: chat }) + 10);
  // Special tokens side by side, of which gpt-tokenizer loses the second.
  assert.deepEqual(plain.encode("<|endoftext|><|im_end|>b", { allowedSpecial: "all" }), [199_999, 200_004, 65]);
  let streamed = "";
  const ids = plain.encode("The kettle sings 😀, ගෙදර.");
  async function* model() {
    yield* ids;
  }
  for await (const part of plain.decodeAsyncGenerator(model())) streamed += part;
  assert.equal(streamed, "The kettle sings 😀, ගෙදර.");
  assert.equal(await plain.decodeAsync(model()), streamed);
  plain.setMergeCacheSize(0);
  plain.clearMergeCache();
});

for (const name of ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base"]) {
  test(`js-tiktoken, ${name}: encode and decode, on 300 texts`, async () => {
    const { default: ranks } = await import(`js-tiktoken/ranks/${name}`);
    const tokenizer = await getEncoding(name);
    const ourRanks = ranksOf(name, () => tokenizer);
    assert.deepEqual(ourRanks.special_tokens, ranks.special_tokens);
    for (const more of [undefined, { "<|im_start|>": 300_000, "හවස": 300_001 }]) {
      const [ours, theirs] = [new Tiktoken(ourRanks, more), new TheirTiktoken(ranks, more)];
      for (const [i, text] of texts.entries()) {
        const given = [[], ["all"], ["all", []], [["<|endoftext|>"]], [[], []], [["<|im_start|>"], ["<|endoftext|>"]], [[], ["kettle"]], [["<|im_start|>"], ["<|im_start|>"]], [["no such"]]];
        for (const options of i < 15 ? given : [given[i % given.length], [[], []]]) {
          assert.deepEqual(outcome(() => ours.encode(text, ...options)), outcome(() => theirs.encode(text, ...options)), `${JSON.stringify(text)} ${JSON.stringify(options)}`);
        }
        const ids = theirs.encode(text, "all");
        assert.equal(ours.decode(ids), theirs.decode(ids));
      }
    }
  });
}

test("js-tiktoken: the encodings of models, and what is refused", async () => {
  const types = readFileSync(new URL("tests/node_modules/js-tiktoken/dist/core-71f59181.d.ts", ROOT), "utf8");
  const listed = [...types.matchAll(/type TiktokenModel = (.*);/g)].flatMap(([, list]) => list.match(/(?<=")[^"|]+(?=")/g));
  assert.ok(listed.length > 90, String(listed.length));
  const disputed = listed.filter((model) => outcome(() => getEncodingNameForModel(model)).value !== theirNameFor(model));
  assert.deepEqual(disputed.sort(), ["babbage-002", "davinci-002"]);
  assert.throws(() => getEncodingNameForModel("davinci-002"), { status: "ARGUMENT", message: /p50k_base in js-tiktoken, cl100k_base in OpenAI's tiktoken/ });
  const { default: ranks } = await import("js-tiktoken/ranks/gpt2");
  assert.throws(() => new Tiktoken(ranks), { status: "ARGUMENT", message: /expected the default export of wwho\/compat\/js-tiktoken\/ranks/ });
  const tokenizer = await getEncoding("gpt2");
  const ours = ranksOf("gpt2", () => tokenizer);
  assert.throws(() => ours.bpe_ranks, { status: "ARGUMENT", message: /the ranks of gpt2 have no bpe_ranks/ });
  assert.throws(() => new Tiktoken(ours, { zz: 64 }), { status: "ARGUMENT", message: /it is that of "a"$/ });
  assert.throws(() => getEncodingNameForModel("gpt-oss-20b"), { status: "ARGUMENT", message: /js-tiktoken does not have its encoding, o200k_harmony/ });
  // The id of a special token that was there decodes to the new one.
  for (const each of [new Tiktoken(ours, { "<|user|>": 50_256 }), new TheirTiktoken(ranks, { "<|user|>": 50_256 })]) {
    assert.deepEqual(each.encode("<|user|><|endoftext|>", "all"), [50_256, 50_256]);
    assert.equal(each.decode([50_256]), "<|user|>");
  }
  assert.throws(() => new Tiktoken(ours).encode("a", "endoftext"), { status: "ARGUMENT" });
  assert.throws(() => new Tiktoken(ours).decode([60_000]), { status: "TOKEN" });
});
