// Run with LangChain's splitter and with ours in its place: both print the same. LangChain's would fetch its ranks: it is given js-tiktoken's.

import { getEncoding } from "js-tiktoken";

import { RecursiveCharacterTextSplitter, TokenTextSplitter } from "@langchain/textsplitters";
import { texts } from "./texts.mjs";

const join = [...texts.keys()].filter((i) => i % 10 === 0).map((i) => texts.slice(i, i + 10).join("\n"));
for (const fields of [{}, { chunkSize: 7, chunkOverlap: 3 }, { encodingName: "cl100k_base", chunkSize: 20, chunkOverlap: 0, disallowedSpecial: [] }, { encodingName: "o200k_base", chunkSize: 5, chunkOverlap: 4, allowedSpecial: "all" }]) {
  const splitter = new TokenTextSplitter(fields);
  splitter.tokenizer = getEncoding(fields.encodingName ?? "gpt2");
  for (const text of [...texts, ...join]) {
    if (!fields.disallowedSpecial && !fields.allowedSpecial && text.includes("<|")) continue;
    console.log(JSON.stringify(await splitter.splitText(text)));
  }
  const documents = await splitter.createDocuments(["The kettle sings. ".repeat(40)], [{ id: 1 }]);
  console.log(JSON.stringify(documents), TokenTextSplitter.lc_name());
}
console.log(await new RecursiveCharacterTextSplitter({ chunkSize: 20, chunkOverlap: 0 }).splitText("The kettle sings. The kettle boils."));
