// What the page makes of tokens: their kinds, the syllables that they cut, the coloured pieces of a row, and their markup.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { filled } from "../../tools/gen_page.mjs";
import { getEncoding } from "../../web/package/node.js";
import { ROOT, TEXTS, bytesOf } from "./common.mjs";
import { fromSite } from "../../tools/site.mjs";

const { SHOWN, describe, describeAround, knowsUnits } = await fromSite("page/tokens.js");
const { MODELS, SHIPPED, choiceOf } = await fromSite("page/data/models.js");
const { linesOf } = await fromSite("page/show/markup.js");
const { cutsIn, cutsOf, piecesOf } = await fromSite("page/show/pieces.js");

const NAMES = ["cl100k_base", "o200k_base", "wwho_328k"];
const TOKENIZERS = await Promise.all(NAMES.map((name) => getEncoding(name)));
const MORE = [...TEXTS, "𓀀 අද්භුත ක්‍ෂිතිජය अद्भुत क्षितिज 👩‍👩‍👧 שָׁלוֹם\n\n x", "क्ष्म्य्व्ट्ठ्ळ", " ගෙදර", "\r\n\r\n", "ක්".repeat(300)];

/** @param {string} text */
const sidesOf = (text) => TOKENIZERS.map((tokenizer) => ({ tokenizer, encoded: tokenizer.encodeWithOffsets(text, { units: true }) }));
/** @param {string} text */
const described = (text) => describe(text, sidesOf(text));

test("pieces are the text, in order, and every token has one", async () => {
  for (const text of MORE) {
    const block = await described(text);
    block.rows.forEach((tokens, row) => {
      const pieces = piecesOf(block.text, tokens, block.places);
      assert.equal(pieces.map((piece) => piece.text).join(""), text, `${NAMES[row]}: ${JSON.stringify(text)}`);
      assert.deepEqual([...new Set(pieces.flatMap((piece) => piece.tokens))], tokens.map((_, i) => i));
      for (const piece of pieces) {
        assert.equal(text.slice(piece.start, piece.start + piece.text.length), piece.text);
        for (const i of piece.tokens) assert.ok(tokens[i].start < piece.start + piece.text.length && tokens[i].end > piece.start);
        if (!piece.cut) assert.equal(piece.tokens.length, 1);
      }
    });
  }
});

test("of a long text, a stretch is shown whose tokens are those of the whole, and all of it can be reached", async () => {
  const texts = [MORE.join(" ").repeat(8), "a".repeat(9000), "क्ष्म्य्व".repeat(1000), "𓀀".repeat(3000), "ක".repeat(7000)];
  for (const text of texts) {
    const sides = sidesOf(text);
    let [at, former] = [0, 0];
    for (let seen = 0; seen < text.length; ) {
      const { start, block } = await describeAround(text, sides, at, former);
      const end = start + block.text.length;
      assert.ok(start <= at && (at < end || at === text.length) && block.text.length >= Math.min(SHOWN, text.length - start));
      assert.equal(block.text, text.slice(start, end));
      sides.forEach(({ encoded: { ids, starts, ends } }, row) => {
        const inside = [...ids].filter((_, i) => starts[i] >= start && ends[i] <= end);
        assert.deepEqual(block.rows[row].map(({ id }) => id), inside, NAMES[row]);
        assert.equal(block.rows[row][0].start, 0);
        assert.equal(block.rows[row].at(-1).end, block.text.length);
      });
      assert.ok(end > seen, "it moves on");
      [at, former, seen] = [Math.min(text.length, end + SHOWN / 2), start, end];
    }
  }
});

test("a stretch begins with a whole syllable, and stays while the caret lies well inside", async () => {
  const text = "क्ष्म्य्व".repeat(1000);
  const { start, block } = await describeAround(text, sidesOf(text), 5000, 0);
  assert.ok(start > 0 && block.text.startsWith("क्ष्म्य्व"));
  assert.equal((await describeAround(text, sidesOf(text), start + 100, start)).start, start);
});

test("what is cut is what a token begins inside of", async () => {
  for (const text of MORE) {
    const { places, rows } = await described(text);
    for (const tokens of rows) {
      const inside = tokens.filter(({ start }, i) => i > 0 && (!places.includes(start) || tokens[i - 1].end > start));
      const expected = new Set(inside.map(({ start }) => places.findLast((place) => place <= start)));
      assert.deepEqual(cutsOf(tokens, places).map(([from]) => from), [...expected]);
    }
  }
});

test("wwho_328k cuts no syllable of its vocabulary, the others do", async () => {
  const block = await described("අද්භුත ක්‍ෂිතිජය अद्भुत क्षितिज");
  assert.equal(cutsIn([block], 2), "cuts nothing");
  assert.match(cutsIn([block], 1), /^cuts \d+ of 13 syllables$/);
  assert.match(cutsIn([block], 0), /^cuts \d+ of 13 syllables$/);
  assert.equal(cutsIn([await described("𓀀 and 𓀀")], 1), "cuts 2 characters");
});

test("kinds and bytes", async () => {
  const kinds = async (/** @type {string} */ text) => (await described(text)).rows[2].map(({ kind }) => kind);
  assert.deepEqual(await kinds("ඔයා 1 अद्भुत"), ["syllables", "base", "base", "syllables"]);
  const rare = await kinds("क्ष्म्य्व्ट्ठ्ळ");
  assert.ok(rare.length > 1 && rare.every((kind) => kind === "fallback"));
  const split = (await described("𓀀")).rows[1];
  assert.ok(split.length > 1);
  assert.deepEqual(split.flatMap(({ bytes }) => [...bytes]), [...new TextEncoder().encode("𓀀")]);
  assert.ok((await described("අද්")).rows[1].every(({ start, end }) => end > start));
});

test("kinds depend on the model of a unit's route, whatever its number", async () => {
  const models = [{ firstId: 100, nIds: 10 }, { firstId: 0, nIds: 100 }];
  const routes = [{ model: 1, hasUnits: false }, { model: 0, hasUnits: true }];
  const tokenizer = { info: { models, routes }, tokenBytes: () => new Uint8Array() };
  const encoded = { ids: [5, 100, 6], starts: [0, 1, 2], ends: [1, 2, 3], unitStarts: [0, 1, 2], unitEnds: [1, 2, 3], unitRoutes: [0, 1, 1] };
  const { rows, syllables } = await describe("aකम", [{ tokenizer, encoded }]);
  assert.deepEqual(rows[0].map(({ kind }) => kind), ["base", "syllables", "fallback"]);
  assert.deepEqual(syllables, [1, 2]);
});

test("syllables are known to tokenizers that have other text too, by whatever name", () => {
  const known = (...given) => knowsUnits({ info: { routes: given.map((hasUnits) => ({ name: "text", hasUnits })) } });
  assert.deepEqual([known(true), known(false), known(false, true)], [false, false, true]);
});

test("markup has each character once, and nothing of the text is markup", async () => {
  const text = "<b>&amp;\n<i class=\"token\">\u200d\u00a0 \0\t</i>";
  const block = await described(text);
  for (const tokens of block.rows) {
    const html = linesOf(block, tokens, "text").html.join("");
    const shown = html.replace(/<[^>]*>/g, "").replaceAll("&nbsp;", "\u00a0").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    assert.equal(shown, text.replace("\0", "\u2400"));
    assert.ok(!html.includes("<b>"));
    const { html: ids } = linesOf(block, tokens, "ids");
    assert.deepEqual(ids.join("").replace(/<[^>]*>/g, "").split("\n").map(Number), tokens.map(({ id }) => id));
    const bytes = linesOf(block, tokens, "bytes").html.join("").replace(/<[^>]*>/g, "").replace(/\s/g, "");
    assert.equal(Buffer.from(bytes, "hex").toString(), text);
  }
});

test("index.html has the numbers and tokens that the tokenizers make", async () => {
  const html = await readFile(new URL("web/site/index.html", ROOT), "utf8");
  assert.equal(await filled(html), html, "node tools/gen_page.mjs writes them");
  const wrong = html.replace(/(id="count-1"[^>]*>)\d+/, "$1999");
  assert.notEqual(wrong, html);
  assert.equal(await filled(wrong), html);
});

test("the models of the menus: names that people know, sizes of the files that they need", async () => {
  for (const [name, { bytes }] of Object.entries(SHIPPED)) {
    assert.equal((await bytesOf(new URL(`py/wwho/models/${name}.wwho`, ROOT))).length, bytes, name);
  }
  assert.deepEqual(choiceOf("gpt-4o"), { label: "GPT-4o", encoding: "o200k_base", price: 2.5, priced: "GPT-4o" });
  assert.equal(choiceOf("gpt-4").encoding, "cl100k_base");
  assert.equal(MODELS.get("gpt-5-mini")?.label, "GPT-5 mini");
  assert.ok([...MODELS.values()].every(({ encoding, price }) => encoding in SHIPPED && price > 0));
});
