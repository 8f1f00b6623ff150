// What the page lets stand in its text area.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSite } from "../../tools/site.mjs";

const { isEditable } = await fromSite("page/input/editable.js");


test("the longest line decides, and its script", () => {
  for (const [line, most] of [
    ["a", 120_000],
    ["漢", 120_000],
    ["я", 120_000],
    ["ක", 15_000],
    ["क", 15_000],
    ["م", 15_000],
    ["e\u0301", 13_000],
    ["😀", 7_500],
  ]) {
    const longest = line.repeat(most);
    assert.ok(isEditable(longest), `${line} ${most}`);
    assert.ok(!isEditable(longest + line.repeat(most / 4)), line);
    assert.ok(isEditable(`${longest}\n${longest}`), `two lines of ${line}`);
    assert.ok(isEditable(`${longest}\r\n${longest}`), `two lines of ${line}`);
  }
  assert.ok(!isEditable("a".repeat(60_000) + "ක".repeat(8_000)), "both count");
});

test("many short lines are few enough up to a limit of their own", () => {
  assert.ok(isEditable("ගෙදර යන පාරේ\n".repeat(20_000)));
  assert.ok(!isEditable("ගෙදර යන පාරේ\n".repeat(30_000)));
  assert.ok(isEditable(""));
});
