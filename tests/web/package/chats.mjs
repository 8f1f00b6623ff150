// wwho/chat in Node: argv is a file of { models: [{ file, template }], chats: [{ messages, options }] }. Says the ids of each chat by each
// model, or the status of what refuses it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { applyChatTemplate, countChat, renderChat } from "wwho/chat";
import { Tokenizer } from "wwho/tokenizer";
import { WorkerTokenizer } from "wwho/worker";

const { models, chats } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const common = createRequire(import.meta.url)("wwho/chat"); // CommonJS
const found = [];
for (const file of models) {
  const tokenizer = await Tokenizer.load(file);
  const pool = await WorkerTokenizer.load(file);
  for (const { messages, options } of chats) {
    try {
      const ids = applyChatTemplate(tokenizer, messages, { ...options, array: true });
      const { length } = ids;
      const text = tokenizer.decode(ids);
      const same =
        countChat(tokenizer, messages, options) === length &&
        (await countChat(pool, messages, options)) === length &&
        (await applyChatTemplate(pool, messages, options)).length === length &&
        renderChat(tokenizer, messages, options) === text &&
        common.renderChat(tokenizer, messages, options) === text;
      found.push({ ids, same });
    } catch ({ status, message }) {
      found.push({ status, message });
    }
  }
  pool.free();
}
console.log(JSON.stringify(found));
