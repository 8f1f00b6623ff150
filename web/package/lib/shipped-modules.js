// The encodings as modules, for every runtime except browsers. In the repository this reads their files; in the package,
// tools/build_npm.py replaces this file by one that imports each encoding.

import { readFileSync, readdirSync } from "node:fs";

import { Tokenizer, init } from "../node-tokenizer.js";
import { openOnce } from "./embedded.js";

const MODELS = new URL("../../../py/wwho/models/", import.meta.url);

/** @type {Readonly<Record<string, () => Promise<import("./encodings.js").Entry>>>} */
export const ENCODINGS = Object.fromEntries(
  readdirSync(MODELS)
    .filter((file) => file.endsWith(".wwho"))
    .map((file) => {
      const bytes = () => new Uint8Array(readFileSync(new URL(file, MODELS)));
      const load = openOnce(() => Tokenizer.loadSync(bytes()));
      return [file.slice(0, -".wwho".length), () => init().then(() => ({ bytes, load }))];
    }),
);
