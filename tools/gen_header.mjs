// Writes web/package/lib/header.js: the numbers that wasm/include/wwho.h declares, for JavaScript.
//
//     node tools/gen_header.mjs

import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const HEADER = new URL("../wasm/include/wwho.h", import.meta.url);
export const MODULE = new URL("../web/package/lib/header.js", import.meta.url);

/** The module: a line for the macros, and one for each enum. */
export async function module() {
  const text = (await readFile(HEADER, "utf8")).replace(/\/\*[^]*?\*\//g, "");
  const lists = [text.match(/^#define WWHO_\w+ \d+$/gm)?.join() ?? "", ...(text.match(/(?<=^enum \{)[^}]*/gm) ?? [])];
  const lines = lists.map((list) => Array.from(list.matchAll(/WWHO_(\w+) (?:= )?(\d+)/g), ([, name, value]) => `${name} = ${value}`).join(", "));
  return `// The numbers of wasm/include/wwho.h, without their prefix. Written by tools/gen_header.mjs.\n\n${lines.map((line) => `export const ${line};\n`).join("")}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await writeFile(MODULE, await module());
