// A text and settings through the fragment of an address.

import assert from "node:assert/strict";
import { test } from "node:test";

import { TEXTS } from "./common.mjs";
import { fromSite } from "../../tools/site.mjs";

const { fromFragment, toFragment } = await fromSite("page/share/permalink.js");

const MESSAGES = [{ role: "user", content: "ගෙදර" }, { role: "assistant", content: "" }];
const SETTINGS = { messages: MESSAGES, rows: ["gpt-4o", null, "wwho_328k"], price: 2.5, texts: 1000 };

test("there and back", async () => {
  for (const text of [...TEXTS, TEXTS.join("\n").repeat(50)]) {
    const fragment = await toFragment({ text, ...SETTINGS });
    assert.match(fragment, /^#[zj][\w-]+$/);
    assert.deepEqual(await fromFragment(fragment), { text, ...SETTINGS });
  }
});

test("a long text is compressed", async () => {
  const text = TEXTS.join("\n").repeat(50);
  assert.ok((await toFragment({ text })).length < text.length / 10);
});

test("other fragments are none of ours", async () => {
  for (const fragment of ["", "#", "#text", "#title-files"]) assert.equal(await fromFragment(fragment), undefined);
});

test("a damaged one says so, and none fills the memory", async () => {
  const fragment = await toFragment({ text: TEXTS.join("\n") });
  const bomb = await toFragment({ text: "a".repeat(30_000_000) });
  assert.ok(bomb.length < 60_000);
  for (const bad of [fragment.slice(0, -9), "#z!!!", "#jAAAA", "#z", bomb, `#j${btoa('{"text":1}')}`]) {
    await assert.rejects(fromFragment(bad), /damaged/);
  }
});

test("settings of the wrong type are left out", async () => {
  const fragment = `#j${btoa(JSON.stringify({ text: "x", messages: [{ role: "admin", content: "" }], rows: "a", price: "2", texts: 0, other: true }))}`;
  assert.deepEqual(await fromFragment(fragment), { text: "x" });
  assert.deepEqual(await fromFragment(`#j${btoa('{"text":"x","rows":["a",1]}')}`), { text: "x", rows: ["a", null] });
  assert.deepEqual(await fromFragment(`#j${btoa('{"text":"x","price":1e309,"texts":1e309}')}`), { text: "x" });
});
