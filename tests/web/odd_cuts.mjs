// node odd_cuts.mjs FILE...: random texts, cut at every place that is said to be safe. Prints, for each file, how many places
// there were, and one where the tokens of the parts are not those of the whole.

import { readFile } from "node:fs/promises";

import { Core } from "../../web/package/lib/core.js";
import { Tokenizer } from "../../web/package/node.js";
import { WASM, bytesOf, randomNumbers } from "./common.mjs";

const TEXTS = 2000;
const MOST_CHARACTERS = 30;
const ALPHABET = [..."aabbccddxxyy  \n.1é"];

const found = {};
for (const path of process.argv.slice(2)) {
  const blob = new Uint8Array(await readFile(path));
  const tokenizer = await Tokenizer.load(blob);
  const core = new Core(new WebAssembly.Module(await bytesOf(WASM)), blob);
  const random = randomNumbers(3);
  const result = { places: 0, wrong: null };
  for (let i = 0; i < TEXTS; i++) {
    const length = 1 + Math.floor(random() * MOST_CHARACTERS);
    const text = Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join("");
    const bytes = new TextEncoder().encode(text);
    const whole = tokenizer.encode(bytes).join();
    for (let place = bytes.length; (place = core.safeCut(bytes.subarray(0, place - 1), null)) > 0; result.places++) {
      const parts = [bytes.slice(0, place), bytes.slice(place)].flatMap((part) => [...tokenizer.encode(part)]);
      if (parts.join() !== whole) result.wrong ??= [text, place];
    }
  }
  found[path] = result;
}
console.log(JSON.stringify(found));
