// What the package makes of texts by every method: argv is a file of { models, texts, limit }. Offsets and places are in code points, as
// Python has them.

import { readFileSync } from "node:fs";

import { Tokenizer } from "wwho";

const { models, texts, limit } = JSON.parse(readFileSync(process.argv[2], "utf8"));

/** From UTF-16 units to code points. */
function pointsOf(text) {
  const points = [];
  for (let i = 0, n = 0; i <= text.length; i++) {
    points.push(n);
    if (!/[\ud800-\udbff]/.test(text[i] ?? "") || !/[\udc00-\udfff]/.test(text[i + 1] ?? "")) n++;
  }
  return points;
}

function outcome(make) {
  try {
    return make();
  } catch ({ status }) {
    return status === undefined ? undefined : "error";
  }
}

/** @param {{ ids: Uint32Array, starts: Uint32Array, ends: Uint32Array }} found */
const placed = ({ ids, starts, ends }, points) => [[...ids], [...starts].map((start, i) => [points[start], points[ends[i]]])];

const found = [];
for (const file of models) {
  const tokenizer = await Tokenizer.load(file);
  const allowedSpecial = "all";
  const around = [{}, { addSpecialTokens: true }];
  for (const [i, text] of texts.entries()) {
    const pair = texts[(i + 1) % texts.length];
    const points = pointsOf(text);
    const ids = tokenizer.encode(text, { array: true });
    found.push({
      ids,
      special: tokenizer.encode(text, { allowedSpecial, array: true }),
      around: tokenizer.encode(text, { addSpecialTokens: true, array: true }),
      pair: outcome(() => tokenizer.encode(text, { pair, addSpecialTokens: true, array: true })),
      offsets: placed(tokenizer.encodeWithOffsets(text, { allowedSpecial }), points),
      // Of two texts, units and code points are the same where neither has a character beyond U+FFFF.
      pairOffsets: outcome(() => placed(tokenizer.encodeWithOffsets(text, { pair, addSpecialTokens: true }), [...Array(text.length + pair.length + 1).keys()])),
      count: [{}, { allowedSpecial }, { addSpecialTokens: true }].map((options) => tokenizer.countTokens(text, options)),
      pairCount: [{}, { allowedSpecial }, { addSpecialTokens: true }].map((options) => tokenizer.countTokens(text, { ...options, pair })),
      within: [0, 1, limit, ids.length].flatMap((most) =>
        [{}, { pair }].flatMap((given) => around.map((options) => tokenizer.isWithinTokenLimit(text, most, { ...given, ...options }))),
      ),
      truncated: [0, 1, limit].flatMap((most) => around.map((options) => outcome(() => tokenizer.truncate(text, most, options)))),
      chunks: [{}, { overlap: 2 }, { prefer: "token" }, { oversize: "keep" }, { oversize: "error" }, { addSpecialTokens: true }].map((options) =>
        outcome(() => tokenizer.chunk(text, limit, options).map(({ text, start, end, tokens }) => [text, points[start], points[end], tokens])),
      ),
      decoded: [false, true].map((skipSpecialTokens) => tokenizer.decode(tokenizer.encode(text, { allowedSpecial }), { skipSpecialTokens })),
    });
  }
}
console.log(JSON.stringify(found));
