// Writes what wasm/include/wwho.h declares for JavaScript and Python: its numbers, and the names of its statuses.
//
//     node tools/gen_header.mjs

import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const HEADER = new URL("../wasm/include/wwho.h", import.meta.url);
const ABOUT = ["The numbers of wasm/include/wwho.h, without their prefix, and the names of statuses.", "Written by tools/gen_header.mjs."];

/** The files, by their path: lines for the macros, for each enum, and for the names. */
export async function files() {
  const text = (await readFile(HEADER, "utf8")).replace(/\/\*[^]*?\*\//g, "");
  const macros = text.match(/^#define WWHO_\w+ \d+$/gm)?.join() ?? "";
  const lists = [macros, ...(text.match(/(?<=^enum \{)[^}]*/gm) ?? [])].map((list) =>
    Array.from(list.matchAll(/WWHO_(\w+) (?:= )?(\d+)/g), ([, name, value]) => ({ name, value })),
  );
  const names = lists[1].map(({ name, value }) => `${value}: "${name}"`);
  const lines = lists.map((list) => list.map(({ name, value }) => `${name} = ${value}`));
  return {
    "web/package/lib/header.js":
      `// ${ABOUT.join(" ")}\n\n${lines.map((each) => `export const ${each.join(", ")};\n`).join("")}` +
      `/** @type {Record<number, string>} */\nexport const STATUSES = { ${names.join(", ")} };\n`,
    "py/wwho/core/header.py":
      `"""${ABOUT.join("\n\n")}\n"""\n\n${lines.map((each) => each.join("\n")).join("\n\n")}\n\n` +
      `STATUSES = {\n${names.map((each) => `    ${each},\n`).join("")}}\n`,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [path, text] of Object.entries(await files())) await writeFile(new URL(`../${path}`, import.meta.url), text);
}
