// The module's own types (JSDoc, checkJs), the hand-written declarations as a program in TypeScript sees them (one with the
// default libraries, which checks them too, one of Node without "dom", and one with the types of OpenAI's package, the AI SDK and
// LangChain), and both directions: what is there is declared, and what is declared is there.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { STATUSES } from "../../web/package/lib/header.js";
import { ROOT } from "./common.mjs";

const TSC = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

/** @param {...string} rest the arguments of the compiler, which must find nothing wrong */
function compiles(...rest) {
  const { status, stdout } = spawnSync(process.execPath, [TSC, ...rest], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
}

for (const project of ["tsconfig.json", "types/tsconfig.json", "types/tsconfig.node.json", "types/tsconfig.clients.json"]) {
  test(`tsc -p ${project}`, () => compiles("-p", fileURLToPath(new URL(project, import.meta.url))));
}

/** Names of an object and of the classes it is made by, below `top`. */
function membersOf(object, top) {
  const names = new Set(Object.keys(object));
  for (let at = Object.getPrototypeOf(object); at !== top; at = Object.getPrototypeOf(at)) {
    for (const key of Reflect.ownKeys(at)) names.add(typeof key === "symbol" ? "Symbol.dispose" : key);
  }
  for (const own of ["constructor", "toString", "toLocaleString"]) names.delete(own);
  return [...names];
}

const ENTRIES = ["index.js", "node.js", "worker.js", "node-worker.js", "openai.js", "node-openai.js"];
/** What declares it: Node has the declarations of other runtimes. @param {string} entry */
const declarationsOf = (entry) => (entry === "node.js" ? "index.js" : entry.replace("node-", ""));

/** The names of what is there, as a type. @param {string[]} names */
const unionOf = (names) => names.map((name) => (name === "Symbol.dispose" ? "typeof Symbol.dispose" : JSON.stringify(name))).join(" | ");

/** Every status that an error can have: those of the core, but for two that it never shows, and those in the sources. */
async function statuses() {
  const folder = new URL("web/package/", ROOT);
  const files = (await readdir(folder, { recursive: true })).filter((name) => /^(lib\/.*\.js|[\w-]+\.m?js)$/.test(name));
  const sources = await Promise.all(files.map((name) => readFile(new URL(name, folder), "utf8")));
  const written = sources.flatMap((text) => [...text.matchAll(/(?:WwhoError\(\s*|errorOf\(.* : |status[:=] *|status = )"([A-Z][A-Z_0-9]+)"/g)].map(([, name]) => name));
  const ofCore = Object.values(STATUSES).filter((name) => name !== "OK" && name !== "BUFFER");
  return [...new Set([...ofCore, ...written])];
}

/** A file of the package as the compiler names it. @param {string} name */
const from = (name) => `import(${JSON.stringify(fileURLToPath(new URL(`web/package/${name}`, ROOT)))})`;

test("what is there is declared, and what is declared is there", async (t) => {
  /** Pairs of types that must have the same members. @type {[string, string][]} */
  const same = [[`Exclude<keyof ${from("worker.js")}.WorkerTokenizer, "started">`, `keyof ${from("index.js")}.Tokenizer`]];
  for (const [entry, name] of [["node.js", "Tokenizer"], ["node-worker.js", "WorkerTokenizer"]]) {
    const { getEncoding } = await import(new URL(`web/package/${entry}`, ROOT).href);
    const tokenizer = await getEncoding("o200k_base");
    same.push([`keyof ${from(declarationsOf(entry))}.${name}`, unionOf(membersOf(tokenizer, Object.prototype))]);
    same.push([`keyof ${from("index.js")}.Info`, unionOf(Object.keys(tokenizer.info))]);
    tokenizer.free();
  }
  same.push([`${from("index.js")}.ErrorStatus`, unionOf(await statuses())]);
  for (const entry of ENTRIES) {
    const module = await import(new URL(`web/package/${entry}`, ROOT).href);
    same.push([`keyof typeof ${from(declarationsOf(entry))}`, unionOf(Object.keys(module))]);
  }
  const folder = await mkdtemp(join(tmpdir(), "wwho-types-"));
  t.after(() => rm(folder, { recursive: true }));
  const program = join(folder, "same.mts");
  const lines = same.map(([a, b], i) => `export const no${i}: Same<${a}, ${b}> = true;`);
  // An error names the members that only one of the two has.
  const one = "type Same<A, B, C = Exclude<A, B> | Exclude<B, A>> = [C] extends [never] ? true : C;";
  await writeFile(program, [one, ...lines].join("\n"));
  compiles("--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom,esnext.disposable", program);
});
