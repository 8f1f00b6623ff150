// Writes what wasm/include/wwho.h declares for JavaScript and Python: its numbers, and the names of its statuses.
//
//     node tools/gen_header.mjs

import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const HEADER = new URL("../wasm/include/wwho.h", import.meta.url);
const ABOUT = "Written by tools/gen_header.mjs";

/** The files, by their address: in JavaScript a line for the macros, one for each enum, and one for the names. */
export async function files() {
  const text = (await readFile(HEADER, "utf8")).replace(/\/\*[^]*?\*\//g, "");
  const macros = text.match(/^#define WWHO_\w+ \d+$/gm)?.join() ?? "";
  const lists = [macros, ...(text.match(/(?<=^enum \{)[^}]*/gm) ?? [])].map((list) => [...list.matchAll(/WWHO_(\w+) (?:= )?(\d+)/g)]);
  const numbers = lists.map((list) => `export const ${list.map(([, name, value]) => `${name} = ${value}`).join(", ")};\n`);
  const names = lists[1].map(([, name, value]) => `${value}: "${name}"`);
  return {
    "web/package/lib/header.js":
      `// The numbers of wasm/include/wwho.h, without their prefix, and the names of statuses. ${ABOUT}.\n\n` +
      `${numbers.join("")}/** @type {Record<number, string>} */\nexport const STATUSES = { ${names.join(", ")} };\n`,
    "py/wwho/core/statuses.py":
      `"""The names of the statuses of wasm/include/wwho.h, without their prefix.\n\n${ABOUT}.\n"""\n\n` +
      `STATUSES = {\n${names.map((name) => `    ${name},\n`).join("")}}\n`,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [path, text] of Object.entries(await files())) await writeFile(new URL(`../${path}`, import.meta.url), text);
}
