// The module's own types (JSDoc, checkJs), the hand-written declarations as a program in TypeScript sees them (one with the
// default libraries, which checks them too, and one of Node without "dom"), and both directions: what is there is declared, and
// what is declared is there.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import ts from "typescript";

import { ROOT } from "./common.mjs";

const TSC = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

for (const project of ["tsconfig.json", "types/tsconfig.json", "types/tsconfig.node.json"]) {
  test(`tsc -p ${project}`, () => {
    const path = fileURLToPath(new URL(project, import.meta.url));
    const { status, stdout } = spawnSync(process.execPath, [TSC, "-p", path], { encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });
}

const pathOf = (name) => fileURLToPath(new URL(`web/package/${name}`, ROOT));
const program = ts.createProgram(["index.d.ts", "worker.d.ts", "openai.d.ts"].map(pathOf), {
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.esnext.disposable.d.ts"],
  types: [],
  module: ts.ModuleKind.NodeNext,
});
const checker = program.getTypeChecker();

/** The values that a file of declarations exports, and of each class the names of its members. @param {string} name */
function declared(name) {
  const file = program.getSourceFile(pathOf(name));
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(file)).map((symbol) => {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  });
  const memberNames = (type) =>
    checker
      .getPropertiesOfType(type)
      .map((member) => member.name)
      .filter((each) => each !== "prototype")
      .map((each) => (each.startsWith("__@dispose") ? "Symbol.dispose" : each));
  const values = exported.filter((symbol) => symbol.flags & ts.SymbolFlags.Value);
  return new Map(
    values.map((symbol) => {
      if (!(symbol.flags & ts.SymbolFlags.Class)) return [symbol.name, null];
      return [symbol.name, memberNames(checker.getDeclaredTypeOfSymbol(symbol)).sort()];
    }),
  );
}

/** Names of an object and of the classes it is made by, below `top`. */
function membersOf(object, top) {
  const names = new Set(Object.keys(object));
  for (let at = Object.getPrototypeOf(object); at !== top; at = Object.getPrototypeOf(at)) {
    for (const key of Reflect.ownKeys(at)) names.add(typeof key === "symbol" ? "Symbol.dispose" : key);
  }
  for (const own of ["constructor", "toString", "toLocaleString"]) names.delete(own);
  return [...names].sort();
}

const ENTRIES = {
  "index.js": "index.d.ts",
  "node.js": "index.d.ts",
  "worker.js": "worker.d.ts",
  "node-worker.js": "worker.d.ts",
  "openai.js": "openai.d.ts",
  "node-openai.js": "openai.d.ts",
};

for (const [entry, declarations] of Object.entries(ENTRIES)) {
  test(`${entry} exports what ${declarations} declares, and no more`, async () => {
    const module = await import(new URL(`web/package/${entry}`, ROOT).href);
    assert.deepEqual(Object.keys(module).sort(), [...declared(declarations).keys()].sort());
  });
}

for (const [entry, name] of [
  ["node.js", "Tokenizer"],
  ["node-worker.js", "WorkerTokenizer"],
]) {
  test(`${name} has the members that are declared, and no more`, async () => {
    const { getEncoding } = await import(new URL(`web/package/${entry}`, ROOT).href);
    const tokenizer = await getEncoding("o200k_base");
    const members = declared(name === "Tokenizer" ? "index.d.ts" : "worker.d.ts").get(name);
    assert.deepEqual(members, membersOf(tokenizer, Object.prototype));
    tokenizer.free();
  });
}

test("a Worker has every method of a tokenizer", () => {
  const [here, there] = [declared("index.d.ts").get("Tokenizer"), declared("worker.d.ts").get("WorkerTokenizer")];
  assert.deepEqual(
    there.filter((name) => name !== "started"),
    here,
  );
});

test("info has the fields that are declared", async () => {
  const { getEncoding } = await import(new URL("web/package/node.js", ROOT).href);
  const { readFile } = await import("node:fs/promises");
  const text = await readFile(new URL("web/package/index.d.ts", ROOT), "utf8");
  const [, body] = /export interface Info \{([^]*?)\n\}/.exec(text);
  const fields = [...body.matchAll(/^ {2}readonly (\w+):/gm)].map((match) => match[1]);
  assert.deepEqual(fields.sort(), Object.keys((await getEncoding("cl100k_base")).info).sort());
});
