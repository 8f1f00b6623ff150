// Writes what wasm/include/wwho.h declares for JavaScript and Python: numbers, names, and the layouts of structs.
//
//     node tools/gen_header.mjs

import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const HEADER = new URL("../wasm/include/wwho.h", import.meta.url);
const ABOUT = [
  "What wasm/include/wwho.h declares: numbers, names, and the layouts of structs.",
  "Offsets are those in WebAssembly, in bytes. Written by tools/gen_header.mjs.",
];
/** The widths of types in WebAssembly, in bytes; a pointer has four. */
const WIDTHS = { uint64_t: 8, double: 8, size_t: 4, uint32_t: 4, uint16_t: 2, uint8_t: 1 };
const STRUCTS = ["wwho_span", "wwho_job", "wwho_sampling"];

/**
 * Return the layout of a struct in WebAssembly.
 * @param {string} header the text of wwho.h without comments
 * @param {string} name of the struct, which the header has
 * @returns {[string, number][]} its size under "size", then the offset of each field by its name; in bytes
 */
function layout(header, name) {
  const [, body] = new RegExp(`typedef struct \\{([^}]*)\\} ${name};`).exec(header);
  let end = 0;
  let widest = 4;
  const fields = Array.from(body.matchAll(/(?:const )?(\w+) ([^;]+);/g)).flatMap(([, type, names]) =>
    names.split(",").map((each) => {
      const width = each.includes("*") ? 4 : WIDTHS[type];
      const at = Math.ceil(end / width) * width;
      end = at + width;
      widest = Math.max(widest, width);
      return [each.replace(/\W/g, ""), at];
    }),
  );
  return [["size", Math.ceil(end / widest) * widest], ...fields];
}

/**
 * Return the files that this program writes, made of wwho.h as it is now: lines for the macros, for each enum, and for the names.
 * @returns {Promise<Record<string, string>>} their texts, by their paths from the root
 */
export async function files() {
  const text = (await readFile(HEADER, "utf8")).replace(/\/\*[^]*?\*\//g, "");
  const macros = text.match(/^#define WWHO_\w+ \d+$/gm)?.join() ?? "";
  const lists = [macros, ...(text.match(/(?<=^enum \{)[^}]*/gm) ?? [])].map((list) =>
    Array.from(list.matchAll(/WWHO_(\w+) (?:= )?(\d+)/g), ([, name, value]) => ({ name, value })),
  );
  const layouts = STRUCTS.map((name) => ({ name: name.slice("wwho_".length).toUpperCase(), fields: layout(text, name) }));
  const names = lists[1].map(({ name, value }) => `${value}: "${name}"`);
  // What wwho_info describes, and the names of the numbers of each. They are given by their names, not as constants.
  const things = lists.flat().filter(({ name }) => name.startsWith("OF_"));
  const isOf = (thing) => (list) => list.every(({ name }) => name.startsWith(`${thing.name.slice("OF_".length)}_`));
  const numbers = things.map((thing) => {
    const list = lists.find(isOf(thing)) ?? [];
    return [thing.value, list.map(({ name }) => `"${name.slice(name.indexOf("_") + 1).toLowerCase()}"`)];
  });
  const constants = lists.filter((list) => !things.some((thing) => isOf(thing)(list)));
  const lines = constants.map((list) => list.map(({ name, value }) => `${name} = ${value}`));
  return {
    "web/package/lib/header.js":
      `// ${ABOUT.join(" ")}\n\n${lines.map((each) => `export const ${each.join(", ")};\n`).join("")}` +
      `/** @type {Record<number, string>} */\nexport const STATUSES = { ${names.join(", ")} };\n` +
      `/** @type {Record<number, string[]>} */\nexport const NUMBERS = { ${numbers.map(([of, each]) => `${of}: [${each.join(", ")}]`).join(", ")} };\n` +
      layouts.map(({ name, fields }) => `export const ${name} = { ${fields.map((each) => each.join(": ")).join(", ")} };\n`).join(""),
    "py/wwho/backends/header.py":
      `"""${ABOUT.join("\n\n")}\n"""\n\n${lines.map((each) => each.join("\n")).join("\n\n")}\n\n` +
      `STATUSES = {\n${names.map((each) => `    ${each},\n`).join("")}}\n\n` +
      `NUMBERS = {\n${numbers.map(([of, each]) => `    ${of}: (${each.map((name) => `\n        ${name},`).join("")}${each.length ? "\n    " : ""}),\n`).join("")}}\n` +
      layouts.map(({ name, fields }) => `\n${name} = {\n${fields.map(([key, at]) => `    "${key}": ${at},\n`).join("")}}\n`).join(""),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [path, text] of Object.entries(await files())) await writeFile(new URL(`../${path}`, import.meta.url), text);
}
