// Every step of the automata, against what the core makes of the same text; and the grammars that the page shows beside them.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { grammars, scriptCorpus } from "../../tools/gen_page.mjs";
import { fromSite } from "../../tools/site.mjs";
import { getEncoding as inWorker } from "../../web/package/node-worker.js";
import { Tokenizer, getEncoding } from "../../web/package/node.js";
import { ROOT, TEXTS } from "./common.mjs";

const wwho = await getEncoding("wwho_328k");

test("segments, units and rules are the core's", () => {
  for (const text of [...TEXTS, "ක්‍ෂ\u200c ි ා\ud800ක", "क्ष्म्य्व ि ॐ ऽ१२"]) {
    const traced = wwho.trace(text);
    const expected = wwho.segment(text);
    assert.deepEqual(
      traced.map(({ route, text: part, start, end }) => ({ route, text: part, start, end })),
      expected.map(({ route, text: part, start, end }) => ({ route, text: part, start, end })),
    );
    traced.forEach(({ text: part, units }, i) => {
      assert.equal(units.map((unit) => unit.text).join(""), part);
      if (expected[i].units.length === 0) return assert.ok(units.every(({ rule }) => rule === "piece"));
      assert.deepEqual(units.map((unit) => unit.text), expected[i].units);
      assert.deepEqual(units.map((unit) => unit.rule), expected[i].rules);
    });
  }
});

test("every step follows from the one before, and the last one ends the unit", () => {
  const [{ route, states, units }] = wwho.trace("ක්‍ෂිත");
  assert.equal(route, "sinhala");
  assert.deepEqual(units.map(({ text }) => text), ["ක්‍ෂි", "ත"]);
  const { steps } = units[0];
  assert.deepEqual(steps.map(({ text }) => text), ["ක", "්", "\u200d", "ෂ", "ි", "ත"]);
  assert.equal(steps[0].from, 1);
  steps.slice(1).forEach(({ from }, i) => assert.equal(from, steps[i].to));
  assert.ok(steps.every(({ to, class: number }) => to <= states && number > 0));
  assert.equal(steps.at(-1).to, 0);
  assert.ok(steps[4].accepts && !steps[5].accepts);
  assert.deepEqual(units[1].steps.at(-1), { text: "", class: 0, from: units[1].steps[0].to, to: 0, accepts: false });
});

test("also of bytes, of a tokenizer of one's own, and in a Worker", async () => {
  const text = "ok ශ්‍රී लंका";
  const tiny = await Tokenizer.load(new URL("tests/vectors/tiny.wwho", ROOT));
  assert.deepEqual(tiny.trace(new TextEncoder().encode(text)), tiny.trace(text));
  const there = await inWorker("wwho_328k");
  assert.deepEqual(await there.trace(text), wwho.trace(text));
  there.free();
  tiny.free();
  assert.throws(() => tiny.trace(text), { status: "FREED" });
  assert.throws(() => wwho.trace(7), { status: "ARGUMENT" });
});

test("the grammars of the page are those of the schemas, of which wwho_400k was made", async () => {
  assert.equal(await readFile(new URL("web/site/page/syllables/grammars.js", ROOT), "utf8"), await grammars(), "node tools/gen_page.mjs writes them");
  const { CLASSES, GRAMMARS } = await fromSite("page/syllables/grammars.js");
  const { info, provenance } = await getEncoding("wwho_400k");
  assert.deepEqual(
    Object.keys(GRAMMARS),
    info.routes.filter(({ hasUnits }) => hasUnits).map(({ name }) => name).sort(),
  );
  for (const [name, { source, classes, groups }] of Object.entries(GRAMMARS)) {
    assert.equal(source, provenance[`schema:${name}`]);
    assert.ok(Object.values(groups).flat().every((each) => each in classes));
    assert.ok(Object.keys(classes).every((each) => each in CLASSES));
  }
  const { C } = GRAMMARS.khmer.classes;
  assert.deepEqual(C, [[0x1780, 0x17a2]]);
});

test("a model of SCRIPT: its pieces, and each character's block and index", async () => {
  const script = await Tokenizer.load(new URL("web/site/page/syllables/script.wwho", ROOT));
  assert.equal(script.provenance.corpus, `sha256 ${createHash("sha256").update(scriptCorpus()).digest("hex")}`, "node tools/gen_page.mjs makes it");
  const text = "The ගමේ, e\u0301 42漢ひ\ue000!";
  const traced = script.trace(text);
  assert.deepEqual(traced.map((piece) => piece.text), ["The", " ගමේ", ",", " e\u0301", " ", "42", "漢ひ", "\ue000", "!"]);
  for (const piece of traced) assert.equal(text.slice(piece.start, piece.end), piece.text);
  const written = traced.flatMap(({ units }) => units.map((unit) => [unit.text, unit.rule, unit.block, ...unit.symbols]));
  const [space, latin] = [["character", "Common Z", 1536, 2], ["character", "Latin LM", 1549]]; // the paper's ids, less the 1 of its padding
  assert.deepEqual(written.slice(0, 5), [["T", ...latin, 19], ["h", ...latin, 33], ["e", ...latin, 30], [" ", ...space], ["ග", "character", "Sinhala LM", 1638, 23]]);
  assert.deepEqual(written.at(-2), ["\ue000", "bytes", undefined, 2154, 2044, 2044]);
  // A character that no token is made of stands in the ids as its symbols do.
  assert.deepEqual([...script.encode("ҧ\ue000")], script.trace("ҧ\ue000").flatMap(({ units }) => units.flatMap(({ symbols }) => symbols)));
  const broken = new Uint8Array([0x61, 0xff, 0xe2, 0x82, 0x62]);
  assert.deepEqual(script.trace(broken).flatMap(({ start, units }) => [start, units.map(({ rule }) => rule)]), [0, ["character"], 1, ["bytes", "bytes", "bytes"], 4, ["character"]]);
  assert.deepEqual(script.trace(""), []);
  assert.throws(() => script.trace(7), { status: "ARGUMENT" });
  script.free();
});
