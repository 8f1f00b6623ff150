// The page's own run of the automata, step by step, against what the core makes of the same text.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { getEncoding } from "../../web/package/node.js";
import { ROOT, TEXTS, bytesOf } from "./common.mjs";
import { fromSite } from "../../tools/site.mjs";

const { START, readAutomata, trace } = await fromSite("page/syllables/automaton.js");
const { GRAMMARS, classOf } = await fromSite("page/syllables/classes.js");

const RULES = ["syllable", "orphan", "passthrough"];
const wwho = await getEncoding("wwho_328k");
const automata = readAutomata(await bytesOf(new URL("py/wwho/models/wwho_328k.wwho", ROOT)));

test("segments, units and rules are the core's", () => {
  for (const text of [...TEXTS, "ක්‍ෂ\u200c ි ා\ud800ක", "क्ष्म्य्व ि ॐ ऽ१२"]) {
    const segments = text === "" ? [] : trace(automata, automata.router, text);
    const expected = wwho.segment(text);
    assert.deepEqual(segments.map(({ text: part }) => part), expected.map(({ text: part }) => part));
    segments.forEach(({ text: part, rule }, i) => {
      const { name, sgpe, scanner } = automata.routes[rule];
      assert.equal(name, expected[i].route);
      const pieces = trace(automata, scanner, part);
      assert.equal(pieces.map((piece) => piece.text).join(""), part);
      if (!sgpe) return;
      assert.deepEqual(pieces.map((piece) => piece.text), expected[i].units);
      assert.deepEqual(pieces.map((piece) => RULES[piece.rule]), expected[i].rules);
    });
  }
});

test("every step follows from the one before, and the last one ends the scan", () => {
  const route = automata.routes.find(({ name }) => name === "sinhala");
  const [first, second] = trace(automata, route.scanner, "ක්‍ෂිත");
  assert.equal(first.text, "ක්‍ෂි");
  assert.equal(second.text, "ත");
  assert.deepEqual(first.steps.map(({ text }) => text), ["ක", "්", "\u200d", "ෂ", "ි", "ත"]);
  assert.equal(first.steps[0].from, START);
  first.steps.slice(1).forEach(({ from }, i) => assert.equal(from, first.steps[i].to));
  assert.equal(first.steps.at(-1).to, 0);
  assert.ok(first.steps[4].accepts);
});

test("the names of the classes are those of the schemas", async () => {
  for (const [name, { grammar, classes }] of Object.entries(GRAMMARS)) {
    const schema = JSON.parse(await readFile(new URL(`schemas/${name}.json`, ROOT), "utf8"));
    assert.equal(grammar, schema.grammar);
    assert.deepEqual(classes.map((each) => each.name), Object.keys(schema.classes));
    for (const each of classes) {
      const ranges = schema.classes[each.name].ranges.map((range) => (Array.isArray(range) ? range : [range, range]));
      const hex = each.ranges.map((range) => range.map((code) => code.toString(16).toUpperCase().padStart(4, "0")));
      assert.deepEqual(hex, ranges, `${name} ${each.name}`);
    }
  }
  assert.equal(classOf(GRAMMARS.sinhala, 0xdca).name, "H");
  assert.equal(classOf(GRAMMARS.sinhala, 0x61), undefined);
  assert.equal(classOf(undefined, 0xdca), undefined);
});

test("a grammar is that of a file which was made from the shipped schema", async () => {
  assert.deepEqual(automata.routes.map(({ grammar }) => grammar), [undefined, GRAMMARS.sinhala, GRAMMARS.devanagari]);
  const { routes } = readAutomata(await bytesOf(new URL("tests/vectors/tiny.wwho", ROOT))); // it does not say from what
  assert.deepEqual(routes.map(({ name, grammar }) => [name, grammar]), [["other", undefined], ["sinhala", undefined], ["devanagari", undefined]]);
});
