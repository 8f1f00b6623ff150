// Messages of the AI SDK and of LangChain become OpenAI's: with their own classes, and as the AI SDK itself converts them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { AIMessage, ChatMessage, FunctionMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { convertToModelMessages } from "ai";

import { countChat, fitChat, fromAISDK, fromLangChain } from "../../web/package/node-openai.js";
import { getEncoding } from "../../web/package/node.js";

const tokenizer = await getEncoding("o200k_base");
const count = (messages) => countChat(messages, "gpt-4o", { tokenizer });
const refused = (message) => ({ name: "WwhoError", status: "ARGUMENT", message });
/** The smallest PNG, of one pixel. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const call = (id, name, input) => ({ type: "function", id, function: { name, arguments: JSON.stringify(input) } });
const reasoning = (text) => ({ type: "reasoning", summary: [{ type: "summary_text", text }] });
const CHAT = [
  { role: "system", content: "You boil water." },
  { role: "user", content: "Heat it" },
  reasoning("Water boils at 100."),
  { role: "assistant", content: "Well.", tool_calls: [call("a", "heat", { degrees: 100 }), call("b", "sing", {})] },
  { role: "tool", tool_call_id: "a", content: "hot" },
  { role: "tool", tool_call_id: "b", content: '{"song":"whee"}' },
  { role: "assistant", content: "It sings." },
];

const UI = [
  { id: "1", role: "system", parts: [{ type: "text", text: "You boil water." }] },
  { id: "2", role: "user", metadata: { at: 5 }, parts: [{ type: "text", text: "Heat it" }] },
  {
    id: "3",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Water boils at 100.", state: "done" },
      { type: "text", text: "Well.", state: "done" },
      { type: "tool-heat", toolCallId: "a", state: "output-available", input: { degrees: 100 }, output: "hot" },
      { type: "dynamic-tool", toolName: "sing", toolCallId: "b", state: "output-available", input: {}, output: { song: "whee" } },
      { type: "source-url", sourceId: "s", url: "https://example.org", title: "Kettles" },
      { type: "data-weather", data: { degrees: 20 } },
      { type: "step-start" },
      { type: "text", text: "It sings." },
    ],
  },
];

test("messages that a page shows become OpenAI's, as the AI SDK converts them", async () => {
  assert.deepEqual(fromAISDK(UI), CHAT);
  assert.deepEqual(fromAISDK(await convertToModelMessages(UI)), CHAT);
  assert.equal(count(fromAISDK(UI)), count(CHAT));
});

test("states of tools: what a model gets of each", async () => {
  const states = [
    { state: "input-available", input: { degrees: 1 } },
    { state: "output-error", input: { degrees: 2 }, errorText: "too cold" },
    { state: "output-denied", input: { degrees: 3 }, approval: { id: "x", approved: false, reason: "no gas" } },
    { state: "output-available", input: { degrees: 4 }, output: [1, 2] },
  ];
  const parts = states.map((each, i) => ({ type: "tool-heat", toolCallId: `c${i}`, ...each }));
  const [assistant, ...answers] = fromAISDK([{ id: "1", role: "assistant", parts }]);
  assert.equal(assistant.content, null);
  assert.deepEqual(assistant.tool_calls.map((each) => each.function.arguments), [1, 2, 3, 4].map((degrees) => `{"degrees":${degrees}}`));
  assert.deepEqual(answers.map(({ tool_call_id: id, content }) => [id, content]), [["c1", "too cold"], ["c2", "no gas"], ["c3", "[1,2]"]]);
  const converted = fromAISDK(await convertToModelMessages([{ id: "1", role: "assistant", parts }]));
  assert.deepEqual(converted.slice(1), answers);
});

test("images of the AI SDK have the size that their bytes say", () => {
  const url = `data:image/png;base64,${DOT}`;
  const bytes = Uint8Array.from(atob(DOT), (character) => character.charCodeAt(0));
  const content = [{ type: "text", text: "What is it?" }];
  const expected = count([{ role: "user", content: [...content, { type: "image_url", image_url: { url } }] }]);
  assert.equal(expected, count([{ role: "user", content }]) + 85 + 170);
  const images = [
    { type: "image", image: bytes },
    { type: "image", image: DOT, mediaType: "image/png" },
    { type: "image", image: new URL(url) },
    { type: "file", data: bytes, mediaType: "image/png" },
    { type: "file", data: { type: "data", data: bytes }, mediaType: "image/png" },
    { type: "file", data: { type: "url", url: new URL(url) }, mediaType: "image" },
  ];
  for (const image of images) assert.equal(count(fromAISDK([{ role: "user", content: [...content, image] }])), expected, image.type);
  assert.equal(count(fromAISDK([{ id: "1", role: "user", parts: [...content, { type: "file", mediaType: "image/png", url }] }])), expected);
  const result = { type: "content", value: [{ type: "text", text: "What is it?" }, { type: "image-data", data: DOT, mediaType: "image/png" }] };
  const [answer] = fromAISDK([{ role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "t", output: result }] }]);
  assert.equal(count([answer]), expected - 2); // the answer of a tool costs 2 less
});

test("what OpenAI's messages have no place for is refused by its name", () => {
  const sdk = (part) => () => fromAISDK([{ role: "user", content: [part] }]);
  assert.throws(sdk({ type: "file", data: "AAAA", mediaType: "application/pdf" }), refused(/type "file" and media type "application\/pdf"/));
  assert.throws(sdk({ type: "custom", kind: "openai.compaction" }), refused(/type "custom"/));
  assert.throws(sdk({ type: "image", image: { openai: "file-1" } }), refused(/an image is of type object/));
  assert.throws(() => fromAISDK([{ role: "assistant", content: "a", toolInvocations: [{}] }]), refused(/"toolInvocations"/));
  assert.throws(() => fromAISDK("a"), refused(/^messages is "a"/));
  const output = { type: "content", value: [{ type: "file-id", fileId: "f" }] };
  assert.throws(() => fromAISDK([{ role: "tool", content: [{ type: "tool-result", toolCallId: "a", output }] }]), refused(/"file-id"/));
  assert.throws(() => count(UI), refused(/fromAISDK/));
  assert.throws(() => fromLangChain([{ role: "user", content: "a" }]), refused(/^the type of a message is undefined/));
  const odd = new AIMessage({ content: "a", additional_kwargs: { reasoning_content: "b" } });
  assert.throws(() => fromLangChain([odd]), refused(/"reasoning_content"/));
  assert.throws(() => count([new HumanMessage("a")]), refused(/fromLangChain/));
  assert.throws(() => count(fromLangChain([new HumanMessage({ content: [{ type: "audio", data: "AAAA" }] })])), refused(/"audio"/));
});

test("messages of LangChain become OpenAI's", () => {
  const messages = [
    new SystemMessage("You boil water."),
    new HumanMessage("Heat it"),
    new AIMessage({
      content: [{ type: "reasoning", reasoning: "Water boils at 100." }, { type: "text", text: "Well." }],
      tool_calls: [{ id: "a", name: "heat", args: { degrees: 100 } }, { id: "b", name: "sing", args: {} }],
    }),
    new ToolMessage({ content: "hot", tool_call_id: "a", name: "heat", artifact: { raw: 1 } }),
    new ToolMessage({ content: '{"song":"whee"}', tool_call_id: "b" }),
    new AIMessage({ content: "It sings.", usage_metadata: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } }),
  ];
  const converted = fromLangChain(messages);
  assert.equal(count(converted), count(CHAT));
  assert.deepEqual(converted.map(({ role, type }) => role ?? type), CHAT.map(({ role, type }) => role ?? type));
  assert.deepEqual(converted[3].tool_calls, CHAT[3].tool_calls);
  // A limit that only the last answer and the system message fit into: the calls go with their answers.
  const limit = count([CHAT[0], CHAT[6]]) + 30;
  assert.deepEqual(fitChat(converted, "gpt-4o", { tokenizer, limit }).messages, [converted[0], converted[6]]);
});

test("other classes of LangChain, names, images and raw calls", () => {
  const raw = { id: "a", type: "function", function: { name: "heat", arguments: "{" } };
  const messages = [
    new SystemMessage({ content: "You boil.", additional_kwargs: { __openai_role__: "developer" } }),
    new ChatMessage("Boil", "user"),
    new HumanMessage({ content: "Heat it", name: "ann" }),
    new AIMessage({ content: "", additional_kwargs: { tool_calls: [raw] } }),
    new FunctionMessage({ content: "hot", name: "heat" }),
    new HumanMessage({ content: [{ type: "image_url", image_url: { url: "https://example.org/a.png", detail: "low" } }, { type: "image", data: DOT, mimeType: "image/png" }] }),
  ];
  const converted = fromLangChain(messages);
  assert.deepEqual(converted.map(({ role, name }) => [role, name]), [
    ["developer", undefined],
    ["user", undefined],
    ["user", "ann"],
    ["assistant", undefined],
    ["function", "heat"],
    ["user", undefined],
  ]);
  assert.equal(converted[3].tool_calls[0].function.arguments, "{");
  assert.equal(count(converted.slice(5)), 7 + 85 + 85 + 170);
});
