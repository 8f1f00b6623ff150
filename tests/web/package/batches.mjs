// What the package makes of many texts at once, and with further special tokens: argv is a file of { models, texts, special }.

import { readFileSync } from "node:fs";

import { Tokenizer } from "wwho";

const { models, texts, special } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const pairs = [...texts].reverse();
const array = true;

/** What a call gives, or the status of its error. */
function outcome(call) {
  try {
    return call();
  } catch ({ status }) {
    return status;
  }
}

const found = [];
for (const model of models) {
  const enc = await Tokenizer.load(model);
  const more = enc.withSpecialTokens(Object.fromEntries(Object.entries(special).map(([text, id]) => [text, enc.info.nVocab + id])));
  found.push({
    batch: enc.encodeBatch(texts, { array }),
    paired: outcome(() => enc.encodeBatch(texts, { array, pairs, addSpecialTokens: true, allowedSpecial: "all" })),
    counts: enc.countBatch(texts),
    pairCounts: outcome(() => enc.countBatch(texts, { pairs, addSpecialTokens: true, allowedSpecial: "all" })),
    special: more.encodeBatch(texts, { array, allowedSpecial: "all" }),
    ordinary: more.encodeBatch(texts, { array }),
    file: Buffer.from(more.toBytes()).toString("base64"),
  });
}
console.log(JSON.stringify(found));
