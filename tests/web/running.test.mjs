// The count of a text that is edited is always the count of the whole text.

import assert from "node:assert/strict";
import { test } from "node:test";

import { getEncoding } from "../../web/package/node.js";
import { ROOT, TEXTS, bytesOf, randomNumbers } from "./common.mjs";
import { fromSite } from "../../tools/site.mjs";

const { Cuts } = await fromSite("page/count/cuts.js");
const { Running } = await fromSite("page/count/running.js");

const PIECES = [...TEXTS, ...TEXTS.flatMap((text) => [...text]), " ගෙදර", " यहाँ", "\n", " "];

for (const name of ["o200k_base", "cl100k_base", "wwho_328k", "wwho_super_328k"]) {
  test(`${name}: hundreds of edits`, async () => {
    const tokenizer = await getEncoding(name);
    const running = new Running(tokenizer, new Cuts(await bytesOf(new URL(`py/wwho/models/${name}.wwho`, ROOT))));
    const random = randomNumbers(5);
    const below = (/** @type {number} */ most) => Math.floor(random() * most);
    const some = (/** @type {number} */ most) => Array.from({ length: below(most) }, () => PIECES[below(PIECES.length)]).join("");
    let text = some(2000);
    for (let i = 0; i < 250; i++) {
      const at = below(text.length + 1);
      const [gone, come] = random() < 0.1 ? [4000, 1200] : [4, 5];
      text = text.slice(0, at) + some(come) + text.slice(at + below(gone));
      assert.equal(running.update(text), tokenizer.countTokens(text), `edit ${i}`);
    }
  });
}

test("only the parts that an edit touches are counted again", async () => {
  const tokenizer = await getEncoding("wwho_super_328k");
  let units = 0;
  const watched = { countTokens: (/** @type {string} */ text) => ((units += text.length), tokenizer.countTokens(text)) };
  const cuts = new Cuts(await bytesOf(new URL("py/wwho/models/wwho_super_328k.wwho", ROOT)));
  const running = new Running(watched, cuts);
  const text = "ගෙදර යන පාරේ මල් පිපිලා තිබුණා. ".repeat(4000);
  running.update(text);
  assert.equal(units, text.length);
  units = 0;
  const edited = `${text.slice(0, 60_000)}x${text.slice(60_000)}`;
  assert.equal(running.update(edited), tokenizer.countTokens(edited));
  assert.ok(units < 10_000, `${units} units`);
});
